import { type ReactNode, useLayoutEffect } from 'react';
import { type Control, type FieldValues, type Path, useController } from 'react-hook-form';
import { afterPress } from '../state/afterPress.ts';
import { shownFieldsOf } from './shownFields.ts';

/** What every field of a form takes: its place in the form, and the words around it. */
export type Controlled<V extends FieldValues, Out> = {
  control: Control<V, unknown, Out>;
  name: Path<V>;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean | undefined;
};

/** A field's place in the form: what its control needs, and what is wrong with its value. */
export function useField<V extends FieldValues, Out>({
  control,
  name,
  label,
}: {
  control: Control<V, unknown, Out>;
  name: Path<V>;
  label: ReactNode;
}) {
  const { field, fieldState } = useController({ control, name });
  // A problem of a field that is not on the screen has to be told elsewhere.
  useLayoutEffect(
    () => shownFieldsOf(control).show(name, typeof label === 'string' ? label : null),
    [control, name, label],
  );
  const value: unknown = field.value;
  return {
    field: { ref: field.ref, name, onBlur: () => afterPress(field.onBlur) },
    value,
    change: (next: unknown) => field.onChange(next),
    error: fieldState.error,
  };
}

/** What an input shows for a value of the form. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
