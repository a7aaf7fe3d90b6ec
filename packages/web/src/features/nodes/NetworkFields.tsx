import { Plus, X } from 'lucide-react';
import { useFieldArray, type UseFormReturn } from 'react-hook-form';
import { TextField } from '../../form/TextField.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { IconButton } from '../../ui/controls/IconButton.tsx';
import type { NodeFormValues } from './nodeFormValues.ts';

type NetworkFieldsProps<Out> = {
  form: UseFormReturn<NodeFormValues, unknown, Out>;
  /** A gateway may have more subnets than one. */
  several: boolean;
  /** A new row. */
  empty: NodeFormValues['gatewayNetworks'][number];
};

/** Interface and subnet of each network behind a gateway. */
export function NetworkFields<Out>({ form, several, empty }: NetworkFieldsProps<Out>) {
  const { control } = form;
  const { fields, append, remove } = useFieldArray({ control, name: 'gatewayNetworks' });
  return (
    <Field as="group" label="Interface & Subnet">
      <ul className="flex flex-col gap-3 [&_label]:font-normal [&_label]:text-muted">
        {fields.map((row, index) => (
          <li key={row.id} className="flex items-start gap-2">
            <div className="w-28 shrink-0">
              <TextField control={control} name={`gatewayNetworks.${index}.interface`} label="Interface" mono />
            </div>
            <div className="min-w-0 flex-1">
              <TextField
                control={control}
                name={`gatewayNetworks.${index}.subnet`}
                label="Subnet"
                placeholder="192.168.1.0/24"
                required
                mono
              />
            </div>
            {fields.length > 1 ? (
              <div className="pt-6">
                <IconButton
                  label={`Remove interface ${index + 1}`}
                  icon={<X size={16} aria-hidden />}
                  onClick={() => remove(index)}
                />
              </div>
            ) : null}
          </li>
        ))}
      </ul>
      {several ? (
        <div className="mt-3">
          <Button size="sm" icon={<Plus size={14} aria-hidden />} onClick={() => append(empty)}>
            Add Interface
          </Button>
        </div>
      ) : null}
    </Field>
  );
}
