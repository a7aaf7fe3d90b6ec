import type { FieldValues } from 'react-hook-form';
import { Field } from '../ui/controls/Field.tsx';
import { Textarea } from '../ui/controls/TextInput.tsx';
import { type Controlled, textOf, useField } from './useField.ts';

type TextareaFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & { mono?: boolean | undefined };

/** A text of several lines. */
export function TextareaField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  ...area
}: TextareaFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  return (
    <Field label={label} hint={hint} error={error?.message}>
      <Textarea
        {...area}
        {...field}
        spellCheck={false}
        value={textOf(value)}
        onChange={(event) => change(event.target.value)}
      />
    </Field>
  );
}
