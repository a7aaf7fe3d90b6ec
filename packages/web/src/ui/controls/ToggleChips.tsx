import { Check } from 'lucide-react';
import { classes } from '../layout/classes.ts';
import { Chip, type ChipsProps } from './Chips.tsx';

/** Filter chips of which any number may be on; none means no demand. */
export function ToggleChips<Option extends string>({
  label,
  options,
  value,
  onChange,
}: ChipsProps<Option, readonly Option[]>) {
  return (
    <fieldset className="inline-flex w-fit max-w-full flex-wrap items-center gap-1">
      <legend className="sr-only">{label}</legend>
      <span aria-hidden className="mr-1 text-xs text-muted">
        {label}
      </span>
      {options.map((option) => {
        const on = value.includes(option.value);
        return (
          <Chip
            key={option.value}
            look={classes(
              'border text-xs',
              // The tick takes the place of the room next to the text, so that the other chips stay where they are.
              on
                ? 'border-accent bg-accent-soft px-1 text-accent-ink'
                : 'border-edge/60 px-2.5 text-muted hover:text-ink',
            )}
            type="checkbox"
            checked={on}
            onChange={() => onChange(on ? value.filter((one) => one !== option.value) : [...value, option.value])}
          >
            {on ? <Check size={10} strokeWidth={3} aria-hidden /> : null}
            {option.label}
          </Chip>
        );
      })}
    </fieldset>
  );
}
