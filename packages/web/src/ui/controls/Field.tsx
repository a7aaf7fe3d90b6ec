import { CircleAlert } from 'lucide-react';
import { createContext, use, useId, useMemo, type ReactNode } from 'react';

type FieldWiring = {
  id: string;
  invalid: boolean;
  required: boolean;
  describedBy: string | undefined;
};

const FieldContext = createContext<FieldWiring | null>(null);

/**
 * What a control inside a Field puts on itself, so that label, hint and error belong to it.
 * Outside of a Field it is empty.
 */
export function useFieldControl(): {
  id?: string;
  'aria-invalid'?: true;
  'aria-required'?: true;
  'aria-describedby'?: string;
} {
  const field = use(FieldContext);
  if (!field) return {};
  return {
    id: field.id,
    ...(field.invalid ? { 'aria-invalid': true } : {}),
    ...(field.required ? { 'aria-required': true } : {}),
    ...(field.describedBy ? { 'aria-describedby': field.describedBy } : {}),
  };
}

type FieldProps = {
  label: ReactNode;
  /** Said before an error is made. */
  hint?: ReactNode;
  /** What is wrong; next to the field and announced with it. */
  error?: string | undefined;
  required?: boolean | undefined;
  /** `group` for a control of several inputs: the label then names the group. */
  as?: 'field' | 'group' | undefined;
  /** One control of this folder (TextInput, Select, ListInput...). */
  children: ReactNode;
};

/** Label, control, hint and error in one, wired for screen readers. */
export function Field({ label, hint, error, required = false, as = 'field', children }: FieldProps) {
  const id = useId();
  const hintId = `${id}hint`;
  const errorId = `${id}error`;
  const describedBy = [error ? errorId : '', hint ? hintId : ''].filter(Boolean).join(' ') || undefined;
  const invalid = Boolean(error);
  const wiring = useMemo(() => ({ id, invalid, required, describedBy }), [id, invalid, required, describedBy]);
  const name = (
    <>
      {label}
      {required ? (
        <span aria-hidden className="ml-0.5 text-danger-ink">
          *
        </span>
      ) : null}
    </>
  );
  const look = 'mb-1 block text-sm font-medium';
  const group = as === 'group';
  return (
    <div {...(group ? { role: 'group', 'aria-labelledby': `${id}label`, 'aria-describedby': describedBy } : {})}>
      {group ? (
        <span id={`${id}label`} className={look}>
          {name}
        </span>
      ) : (
        <label id={`${id}label`} htmlFor={id} className={look}>
          {name}
        </label>
      )}
      <FieldContext value={wiring}>{children}</FieldContext>
      <FieldError id={errorId} error={error} />
      {hint ? (
        <p id={hintId} className="mt-1 text-xs text-muted">
          {hint}
        </p>
      ) : null}
    </div>
  );
}

/** The sentence that says what is wrong, under its control. */
export function FieldError({ id, error }: { id: string; error: string | undefined }) {
  if (!error) return null;
  return (
    <p id={id} className="mt-1 flex items-start gap-1 text-xs font-medium text-danger-ink">
      <CircleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span>{error}</span>
    </p>
  );
}
