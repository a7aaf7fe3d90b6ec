import { useController, useFormState, type FieldValues } from 'react-hook-form';
import { Field } from '../ui/Field.tsx';
import { ListInput } from '../ui/ListInput.tsx';
import type { Controlled } from './controlled.ts';

type ListFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & {
  /** Singular name of a row: "Allowed IP". */
  rowLabel: string;
  placeholder?: string | undefined;
  type?: 'text' | 'email' | undefined;
  mono?: boolean | undefined;
};

type ItemError = { message?: string } | undefined;

/** A list of short texts, each with an error of its own. */
export function ListField<V extends FieldValues, Out>({ control, name, label, hint, ...list }: ListFieldProps<V, Out>) {
  const { field, fieldState } = useController({ control, name });
  // Errors of single rows do not count as a change of the field itself.
  useFormState({ control, name });
  const values: string[] = Array.isArray(field.value) ? field.value : [];
  const errors: unknown = fieldState.error;
  const rows = Array.isArray(errors) ? (errors as ItemError[]).map((error) => error?.message) : [];
  return (
    <Field as="group" label={label} hint={hint} error={rows.length > 0 ? undefined : fieldState.error?.message}>
      <ListInput {...list} values={values} errors={rows} onChange={field.onChange} onBlur={field.onBlur} />
    </Field>
  );
}
