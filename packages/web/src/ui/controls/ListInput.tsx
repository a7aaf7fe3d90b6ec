import { Plus, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { Button } from './Button.tsx';
import { FieldError, useFieldControl } from './Field.tsx';
import { IconButton } from './IconButton.tsx';
import { TextInput } from './TextInput.tsx';

type ListInputProps = {
  /** The field's name; a row adds its place to it. */
  name: string;
  values: readonly string[];
  onChange: (values: string[]) => void;
  onBlur?: (() => void) | undefined;
  /** Singular name of a row: "Allowed IP". Rows are named "Allowed IP 1" and so on. */
  rowLabel: string;
  /** Default "Add" and the row's name. */
  addLabel?: string | undefined;
  placeholder?: string | undefined;
  /** What is wrong with each row, by its place. */
  errors?: readonly (string | undefined)[] | undefined;
  type?: 'text' | 'email' | undefined;
  mono?: boolean | undefined;
  disabled?: boolean | undefined;
};

/** A list of short texts, such as addresses: rows are added and removed. Put it into `<Field as="group">`. */
export function ListInput({
  name,
  values,
  onChange,
  onBlur,
  rowLabel,
  addLabel = `Add ${rowLabel}`,
  placeholder,
  errors,
  type = 'text',
  mono = false,
  disabled = false,
}: ListInputProps) {
  const id = useId();
  const rows = useRef<HTMLUListElement>(null);
  const add = useRef<HTMLButtonElement>(null);
  const field = useFieldControl();

  const addRow = () => {
    onChange([...values, '']);
    // The new row exists after the parent has drawn it.
    requestAnimationFrame(() => [...(rows.current?.querySelectorAll('input') ?? [])].at(-1)?.focus());
  };
  const removeRow = (index: number) => {
    onChange(values.filter((_, at) => at !== index));
    add.current?.focus();
  };

  return (
    <div id={field.id}>
      <ul ref={rows} className="flex flex-col gap-2 not-empty:mb-2">
        {Array.from({ length: values.length }, (_, index) => {
          const error = errors?.[index];
          return (
            // Rows are texts without identity: their place is their key.
            <li key={index}>
              <div className="flex items-center gap-1">
                <TextInput
                  id={`${id}${index}`}
                  name={`${name}.${index}`}
                  aria-label={`${rowLabel} ${index + 1}`}
                  aria-invalid={error ? true : undefined}
                  aria-describedby={error ? `${id}${index}error` : undefined}
                  aria-required={undefined}
                  type={type}
                  inputMode={type === 'email' ? 'email' : undefined}
                  mono={mono}
                  value={values[index] ?? ''}
                  placeholder={placeholder}
                  disabled={disabled}
                  autoComplete="off"
                  spellCheck={false}
                  onBlur={onBlur}
                  onChange={(event) => onChange(values.with(index, event.target.value))}
                />
                <IconButton
                  label={`Remove ${rowLabel} ${index + 1}`}
                  icon={<X size={16} aria-hidden />}
                  disabled={disabled}
                  onClick={() => removeRow(index)}
                />
              </div>
              <FieldError id={`${id}${index}error`} error={error} />
            </li>
          );
        })}
      </ul>
      <Button
        ref={add}
        name={name}
        size="sm"
        disabled={disabled}
        onClick={addRow}
        icon={<Plus size={14} aria-hidden />}
      >
        {addLabel}
      </Button>
    </div>
  );
}
