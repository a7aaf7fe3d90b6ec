import {
  tcpProtos,
  tcpServiceAttributes,
  tcpServiceDefaults,
  tcpServiceInput,
  type Node,
  type SavedTcpService,
  type TcpService,
} from '@sallyport/sdk/contract';
import { useWatch } from 'react-hook-form';
import { useConnection } from '../../data/connection.ts';
import { useShowNew } from '../../data/newRow.ts';
import { invoke, useRead, useWrite } from '../../data/queries.ts';
import { formValues, type FormValues, useContractForm } from '../../form/contractForm.ts';
import { CheckboxField, NumberField } from '../../form/fields.tsx';
import { type AddressParts, portOf } from '../../form/pastedAddress.ts';
import type { Placed } from '../../form/SplitAddress.tsx';
import { newService } from './newService.tsx';
import { backendProblems, firstBackendHost, ServiceForm } from './ServiceForm.tsx';
import { ServiceSummary } from './ServiceSummary.tsx';

type TcpServiceValues = FormValues<typeof tcpServiceAttributes> & {
  /** Null: the next free one, or the one that it has. */
  port: number | string | null;
  /** Undefined: as it was. */
  ttl: string | undefined;
};

const valuesOf = (service: TcpService | undefined, node: Node): TcpServiceValues => ({
  ...formValues(tcpServiceAttributes, service ?? { ...tcpServiceDefaults, backendHost: firstBackendHost(node) }),
  port: service?.port ?? null,
  ttl: undefined,
});

const isTransport = (scheme: string | null): boolean => (tcpProtos as readonly (string | null)[]).includes(scheme);

/** No path leads to a port. */
const withoutPath = ({ path, leftOut }: AddressParts): string[] => [...(path === '/' ? [] : ['the path']), ...leftOut];

const placed = {
  visitors: (parts: AddressParts): Placed => ({
    values: { domain: parts.host, ...(parts.port === null ? {} : { port: parts.port }) },
    leftOut: withoutPath(parts),
  }),
  backend: (parts: AddressParts): Placed => {
    const port = portOf(parts);
    return {
      values: {
        ...(isTransport(parts.scheme) ? { proto: parts.scheme } : {}),
        backendHost: parts.host,
        ...(port === null ? {} : { backendPort: port }),
      },
      leftOut: withoutPath(parts),
    };
  },
};

type TcpServiceDialogProps = {
  node: Node;
  service?: TcpService | undefined;
  initialField?: string | undefined;
  onClose: (saved?: SavedTcpService) => void;
};

/** Exposes a TCP or UDP port of a node, or changes how one is exposed. */
export function TcpServiceDialog({ node, service, initialField, onClose }: TcpServiceDialogProps) {
  const { client } = useConnection();
  const showNew = useShowNew();
  const create = useWrite('tcpService.create');
  const update = useWrite('tcpService.update');
  const { form, frame } = useContractForm({
    schema: tcpServiceInput,
    row: service,
    valuesOf: (row) => valuesOf(row, node),
    read: ({ nodeId, id }) => invoke(client, 'tcpService.get', { params: { nodeId, id } }),
    rules: (values) => backendProblems(node, values),
    save: async (body, row) =>
      row
        ? await update.mutateAsync({ params: { nodeId: node.id, id: row.id }, body, ifMatch: row.version })
        : await create.mutateAsync({ params: { nodeId: node.id }, body }),
    done(saved) {
      if (!service) showNew(newService(saved));
      onClose(saved);
    },
  });
  const { control, setValue, clearErrors } = form;
  const values = useWatch({ control, compute: (all) => all });
  const { proto } = values;
  const { data: config } = useRead('system.config', {});
  const range = config?.TCP_SERVICES_PORT_RANGE?.split('-').join(' to ');
  const leaveSsl = (chosen: string) => {
    if (chosen !== 'udp') return;
    setValue('ssl', false);
    clearErrors('ssl');
  };

  return (
    <ServiceForm
      title="Expose TCP Service on Node"
      initialField={initialField}
      node={node}
      form={form}
      frame={frame}
      onClose={() => onClose()}
      needs="tcpServices"
      proto={{ name: 'proto', of: tcpProtos, onChosen: leaveSsl }}
      expiresAt={service?.expiresAt ?? null}
      placed={placed}
      summary={<ServiceSummary values={values} node={node} service={service} />}
      place={
        <NumberField
          control={control}
          name="port"
          label="Public Port"
          hint={range ? `From ${range}.` : undefined}
          placeholder="Assigned Automatically"
        />
      }
      visitors={
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
      }
    />
  );
}
