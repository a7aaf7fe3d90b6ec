import { Check } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { FieldError } from './Field.tsx';
import { classes } from '../layout/classes.ts';

type CheckboxProps = Omit<ComponentProps<'input'>, 'type'> & {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
};

/** Yes or no, decided with the rest of a form. */
export function Checkbox({ label, hint, error, className, ...rest }: CheckboxProps) {
  const id = useId();
  const describedBy = [error ? `${id}error` : '', hint ? `${id}hint` : ''].filter(Boolean).join(' ') || undefined;
  return (
    <div className={className}>
      <label className="flex items-start gap-2.5">
        <span className="relative mt-0.5 inline-flex size-4.5 shrink-0">
          <input
            {...rest}
            type="checkbox"
            aria-describedby={describedBy}
            aria-invalid={error ? true : undefined}
            className="peer size-4.5 appearance-none rounded-xs border border-edge bg-surface transition-colors checked:border-accent checked:bg-accent hover:border-muted disabled:border-line disabled:bg-sunken disabled:checked:bg-muted aria-invalid:border-danger-ink"
          />
          <Check
            size={14}
            strokeWidth={3}
            aria-hidden
            className="pointer-events-none absolute inset-0.5 hidden text-on-accent peer-checked:block"
          />
        </span>
        <span className="min-w-0">{label}</span>
      </label>
      <div className="pl-7">
        <FieldError id={`${id}error`} error={error} />
        {hint ? (
          <p id={`${id}hint`} className="text-xs text-muted">
            {hint}
          </p>
        ) : null}
      </div>
    </div>
  );
}

/** The checkbox brings its own state, so there is no aria-checked to keep. */
const SWITCH = { type: 'checkbox', role: 'switch' };

type SwitchProps = Omit<ComponentProps<'input'>, 'type' | 'role'> & {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
};

/** On or off. A checkbox underneath, so forms handle it as one. */
export function Switch({ label, hint, error, className, ...rest }: SwitchProps) {
  const id = useId();
  const describedBy = [error ? `${id}error` : '', hint ? `${id}hint` : ''].filter(Boolean).join(' ') || undefined;
  return (
    <div className={className}>
      <label className="flex items-start gap-3">
        <input
          {...rest}
          {...SWITCH}
          aria-describedby={describedBy}
          aria-invalid={error ? true : undefined}
          className={classes(
            'relative mt-0.5 h-5 w-9 shrink-0 appearance-none rounded-full border border-edge bg-press transition-colors',
            'before:absolute before:top-[3px] before:left-[3px] before:size-3 before:rounded-full before:bg-muted before:transition-transform',
            'checked:border-accent checked:bg-accent checked:before:translate-x-4 checked:before:bg-on-accent',
            'disabled:border-line disabled:opacity-60',
          )}
        />
        <span className="min-w-0">
          <span className="block">{label}</span>
        </span>
      </label>
      <div className="pl-12">
        <FieldError id={`${id}error`} error={error} />
        {hint ? (
          <p id={`${id}hint`} className="text-xs text-muted">
            {hint}
          </p>
        ) : null}
      </div>
    </div>
  );
}
