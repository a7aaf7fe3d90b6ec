import type { FieldValues } from 'react-hook-form';
import { Field } from '../ui/controls/Field.tsx';
import { Select, type SelectOption } from '../ui/controls/Select.tsx';
import { type Controlled, textOf, useField } from './useField.ts';

type SelectFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & {
  options: readonly SelectOption[];
  /** Hears of the choice after the form has it. */
  onChosen?: ((value: string) => void) | undefined;
};

/** One of a few. */
export function SelectField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  onChosen,
  ...select
}: SelectFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  return (
    <Field label={label} hint={hint} error={error?.message}>
      <Select
        {...select}
        {...field}
        value={textOf(value)}
        onChange={(event) => {
          change(event.target.value);
          onChosen?.(event.target.value);
        }}
      />
    </Field>
  );
}
