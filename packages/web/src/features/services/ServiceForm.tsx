import { message, type Node, type Problem } from '@sallyport/sdk/contract';
import { backendHostProblem, backendHostRequired } from '@sallyport/sdk/rules';
import { type ReactNode, useState } from 'react';
import type { Control, FieldValues, Path } from 'react-hook-form';
import { useFeatureHint } from '../../data/featureOff.tsx';
import { sslName } from '../../data/gateway.ts';
import { useRead } from '../../data/queries.ts';
import {
  type Controlled,
  ListField,
  NumberField,
  SelectField,
  TextField,
  textOf,
  useField,
} from '../../form/fields.tsx';
import { FormDialog, type FormFrame } from '../../form/FormDialog.tsx';
import { NoteFields } from '../../form/NoteFields.tsx';
import { Autocomplete } from '../../ui/controls/Autocomplete.tsx';
import { ReadonlyField } from '../../ui/controls/CopyButton.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { TimeToLiveField } from './TimeToLiveField.tsx';

/** The fields of a service of either kind; `proto` is called otherwise where it is the backend's alone. */
type SharedField =
  | 'name'
  | 'domain'
  | 'backendHost'
  | 'backendPort'
  | 'allowedIps'
  | 'blockedIps'
  | 'ttl'
  | 'proto'
  | 'backendProto';

type SharedValues = Record<Exclude<SharedField, 'proto' | 'backendProto'>, unknown> & { tags: string[]; notes: string };

type ServiceFormProps<V extends SharedValues, Out> = {
  title: string;
  description?: string | undefined;
  node: Node;
  control: Control<V, unknown, Out>;
  frame: FormFrame;
  onClose: () => void;
  /** Why no service of this kind can be reached now; null: nothing is known to be wrong. */
  off?: ReactNode;
  /** Names what the backend speaks, and what there is to choose from. */
  proto: { name: 'proto' | 'backendProto'; of: readonly string[]; onChosen?: (chosen: string) => void };
  /** When the service closes as things stand; null: never; undefined: it cannot close by itself. */
  expiresAt: string | null | undefined;
  /** Fields that cannot be changed. */
  isLocked?: (name: string) => boolean;
  /** Next to the public domain: where under it, or at which port. */
  place: ReactNode;
  /** What only services of this kind have. */
  children: ReactNode;
};

/** What is wrong with the backend of a service. */
export const backendProblems = (
  node: Node,
  { backendHost, backendPort }: { backendHost: string; backendPort: unknown },
): (Problem | null)[] => [
  backendHostProblem(node, backendHost),
  backendPort === null ? { field: 'backendPort', message: message.required } : null,
];

/** The form of a service: its frame, and everything that HTTP and TCP services have in common. */
export function ServiceForm<V extends SharedValues, Out>({
  title,
  description,
  node,
  control,
  frame,
  onClose,
  off,
  proto,
  expiresAt,
  isLocked,
  place,
  children,
}: ServiceFormProps<V, Out>) {
  const tunnelOff = useFeatureHint('tunnel');
  const unreachable = off ?? (node.isLocal ? undefined : tunnelOff);
  const at = <N extends SharedField>(name: N) => ({
    control,
    name: name as N & Path<V>,
    disabled: isLocked?.(name) ?? false,
  });
  const host = at('backendHost');
  // A node that reaches no others is the backend itself.
  const isHostAsked = backendHostRequired(node);
  return (
    <FormDialog {...frame} onClose={onClose} title={title} description={description}>
      <div className="grid gap-4 sm:grid-cols-6">
        {unreachable ? (
          <div className="sm:col-span-6">
            <Alert type="warning" title="Visitors will not reach this service yet">
              {unreachable}
            </Alert>
          </div>
        ) : null}
        <div className="sm:col-span-3">
          <ReadonlyField label="Node Name" value={node.name} mono={false} />
        </div>
        <div className="sm:col-span-3">
          <TextField {...at('name')} label="Service Name" required />
        </div>
        <div className="sm:col-span-3">
          <DomainField {...at('domain')} label="Public Domain" hint="A new one is added to the domains." />
        </div>
        <div className="sm:col-span-3">{place}</div>
        <div className="sm:col-span-2">
          <SelectField
            {...at(proto.name)}
            label="Backend Protocol"
            options={proto.of.map((value) => ({ value, label: value }))}
            onChosen={proto.onChosen}
          />
        </div>
        <div className="sm:col-span-2">
          <TextField
            {...host}
            label="Backend Host"
            hint={isHostAsked ? undefined : 'The node itself.'}
            mono
            required={isHostAsked}
            placeholder={isHostAsked ? (node.isLocal ? '127.0.0.1' : '192.0.2.10') : node.address}
            disabled={host.disabled || !isHostAsked}
          />
        </div>
        <div className="sm:col-span-2">
          <NumberField {...at('backendPort')} label="Backend Port" required />
        </div>
        <div className="grid gap-4 sm:col-span-6">{children}</div>
        <div className="sm:col-span-3">
          <ListField
            {...at('allowedIps')}
            label="Allowed IPs"
            hint="Everybody when empty."
            rowLabel="Allowed IP"
            placeholder="203.0.113.0/24"
            mono
          />
        </div>
        <div className="sm:col-span-3">
          <ListField
            {...at('blockedIps')}
            label="Blocked IPs"
            hint="A block wins over an allowance."
            rowLabel="Blocked IP"
            placeholder="203.0.113.9"
            mono
          />
        </div>
        {expiresAt === undefined ? null : (
          <div className="sm:col-span-6">
            <TimeToLiveField {...at('ttl')} expiresAt={expiresAt} />
          </div>
        )}
        <div className="sm:col-span-6">
          <NoteFields control={control} />
        </div>
      </div>
    </FormDialog>
  );
}

const SUGGESTIONS = 20;

/** A public domain name; the gateway's own domains are suggested, any other is allowed too. */
function DomainField<V extends FieldValues, Out>({ control, name, label, hint, disabled }: Controlled<V, Out>) {
  const { field, value, change, error } = useField({ control, name, label });
  const [search, setSearch] = useState<string | null>(null);
  const { data, isFetching } = useRead(
    'domain.list',
    { query: { ...(search ? { search } : {}), page: 1, limit: SUGGESTIONS } },
    { enabled: search !== null, keep: true },
  );
  return (
    <Field label={label} hint={hint} error={error?.message}>
      <Autocomplete
        {...field}
        disabled={disabled}
        value={textOf(value)}
        onValueChange={change}
        onQueryChange={setSearch}
        loading={isFetching}
        options={data?.data.map(({ domain, ssl }) => ({ value: domain, note: sslName[ssl] })) ?? []}
        placeholder="app.example.com"
      />
    </Field>
  );
}
