import { Check } from 'lucide-react';
import { useId } from 'react';
import { classes } from '../layout/classes.ts';

type Chip<Value extends string> = { value: Value; label: string };

type ChipsProps<Value extends string> = {
  /** What is being chosen: "Show". */
  label: string;
  options: readonly Chip<Value>[];
  value: Value;
  onChange: (value: Value) => void;
};

/** Filter chips: one of a few, as a radio group. */
export function Chips<Value extends string>({ label, options, value, onChange }: ChipsProps<Value>) {
  const name = useId();
  return (
    <fieldset className="inline-flex w-fit max-w-full flex-wrap gap-0.5 rounded-md bg-track p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => {
        const chosen = option.value === value;
        return (
          <label
            key={option.value}
            className={classes(
              'relative inline-flex h-7 items-center rounded-sm px-3 text-sm font-medium transition-colors duration-100 select-none',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              chosen ? 'bg-raised text-ink shadow-card' : 'text-muted hover:text-ink',
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              checked={chosen}
              onChange={() => onChange(option.value)}
              className="absolute inset-0 appearance-none rounded-sm outline-none"
            />
            <span className="pointer-events-none relative">{option.label}</span>
          </label>
        );
      })}
    </fieldset>
  );
}

type ToggleChip<Value extends string> = { value: Value; label: string };

type ToggleChipsProps<Value extends string> = {
  /** What is being narrowed down: "Level". */
  label: string;
  options: readonly ToggleChip<Value>[];
  /** Those that are on; none means no demand. */
  value: readonly Value[];
  onChange: (value: Value[]) => void;
};

/** Filter chips of which any number may be on. */
export function ToggleChips<Value extends string>({ label, options, value, onChange }: ToggleChipsProps<Value>) {
  return (
    <fieldset className="inline-flex w-fit max-w-full flex-wrap items-center gap-1">
      <legend className="sr-only">{label}</legend>
      <span aria-hidden className="mr-1 text-xs text-muted">
        {label}
      </span>
      {options.map((option) => {
        const on = value.includes(option.value);
        return (
          <label
            key={option.value}
            className={classes(
              'relative inline-flex h-7 items-center rounded-sm border text-xs font-medium transition-colors duration-100 select-none',
              'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
              // The tick takes the place of the room next to the text, so that the other chips stay where they are.
              on
                ? 'border-accent gap-0.5 bg-accent-soft px-1 text-accent-ink'
                : 'border-edge/60 px-2.5 text-muted hover:text-ink',
            )}
          >
            <input
              type="checkbox"
              checked={on}
              onChange={() => onChange(on ? value.filter((one) => one !== option.value) : [...value, option.value])}
              className="absolute inset-0 appearance-none rounded-sm outline-none"
            />
            {on ? <Check size={10} strokeWidth={3} aria-hidden className="pointer-events-none relative" /> : null}
            <span className="pointer-events-none relative">{option.label}</span>
          </label>
        );
      })}
    </fieldset>
  );
}
