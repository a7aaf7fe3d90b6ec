import { Check } from 'lucide-react';
import { useId } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { FieldError } from './Field.tsx';

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
