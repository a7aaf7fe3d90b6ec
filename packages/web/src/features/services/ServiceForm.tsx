import { type Feature, message, type Node, type Problem } from '@sallyport/sdk/contract';
import { backendHostProblem, backendHostRequired, ipv4Range, ipv4Text } from '@sallyport/sdk/rules';
import { type ReactNode, useState } from 'react';
import { type FieldValues, type Path, type UseFormReturn, useWatch } from 'react-hook-form';
import { FeatureOff } from '../../data/featureOff.tsx';
import { dnsSpelling, sslName } from '../../data/domainNames.ts';
import { useUnavailable } from '../../data/gateway.ts';
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
import { FoldedGroup, FormGroup } from '../../form/FormGroup.tsx';
import { NoteInputs, noteNames, noteSummary } from '../../form/NoteFields.tsx';
import type { AddressParts } from '../../form/pastedAddress.ts';
import { type Placed, SplitAddress } from '../../form/SplitAddress.tsx';
import { useNow } from '../../state/browser.ts';
import { Autocomplete } from '../../ui/controls/Autocomplete.tsx';
import { ReadonlyField } from '../../ui/controls/ReadonlyField.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { TimeToLiveField, timeToLiveSummary } from './TimeToLiveField.tsx';

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
  initialField: string | undefined;
  node: Node;
  form: UseFormReturn<V, unknown, Out>;
  frame: FormFrame;
  onClose: () => void;
  /** What of the gateway every service of this kind needs. */
  needs?: Feature;
  /** Names what the backend speaks, and what there is to choose from. */
  proto: { name: 'proto' | 'backendProto'; of: readonly string[]; onChosen?: (chosen: string) => void };
  /** When the service closes as things stand; null: never; undefined: it cannot close by itself. */
  expiresAt: string | null | undefined;
  /** Fields that cannot be changed. */
  isLocked?: (name: string) => boolean;
  /** Where the parts of a whole address go that visitors are to use, and of one of the backend. */
  placed: { visitors: (parts: AddressParts) => Placed; backend: (parts: AddressParts) => Placed | null };
  /** Next to the public domain: where under it, or at which port. */
  place: ReactNode;
  /** What else services of this kind have of how visitors reach them. */
  visitors?: ReactNode;
  /** What else they have of who may come in. */
  children?: ReactNode;
  /** What saving brings about, in a sentence. */
  summary: ReactNode;
};

/** What is wrong with the backend of a service. */
export const backendProblems = (
  node: Node,
  { backendHost, backendPort }: { backendHost: string; backendPort: unknown },
): (Problem | null)[] => [
  backendHostProblem(node, backendHost),
  backendPort === null ? { field: 'backendPort', message: message.required } : null,
];

/** What the gateway's own machine calls itself; most of what it has listens there. */
const LOOPBACK = '127.0.0.1';

/** The backend host of a new service. Behind a gateway, only its administrator knows it; any other node is its own. */
export const firstBackendHost = ({ isLocal }: Pick<Node, 'isLocal'>): string => (isLocal ? LOOPBACK : '');

/** What a backend's host looks like on this node. */
function hostExample({ isLocal, isGateway, address, gatewayNetworks }: Node): string {
  if (!isGateway) return isLocal ? LOOPBACK : address;
  const range = ipv4Range(gatewayNetworks?.[0]?.subnet ?? '');
  return range === null ? '192.0.2.10' : ipv4Text(Math.min(range.first + 10, range.last));
}

/** The form of a service: its frame, and everything that HTTP and TCP services have in common. */
export function ServiceForm<V extends SharedValues, Out>({
  title,
  description,
  initialField,
  node,
  form,
  frame,
  onClose,
  needs = 'ingress',
  proto,
  expiresAt,
  isLocked,
  placed,
  place,
  visitors,
  children,
  summary,
}: ServiceFormProps<V, Out>) {
  const { control } = form;
  const tunnelOff = useUnavailable('tunnel');
  const missing = useUnavailable(needs) ?? (node.isLocal ? null : tunnelOff);
  const at = <N extends SharedField>(name: N) => ({
    control,
    name: name as N & Path<V>,
    disabled: isLocked?.(name) ?? false,
  });
  const host = at('backendHost');
  // A node that reaches no others is the backend itself.
  const isHostAsked = backendHostRequired(node);
  const isHostOpen = isHostAsked && !host.disabled;
  return (
    <FormDialog {...frame} onClose={onClose} title={title} description={description} initialField={initialField}>
      {missing ? (
        <Alert type="warning" title="Visitors will not reach this service yet">
          <FeatureOff feature={missing.feature} />
        </Alert>
      ) : null}
      <div className="grid gap-4 sm:grid-cols-2">
        <ReadonlyField label="Node Name" value={node.name} mono={false} />
        <TextField {...at('name')} label="Service Name" required />
      </div>
      <FormGroup title="Visitors">
        <SplitAddress form={form} name={'domain' as Path<V>} place={placed.visitors}>
          <div className="grid gap-4 sm:grid-cols-2">
            <DomainField {...at('domain')} label="Public Domain" hint="A new one is added to the domains." />
            {place}
          </div>
        </SplitAddress>
        {visitors}
      </FormGroup>
      <FormGroup title="Backend">
        <SplitAddress form={form} name={host.name} place={(parts) => (isHostOpen ? placed.backend(parts) : null)}>
          {/* One line, where that leaves room for a host: labels that need two lines end where the others do. */}
          <div className="grid grid-cols-[5.25rem_minmax(0,1fr)] gap-2 min-[22.5rem]:grid-cols-[5.25rem_minmax(0,1fr)_4.75rem] sm:grid-cols-[7.25rem_minmax(0,1fr)_6.5rem] sm:gap-3 max-sm:[&_label]:min-h-10 max-sm:[&_label]:content-end">
            <SelectField
              {...at(proto.name)}
              label="Backend Protocol"
              options={proto.of.map((value) => ({ value, label: value }))}
              onChosen={proto.onChosen}
            />
            <TextField
              {...host}
              label="Backend Host"
              hint={isHostAsked ? undefined : 'The node itself.'}
              mono
              required={isHostAsked}
              placeholder={hostExample(node)}
              disabled={!isHostOpen}
            />
            <NumberField {...at('backendPort')} label="Backend Port" required />
          </div>
        </SplitAddress>
      </FormGroup>
      <FormGroup title="Access">
        {children}
        <div className="grid gap-4 sm:grid-cols-2">
          <ListField
            {...at('allowedIps')}
            label="Allowed IPs"
            hint="Everyone when empty."
            rowLabel="Allowed IP"
            placeholder="203.0.113.0/24"
            mono
          />
          <ListField
            {...at('blockedIps')}
            label="Blocked IPs"
            hint="A block wins over an allowance."
            rowLabel="Blocked IP"
            placeholder="203.0.113.9"
            mono
          />
        </div>
      </FormGroup>
      <LimitsAndDetails form={form} expiresAt={expiresAt} initialField={initialField} />
      {summary}
    </FormDialog>
  );
}

/** How often the time that is left is told again. */
const TICK_MS = 10_000;

/** What most services do without. */
function LimitsAndDetails<V extends SharedValues, Out>({
  form: { control },
  expiresAt,
  initialField,
}: Pick<ServiceFormProps<V, Out>, 'form' | 'expiresAt' | 'initialField'>) {
  const now = useNow(TICK_MS);
  const { ttl, tags, notes } = useWatch({ control }) as { ttl: string | undefined; tags: string[]; notes: string };
  const names = ['ttl', ...noteNames];
  const limit = expiresAt === undefined ? [] : [timeToLiveSummary(ttl, expiresAt, now)];
  return (
    <FoldedGroup
      title="Limits and details"
      summary={[...limit, noteSummary(tags, notes)].join(' · ')}
      control={control}
      names={names}
      initiallyOpen={names.includes(initialField ?? '')}
    >
      {expiresAt === undefined ? null : (
        <TimeToLiveField control={control} name={'ttl' as Path<V>} expiresAt={expiresAt} />
      )}
      <NoteInputs control={control} />
    </FoldedGroup>
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
    <Field label={label} hint={dnsSpelling(textOf(value)) ?? hint} error={error?.message}>
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
