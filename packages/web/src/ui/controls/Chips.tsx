import { useId, type ComponentProps } from 'react';
import { classes } from '../layout/classes.ts';

export type ChipsProps<Option extends string, Value> = {
  /** What is being chosen: "Show". */
  label: string;
  options: readonly { value: Option; label: string }[];
  value: Value;
  onChange: (value: Value) => void;
};

/** Filter chips: one of a few, as a radio group. */
export function Chips<Option extends string>({ label, options, value, onChange }: ChipsProps<Option, Option>) {
  const name = useId();
  return (
    <fieldset className="inline-flex w-fit max-w-full flex-wrap gap-0.5 rounded-md bg-track p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map((option) => {
        const chosen = option.value === value;
        return (
          <Chip
            key={option.value}
            look={classes('px-3 text-sm', chosen ? 'bg-raised text-ink shadow-card' : 'text-muted hover:text-ink')}
            type="radio"
            name={name}
            value={option.value}
            checked={chosen}
            onChange={() => onChange(option.value)}
          >
            {option.label}
          </Chip>
        );
      })}
    </fieldset>
  );
}

/** A chip is the browser's own input, unseen over its text. */
export function Chip({ look, children, ...input }: ComponentProps<'input'> & { look: string }) {
  return (
    <label
      className={classes(
        'relative inline-flex h-7 items-center rounded-sm font-medium transition-colors duration-100 select-none',
        'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        look,
      )}
    >
      <input {...input} className="absolute inset-0 appearance-none rounded-sm outline-none" />
      <span className="pointer-events-none relative inline-flex items-center gap-0.5">{children}</span>
    </label>
  );
}
