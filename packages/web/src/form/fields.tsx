import { useLayoutEffect, useRef, type ComponentProps, type ReactNode } from 'react';
import { useController, type Control, type FieldValues, type Path } from 'react-hook-form';
import { afterPress } from '../state/browser.ts';
import { Checkbox } from '../ui/controls/Checkbox.tsx';
import { Field } from '../ui/controls/Field.tsx';
import { ListInput } from '../ui/controls/ListInput.tsx';
import { Select, Textarea, TextInput, type SelectOption } from '../ui/controls/TextInput.tsx';
import { wordsOf } from './Differences.tsx';

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
}: Pick<Controlled<V, Out>, 'control' | 'name' | 'label'>) {
  const { field, fieldState } = useController({ control, name });
  // A problem of a field that is not on the screen has to be told elsewhere.
  useLayoutEffect(
    () => shownFieldsOf(control).show(name, typeof label === 'string' ? label : null),
    [control, name, label],
  );
  const value: unknown = field.value;
  // A field that was merely passed is no mistake yet.
  const isTyped = useRef(false);
  return {
    field: { ref: field.ref, name, onBlur: () => isTyped.current && afterPress(field.onBlur) },
    value,
    change(next: unknown) {
      isTyped.current = true;
      field.onChange(next);
    },
    error: fieldState.error,
  };
}

/** What an input shows for a value of the form. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

type TextFieldProps<V extends FieldValues, Out> = Controlled<V, Out> &
  Pick<ComponentProps<typeof TextInput>, 'placeholder' | 'mono' | 'inputMode' | 'className' | 'onFocus'> & {
    /** Said only while it can be filled in. */
    required?: boolean | undefined;
    /** What the form keeps of the text: the text itself unless given. */
    read?: (text: string) => unknown;
  };

/** A text of one line. */
export function TextField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  required,
  read,
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
        onChange={(event) => change(read ? read(event.target.value) : event.target.value)}
      />
    </Field>
  );
}

/** The number that was typed; null for nothing, and the text itself where validation must say what is wrong with it. */
function numberOf(text: string): number | string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return /^\d{1,15}$/.test(trimmed) ? Number(trimmed) : text;
}

/**
 * A whole number, such as a port: typed as text, so that scrolling changes nothing and no wrong sign is lost silently. What
 * is typed replaces it, as one seldom changes a single digit.
 */
export function NumberField<V extends FieldValues, Out>(props: TextFieldProps<V, Out>) {
  return (
    <TextField
      {...props}
      inputMode="numeric"
      className="tabular-nums"
      read={numberOf}
      onFocus={({ currentTarget }) => currentTarget.select()}
    />
  );
}

/** A text of several lines. */
export function TextareaField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  ...area
}: Controlled<V, Out> & { mono?: boolean | undefined }) {
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
  warning,
  onChosen,
  ...rest
}: CheckboxFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label: rest.label });
  return (
    <Checkbox
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

type ListFieldProps<V extends FieldValues, Out> = Controlled<V, Out> &
  Pick<ComponentProps<typeof ListInput>, 'rowLabel' | 'addLabel' | 'placeholder' | 'type' | 'mono'>;

/** What is wrong with single rows comes as an array in the place of the field's own error. */
export const rowErrors = (error: unknown): (string | undefined)[] | null =>
  Array.isArray(error) ? (error as ({ message?: string } | undefined)[]).map((row) => row?.message) : null;

/** A list of short texts, each with an error of its own. */
export function ListField<V extends FieldValues, Out>({ control, name, label, hint, ...list }: ListFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  const rows = rowErrors(error);
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

/** Which fields of a form are on the screen, and what each is called there. */
type ShownFields = ReturnType<typeof createShownFields>;

const known = new WeakMap<object, ShownFields>();

/** The fields that a form shows; `control` is the form's. */
export function shownFieldsOf(control: object): ShownFields {
  const shown = known.get(control) ?? createShownFields();
  known.set(control, shown);
  return shown;
}

function createShownFields() {
  // A field that is drawn again appears before its last appearance ends.
  const appearances = new Map<string, number>();
  const labels = new Map<string, string>();
  const count = (name: string, by: number) => appearances.set(name, (appearances.get(name) ?? 0) + by);
  const isShown = (name: string) => (appearances.get(name) ?? 0) > 0;
  return {
    /** Notes a field that appears; the function that comes back notes that it went away. */
    show(name: string, label: string | null) {
      count(name, 1);
      if (label !== null) labels.set(name, label);
      return () => void count(name, -1);
    },
    /** Whether a problem of this field, or of a part of it such as a row of a list, is shown next to it. */
    shows(field: string, values: object) {
      if (isShown(field)) return true;
      const cut = field.lastIndexOf('.');
      const [list, row] = [field.slice(0, Math.max(cut, 0)), Number(field.slice(cut + 1))];
      if (!isShown(list)) return false;
      const rows = (values as Record<string, unknown>)[list];
      return Array.isArray(rows) && row < rows.length;
    },
    /** What a field is called, also one that was on the screen before, or never was. */
    labelOf: (field: string) => labels.get(field) ?? labels.get(field.split('.')[0] ?? '') ?? wordsOf(field),
  };
}
