import { useController, type Control, type FieldValues, type Path } from 'react-hook-form';
import { afterPress } from '../state/afterPress.ts';

/** A field's place in the form: what its control needs, and what is wrong with its value. */
export function useField<V extends FieldValues, Out>({
  control,
  name,
}: {
  control: Control<V, unknown, Out>;
  name: Path<V>;
}) {
  const { field, fieldState } = useController({ control, name });
  const value: unknown = field.value;
  return {
    field: { ref: field.ref, name, onBlur: () => afterPress(field.onBlur) },
    value,
    change: (next: unknown) => field.onChange(next),
    error: fieldState.error,
  };
}
