import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { classes } from '../layout/classes.ts';
import { controlClass } from './TextInput.tsx';
import { useFieldControl } from './Field.tsx';

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
