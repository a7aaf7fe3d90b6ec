import type { ReactNode } from 'react';
import type { Control, FieldValues, Path } from 'react-hook-form';

/** What every field of a form takes: its place in the form, and the words around it. */
export type Controlled<V extends FieldValues, Out> = {
  control: Control<V, unknown, Out>;
  name: Path<V>;
  label: ReactNode;
  hint?: ReactNode;
  disabled?: boolean | undefined;
};
