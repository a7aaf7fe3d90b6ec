import type { FieldValues } from 'react-hook-form';
import { Field } from '../ui/Field.tsx';
import { Select, type SelectOption } from '../ui/Select.tsx';
import type { Controlled } from './controlled.ts';
import { textOf } from './textOf.ts';
import { useField } from './useField.ts';

type SelectFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & { options: readonly SelectOption[] };

/** One of a few. */
export function SelectField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  ...select
}: SelectFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name });
  return (
    <Field label={label} hint={hint} error={error?.message}>
      <Select {...select} {...field} value={textOf(value)} onChange={(event) => change(event.target.value)} />
    </Field>
  );
}
