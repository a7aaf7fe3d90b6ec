import type { FieldValues } from 'react-hook-form';
import { Checkbox } from '../ui/controls/Checkbox.tsx';
import { Switch } from '../ui/controls/Switch.tsx';
import { type Controlled, useField } from './useField.ts';

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
