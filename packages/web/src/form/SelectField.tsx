import { useController, type FieldValues } from 'react-hook-form';
import { Field } from '../ui/Field.tsx';
import { Select, type SelectOption } from '../ui/Select.tsx';
import type { Controlled } from './controlled.ts';
import { textOf } from './textOf.ts';

type SelectFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & { options: readonly SelectOption[] };

/** One of a few. */
export function SelectField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  ...select
}: SelectFieldProps<V, Out>) {
  const { field, fieldState } = useController({ control, name });
  return (
    <Field label={label} hint={hint} error={fieldState.error?.message}>
      <Select
        {...select}
        ref={field.ref}
        name={name}
        value={textOf(field.value)}
        onBlur={field.onBlur}
        onChange={field.onChange}
      />
    </Field>
  );
}
