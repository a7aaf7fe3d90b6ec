import type { FieldValues } from 'react-hook-form';
import type { Controlled } from '../../form/controlled.ts';
import { ListField } from '../../form/ListField.tsx';

const LISTS = {
  allowedIps: {
    label: 'Allowed IPs',
    hint: 'Everybody when empty.',
    rowLabel: 'Allowed IP',
    placeholder: '203.0.113.0/24',
  },
  blockedIps: {
    label: 'Blocked IPs',
    hint: 'A block wins over an allowance.',
    rowLabel: 'Blocked IP',
    placeholder: '203.0.113.9',
  },
};

type AddressListFieldProps<V extends FieldValues, Out> = Pick<Controlled<V, Out>, 'control' | 'name'> & {
  name: keyof typeof LISTS;
};

/** The addresses that may reach a service, or those that may not. */
export function AddressListField<V extends FieldValues, Out>({ control, name }: AddressListFieldProps<V, Out>) {
  return <ListField control={control} name={name} {...LISTS[name]} mono />;
}
