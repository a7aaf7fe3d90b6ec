import { X } from 'lucide-react';
import type { FieldValues } from 'react-hook-form';
import { useRead } from '../../data/read.ts';
import type { Controlled } from '../../form/controlled.ts';
import { useField } from '../../form/useField.ts';
import { Field } from '../../ui/controls/Field.tsx';
import { IconButton } from '../../ui/controls/IconButton.tsx';
import { Select } from '../../ui/controls/Select.tsx';

const LABEL = 'Nodes that may use it';

type AllowedNodesFieldProps<V extends FieldValues, Out> = Pick<Controlled<V, Out>, 'control' | 'name'>;

type ItemError = { message?: string } | undefined;

/** The remote nodes whose access tokens may use the domain. */
export function AllowedNodesField<V extends FieldValues, Out>({ control, name }: AllowedNodesFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label: LABEL });
  const { data } = useRead('node.list', { query: { orderBy: 'name,asc' } });
  const remote = (data?.data ?? []).filter(({ isLocal }) => !isLocal);
  const chosen = Array.isArray(value) ? (value as number[]) : [];
  const nameOf = (id: number) => remote.find((node) => node.id === id)?.name ?? `Node ${id}`;
  // What is wrong with single nodes comes as an array in the place of the field's own error.
  const problem = Array.isArray(error) ? (error as ItemError[]).find((item) => item)?.message : error?.message;
  const others = remote.filter(({ id }) => !chosen.includes(id));
  return (
    <Field
      as="group"
      label={LABEL}
      hint="With their access tokens these nodes may publish services under this domain, on every path that no other service has."
      error={problem}
    >
      {chosen.length > 0 ? (
        <ul className="mb-2 flex flex-col gap-1">
          {chosen.map((id) => (
            <li key={id} className="flex items-center justify-between gap-2">
              <span className="min-w-0 truncate">{nameOf(id)}</span>
              <IconButton
                label={`Remove ${nameOf(id)}`}
                icon={<X size={16} aria-hidden />}
                onClick={() => change(chosen.filter((each) => each !== id))}
              />
            </li>
          ))}
        </ul>
      ) : null}
      <Select
        {...field}
        aria-label="Allow a node"
        value=""
        disabled={others.length === 0}
        options={[
          { value: '', label: others.length === 0 ? 'No further nodes' : 'Choose a node…' },
          ...others.map((node) => ({ value: String(node.id), label: node.name })),
        ]}
        onChange={(event) => event.target.value !== '' && change([...chosen, Number(event.target.value)])}
      />
    </Field>
  );
}
