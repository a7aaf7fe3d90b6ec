import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classes } from '../layout/classes.ts';
import { useFieldControl } from './Field.tsx';

/** The look shared by everything one can type into or choose from. */
export const controlClass =
  'w-full min-w-0 rounded-sm border border-edge bg-surface px-2.5 text-base text-ink shadow-control transition-colors duration-100 ' +
  'hover:border-muted focus-visible:border-accent focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-accent ' +
  'aria-invalid:border-danger-ink aria-invalid:focus-visible:outline-danger-ink ' +
  '[&[readonly]]:border-line [&[readonly]]:bg-hover [&[readonly]]:shadow-none disabled:cursor-not-allowed disabled:border-line disabled:bg-hover disabled:text-muted disabled:shadow-none ' +
  // Below 16 px a phone zooms into the page when the field gets the focus.
  'pointer-coarse:text-lg max-sm:text-lg';

type TextInputProps = ComponentProps<'input'> & {
  /** Addresses, paths, keys. */
  mono?: boolean | undefined;
  /** 32 px high instead of 36, as in toolbars. */
  compact?: boolean | undefined;
};

/** One line of text. Takes `ref` and every attribute of an input. */
export function TextInput({ mono = false, compact = false, className, type = 'text', ...rest }: TextInputProps) {
  return (
    <input
      {...useFieldControl()}
      {...rest}
      type={type}
      className={classes(controlClass, compact ? 'h-8' : 'h-9', mono && 'font-mono text-sm', className)}
    />
  );
}

/** Several lines of text; grows with its content where the browser can. */
export function Textarea({ mono = false, ...rest }: ComponentProps<'textarea'> & Pick<TextInputProps, 'mono'>) {
  return (
    <textarea
      {...useFieldControl()}
      {...rest}
      rows={3}
      className={classes(controlClass, 'field-sizing-content block min-h-18 py-1.5', mono && 'font-mono text-sm')}
    />
  );
}

export type SelectOption = { value: string; label: string; disabled?: boolean | undefined };

type SelectProps = Omit<ComponentProps<'select'>, 'children' | 'multiple'> & { options: readonly SelectOption[] };

/** One of a few: the browser's own select, in our clothes. */
export function Select({ options, className, ...rest }: SelectProps) {
  return (
    <span className={classes('relative block min-w-0', className)}>
      <select {...useFieldControl()} {...rest} className={classes(controlClass, 'h-9 appearance-none pr-8')}>
        {options.map((option) => (
          <option key={option.value} value={option.value} disabled={option.disabled}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        size={16}
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-2.5 -translate-y-1/2 text-muted"
      />
    </span>
  );
}
