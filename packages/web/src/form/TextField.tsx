import type { FieldValues } from 'react-hook-form';
import { Field } from '../ui/controls/Field.tsx';
import { TextInput } from '../ui/controls/TextInput.tsx';
import { type Controlled, textOf, useField } from './useField.ts';

type TextFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & {
  /** Said only while it can be filled in. */
  required?: boolean | undefined;
  placeholder?: string | undefined;
  mono?: boolean | undefined;
  autoComplete?: string | undefined;
};

/** A text of one line. */
export function TextField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  required,
  ...input
}: TextFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  return (
    <Field label={label} hint={hint} error={error?.message} required={required && !input.disabled}>
      <TextInput
        autoComplete="off"
        spellCheck={false}
        {...input}
        {...field}
        value={textOf(value)}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  );
}
