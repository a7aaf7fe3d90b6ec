import {
  message,
  tcpProtos,
  tcpServiceAttributes,
  tcpServiceDefaults,
  tcpServiceInput,
  type Node,
  type SavedTcpService,
  type TcpService,
} from '@sallyport/sdk/contract';
import { backendHostProblem } from '@sallyport/sdk/rules';
import { useWatch } from 'react-hook-form';
import { useRead } from '../../data/read.ts';
import { useWrite } from '../../data/useWrite.ts';
import { CheckboxField } from '../../form/CheckboxField.tsx';
import { FormProblem } from '../../form/FormProblem.tsx';
import { formValues, type FormValues } from '../../form/formValues.ts';
import { NumberField } from '../../form/NumberField.tsx';
import { SelectField } from '../../form/SelectField.tsx';
import { TextField } from '../../form/TextField.tsx';
import { useContractForm } from '../../form/useContractForm.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { ReadonlyField } from '../../ui/ReadonlyField.tsx';
import { AddressListField } from './AddressListField.tsx';
import { BackendHostField } from './BackendHostField.tsx';
import { DomainField } from './DomainField.tsx';
import { TimeToLiveField } from './TimeToLiveField.tsx';

const PROTOCOLS = tcpProtos.map((value) => ({ value, label: value }));

type TcpServiceValues = FormValues<typeof tcpServiceAttributes> & {
  /** Null: the next free one, or the one that it has. */
  port: number | string | null;
  /** Undefined: as it was. */
  ttl: string | undefined;
};

type TcpServiceDialogProps = {
  node: Node;
  service?: TcpService | undefined;
  onClose: (saved?: SavedTcpService) => void;
};

/** Exposes a TCP or UDP port of a node, or changes how one is exposed. */
export function TcpServiceDialog({ node, service, onClose }: TcpServiceDialogProps) {
  const create = useWrite('tcpService.create');
  const update = useWrite('tcpService.update', { ifMatch: service?.version });
  const values: TcpServiceValues = {
    ...formValues(tcpServiceAttributes, service ?? tcpServiceDefaults),
    port: service?.port ?? null,
    ttl: undefined,
  };
  const { form, onSubmit, busy, problem } = useContractForm({
    schema: tcpServiceInput,
    values,
    rules: ({ backendHost, backendPort }: TcpServiceValues) => [
      backendHostProblem(node, backendHost),
      backendPort === null ? { field: 'backendPort', message: message.required } : null,
    ],
    save: async (body) =>
      service
        ? await update.mutateAsync({ params: { nodeId: node.id, id: service.id }, body })
        : await create.mutateAsync({ params: { nodeId: node.id }, body }),
    done: onClose,
  });
  const { control, setValue, clearErrors } = form;
  const proto = useWatch({ control, name: 'proto' });
  const { data: config } = useRead('system.config', {});
  const range = config?.TCP_SERVICES_PORT_RANGE?.split('-').join(' to ');
  const leaveSsl = (chosen: string) => {
    if (chosen !== 'udp') return;
    setValue('ssl', false);
    clearErrors('ssl');
  };

  return (
    <FormDialog open busy={busy} onSubmit={onSubmit} onClose={() => onClose()} title="Expose TCP Service on Node">
      <div className="grid gap-4 sm:grid-cols-6">
        {problem ? (
          <div className="sm:col-span-6">
            <FormProblem problem={problem} />
          </div>
        ) : null}
        <div className="sm:col-span-3">
          <ReadonlyField label="Node Name" value={node.name} mono={false} />
        </div>
        <div className="sm:col-span-3">
          <TextField control={control} name="name" label="Service Name" required />
        </div>
        <div className="sm:col-span-3">
          <DomainField
            control={control}
            name="domain"
            label="Public Domain"
            hint="A domain of the list, or a new one, which is then added."
          />
        </div>
        <div className="sm:col-span-3">
          <NumberField
            control={control}
            name="port"
            label="Public Port"
            hint={range ? `From ${range}.` : undefined}
            placeholder="Assigned Automatically"
          />
        </div>
        <div className="sm:col-span-2">
          <SelectField
            control={control}
            name="proto"
            label="Backend Protocol"
            options={PROTOCOLS}
            onChosen={leaveSsl}
          />
        </div>
        <div className="sm:col-span-2">
          <BackendHostField control={control} name="backendHost" node={node} />
        </div>
        <div className="sm:col-span-2">
          <NumberField control={control} name="backendPort" label="Backend Port" required />
        </div>
        <div className="sm:col-span-6">
          <CheckboxField
            control={control}
            name="ssl"
            label="Enable SSL Termination"
            hint={
              proto === 'udp'
                ? 'For TCP only.'
                : 'Visitors speak TLS with the gateway, which speaks plain TCP with the backend.'
            }
            disabled={proto === 'udp'}
          />
        </div>
        <div className="sm:col-span-3">
          <AddressListField control={control} name="allowedIps" />
        </div>
        <div className="sm:col-span-3">
          <AddressListField control={control} name="blockedIps" />
        </div>
        <div className="sm:col-span-6">
          <TimeToLiveField control={control} name="ttl" expiresAt={service?.expiresAt ?? null} />
        </div>
      </div>
    </FormDialog>
  );
}
