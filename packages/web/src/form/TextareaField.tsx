import { useController, type FieldValues } from 'react-hook-form';
import { Field } from '../ui/Field.tsx';
import { Textarea } from '../ui/Textarea.tsx';
import type { Controlled } from './controlled.ts';
import { textOf } from './textOf.ts';

type TextareaFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & { mono?: boolean | undefined };

/** A text of several lines. */
export function TextareaField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  ...area
}: TextareaFieldProps<V, Out>) {
  const { field, fieldState } = useController({ control, name });
  return (
    <Field label={label} hint={hint} error={fieldState.error?.message}>
      <Textarea
        {...area}
        spellCheck={false}
        ref={field.ref}
        name={name}
        value={textOf(field.value)}
        onBlur={field.onBlur}
        onChange={field.onChange}
      />
    </Field>
  );
}
