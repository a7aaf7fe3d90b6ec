import { useController, type FieldValues } from 'react-hook-form';
import { Checkbox } from '../ui/Checkbox.tsx';
import { Switch } from '../ui/Switch.tsx';
import type { Controlled } from './controlled.ts';

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
  const { field, fieldState } = useController({ control, name });
  const Control = asSwitch ? Switch : Checkbox;
  return (
    <Control
      {...rest}
      ref={field.ref}
      name={name}
      checked={Boolean(field.value)}
      error={warning ?? fieldState.error?.message}
      onBlur={field.onBlur}
      onChange={(event) => {
        field.onChange(event.target.checked);
        onChosen?.(event.target.checked);
      }}
    />
  );
}
