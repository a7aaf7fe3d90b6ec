import { type ReactNode, useLayoutEffect } from 'react';
import { type Control, type FieldValues, type Path, useController } from 'react-hook-form';
import { afterPress } from '../state/browser.ts';
import { shownFieldsOf } from './shownFields.ts';
import { Field } from '../ui/controls/Field.tsx';
import { NumberInput, Select, type SelectOption, Textarea, TextInput } from '../ui/controls/TextInput.tsx';
import { Checkbox, Switch } from '../ui/controls/Checkbox.tsx';
import { ListInput } from '../ui/controls/ListInput.tsx';

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

type SelectFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & {
  options: readonly SelectOption[];
  /** Hears of the choice after the form has it. */
  onChosen?: ((value: string) => void) | undefined;
};

/** One of a few. */
export function SelectField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  onChosen,
  ...select
}: SelectFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  return (
    <Field label={label} hint={hint} error={error?.message}>
      <Select
        {...select}
        {...field}
        value={textOf(value)}
        onChange={(event) => {
          change(event.target.value);
          onChosen?.(event.target.value);
        }}
      />
    </Field>
  );
}

type CheckboxFieldProps<V extends FieldValues, Out> = Controlled<V, Out> & {
  /** Drawn as a switch: it turns something on rather than agreeing to it. */
  asSwitch?: boolean | undefined;
  /** Said in place of the field's own error. */
  warning?: string | undefined;
  /** Hears of the choice after the form has it. */
  onChosen?: ((checked: boolean) => void) | undefined;
};

/** Yes or no. */
export function CheckboxField<V extends FieldValues, Out>({
  control,
  name,
  asSwitch = false,
  warning,
  onChosen,
  ...rest
}: CheckboxFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label: rest.label });
  const Control = asSwitch ? Switch : Checkbox;
  return (
    <Control
      {...rest}
      {...field}
      checked={value === true}
      error={warning ?? error?.message}
      onChange={(event) => {
        change(event.target.checked);
        onChosen?.(event.target.checked);
      }}
    />
  );
}

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
