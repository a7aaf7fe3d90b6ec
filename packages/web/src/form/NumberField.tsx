import type { FieldValues } from 'react-hook-form';
import { Field } from '../ui/controls/Field.tsx';
import { NumberInput } from '../ui/controls/TextInput.tsx';
import { type Controlled, textOf, useField } from './useField.ts';

type NumberFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & {
  /** Said only while it can be filled in. */
  required?: boolean | undefined;
  placeholder?: string | undefined;
};

/** The number that was typed; null for nothing, and the text itself where validation must say what is wrong with it. */
function numberOf(text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : text;
}

/** A whole number, such as a port. */
export function NumberField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  required,
  ...input
}: NumberFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  return (
    <Field label={label} hint={hint} error={error?.message} required={required && !input.disabled}>
      <NumberInput
        {...input}
        {...field}
        value={textOf(value)}
        onChange={(event) => change(numberOf(event.target.value))}
      />
    </Field>
  );
}
