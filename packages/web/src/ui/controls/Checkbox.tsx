import { Check } from 'lucide-react';
import { useId, type ComponentProps, type ReactNode } from 'react';
import { classes } from '../layout/classes.ts';
import { FieldError } from './Field.tsx';

/** The checkbox brings its own state, so there is no aria-checked to keep. */
const SWITCH = { type: 'checkbox', role: 'switch' };

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'role' | 'className'> & {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  /** Drawn as a switch: it turns something on rather than agreeing to it. */
  asSwitch?: boolean | undefined;
};

/** Yes or no, decided with the rest of a form. */
export function Checkbox({ label, hint, error, asSwitch = false, ...rest }: CheckboxProps) {
  const id = useId();
  const input = {
    ...rest,
    'aria-describedby': [error ? `${id}error` : '', hint ? `${id}hint` : ''].filter(Boolean).join(' ') || undefined,
    'aria-invalid': error ? true : undefined,
  };
  return (
    <div>
      <label className={classes('flex items-start', asSwitch ? 'gap-3' : 'gap-2.5')}>
        {asSwitch ? (
          <input
            {...input}
            {...SWITCH}
            className={classes(
              'relative mt-0.5 h-5 w-9 shrink-0 appearance-none rounded-full border border-edge bg-press transition-colors',
              'before:absolute before:top-[3px] before:left-[3px] before:size-3 before:rounded-full before:bg-muted before:transition-transform',
              'checked:border-accent checked:bg-accent checked:before:translate-x-4 checked:before:bg-on-accent',
              'disabled:border-line disabled:opacity-60',
            )}
          />
        ) : (
          <span className="relative mt-0.5 inline-flex size-4.5 shrink-0">
            <input
              {...input}
              type="checkbox"
              className="peer size-4.5 appearance-none rounded-xs border border-edge bg-surface transition-colors checked:border-accent checked:bg-accent hover:border-muted disabled:border-edge disabled:bg-hover disabled:opacity-70 disabled:checked:bg-muted aria-invalid:border-danger-ink"
            />
            <Check
              size={14}
              strokeWidth={3}
              aria-hidden
              className="pointer-events-none absolute inset-0.5 hidden text-on-accent peer-checked:block"
            />
          </span>
        )}
        <span className="min-w-0">{label}</span>
      </label>
      <div className={asSwitch ? 'pl-12' : 'pl-7'}>
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
