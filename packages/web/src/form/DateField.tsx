import type { SyntheticEvent } from 'react';
import type { FieldValues } from 'react-hook-form';
import { Field } from '../ui/Field.tsx';
import { TextInput } from '../ui/TextInput.tsx';
import { dayOf, endOfDay } from './calendarDay.ts';
import type { Controlled } from './controlled.ts';
import { textOf } from './textOf.ts';
import { useField } from './useField.ts';

type DateFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & {
  /** Days before this moment's cannot be chosen. */
  earliest?: Date | undefined;
};

/** With a bound of four digits the browser does not wait for a fifth one of the year. */
const LATEST_DAY = '9999-12-31';
/** The form's value for a day that is not wholly typed. To the browser it is as empty as no day at all. */
const UNFINISHED = 'unfinished';

/** A day; its value is the last moment of that day in the reader's zone as ISO 8601, or `""`. */
export function DateField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  earliest,
  ...input
}: DateFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name });
  const take = ({ currentTarget: { validity, value: day } }: SyntheticEvent<HTMLInputElement>) => {
    const next = validity.badInput ? UNFINISHED : endOfDay(day);
    if (next !== value) change(next);
  };
  return (
    <Field label={label} hint={hint} error={error?.message}>
      <TextInput
        {...input}
        {...field}
        type="date"
        min={earliest && dayOf(earliest)}
        max={LATEST_DAY}
        value={dayOf(textOf(value))}
        onChange={take}
        onKeyUp={take}
        onBlur={(event) => {
          take(event);
          field.onBlur();
        }}
      />
    </Field>
  );
}
