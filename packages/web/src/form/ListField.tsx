import type { FieldValues } from 'react-hook-form';
import { Field } from '../ui/controls/Field.tsx';
import { ListInput } from '../ui/controls/ListInput.tsx';
import { type Controlled, useField } from './useField.ts';

type ListFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & {
  /** Singular name of a row: "Allowed IP". */
  rowLabel: string;
  /** Default "Add" and the row's name. */
  addLabel?: string | undefined;
  placeholder?: string | undefined;
  type?: 'text' | 'email' | undefined;
  mono?: boolean | undefined;
};

type ItemError = { message?: string } | undefined;

/** A list of short texts, each with an error of its own. */
export function ListField<V extends FieldValues, Out>({ control, name, label, hint, ...list }: ListFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  // What is wrong with single rows comes as an array in the place of the field's own error.
  const rows = Array.isArray(error) ? (error as ItemError[]).map((item) => item?.message) : null;
  return (
    <Field as="group" label={label} hint={hint} error={rows ? undefined : error?.message}>
      <ListInput
        {...list}
        name={field.name}
        values={Array.isArray(value) ? (value as string[]) : []}
        errors={rows ?? []}
        onChange={change}
        onBlur={field.onBlur}
      />
    </Field>
  );
}
