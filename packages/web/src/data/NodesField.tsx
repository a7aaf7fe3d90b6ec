import { X } from 'lucide-react';
import type { FieldValues } from 'react-hook-form';
import { type Controlled, rowErrors, useField } from '../form/fields.tsx';
import { Field } from '../ui/controls/Field.tsx';
import { IconButton } from '../ui/controls/IconButton.tsx';
import { Select } from '../ui/controls/TextInput.tsx';
import { useRead } from './queries.ts';

type NodesFieldProps<V extends FieldValues, Out> = Pick<Controlled<V, Out>, 'control' | 'name' | 'hint'> & {
  label: string;
  /** The name of the choice: "Allow a node". */
  addLabel: string;
  /** The gateway's own machine can be chosen, too. */
  withLocal?: boolean;
};

/** Some of the nodes, by their ids. */
export function NodesField<V extends FieldValues, Out>({
  control,
  name,
  label,
  hint,
  addLabel,
  withLocal = false,
}: NodesFieldProps<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  const { data } = useRead('node.list', { query: { orderBy: 'name,asc' } });
  const nodes = (data?.data ?? []).filter(({ isLocal }) => withLocal || !isLocal);
  const chosen = Array.isArray(value) ? (value as number[]) : [];
  const nameOf = (id: number) => nodes.find((node) => node.id === id)?.name ?? `Node ${id}`;
  const problem = rowErrors(error)?.find((message) => message) ?? error?.message;
  const others = nodes.filter(({ id }) => !chosen.includes(id));
  return (
    <Field as="group" label={label} hint={hint} error={problem}>
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
        aria-label={addLabel}
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
