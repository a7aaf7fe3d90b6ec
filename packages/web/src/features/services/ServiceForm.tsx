import type { Node } from '@sallyport/sdk/contract';
import type { ReactNode, SubmitEvent } from 'react';
import type { Control, Path } from 'react-hook-form';
import { useTunnelOff } from '../../data/useOff.ts';
import { FormProblem, type FormProblems } from '../../form/FormProblem.tsx';
import { NumberField } from '../../form/NumberField.tsx';
import { SelectField } from '../../form/SelectField.tsx';
import { TextField } from '../../form/TextField.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { FormDialog } from '../../ui/overlays/FormDialog.tsx';
import { ReadonlyField } from '../../ui/controls/ReadonlyField.tsx';
import { AddressListField } from './AddressListField.tsx';
import { BackendHostField } from './BackendHostField.tsx';
import { DomainField } from './DomainField.tsx';
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

type SharedValues = Record<Exclude<SharedField, 'proto' | 'backendProto'>, unknown>;

type ServiceFormProps<V extends SharedValues, Out> = {
  title: string;
  description?: string | undefined;
  node: Node;
  control: Control<V, unknown, Out>;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  onClose: () => void;
  busy: boolean;
  problem: FormProblems;
  /** Why no service of this kind can be reached now; null: nothing is known to be wrong. */
  off?: string | null;
  /** Names what the backend speaks, and what there is to choose from. */
  proto: { name: 'proto' | 'backendProto'; of: readonly string[]; onChosen?: (chosen: string) => void };
  /** When the service closes as things stand; null: never; undefined: it cannot close by itself. */
  expiresAt: string | null | undefined;
  /** Fields that cannot be changed. */
  isLocked?: (name: string) => boolean;
  /** Beside the public domain: where under it, or at which port. */
  place: ReactNode;
  /** What only services of this kind have. */
  children: ReactNode;
};

/** The form of a service: its frame, and everything that HTTP and TCP services have in common. */
export function ServiceForm<V extends SharedValues, Out>({
  title,
  description,
  node,
  control,
  onSubmit,
  onClose,
  busy,
  problem,
  off = null,
  proto,
  expiresAt,
  isLocked,
  place,
  children,
}: ServiceFormProps<V, Out>) {
  const tunnelOff = useTunnelOff();
  const unreachable = off ?? (node.isLocal ? null : tunnelOff);
  const at = <N extends SharedField>(name: N) => ({
    control,
    name: name as N & Path<V>,
    disabled: isLocked?.(name) ?? false,
  });
  return (
    <FormDialog open busy={busy} onSubmit={onSubmit} onClose={onClose} title={title} description={description}>
      <div className="grid gap-4 sm:grid-cols-6">
        <div className="empty:hidden sm:col-span-6">
          <FormProblem problem={problem} />
        </div>
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
          <BackendHostField {...at('backendHost')} node={node} />
        </div>
        <div className="sm:col-span-2">
          <NumberField {...at('backendPort')} label="Backend Port" required />
        </div>
        {children}
        <div className="sm:col-span-3">
          <AddressListField control={control} name={at('allowedIps').name} />
        </div>
        <div className="sm:col-span-3">
          <AddressListField control={control} name={at('blockedIps').name} />
        </div>
        {expiresAt === undefined ? null : (
          <div className="sm:col-span-6">
            <TimeToLiveField {...at('ttl')} expiresAt={expiresAt} />
          </div>
        )}
      </div>
    </FormDialog>
  );
}
