import type { ServiceType } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useMemo } from 'react';
import { useUnavailable } from '../../data/gateway.ts';
import { useListView } from '../../state/listView.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Badge, EnabledDot } from '../../ui/layout/Badge.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';
import { AddressText, PublicAddress, useBackendTarget } from './serviceDetails.tsx';
import {
  type Service,
  type ServiceColumn,
  serviceKinds,
  serviceTrouble,
  servicesList,
  type ServicesOf,
  typeOfService,
  useLiveServices,
} from './services.ts';
import { ServiceStatus, StatusWord } from './ServiceStatus.tsx';
import { openServiceForm, useServiceActions } from './useServiceActions.tsx';

type ServicesCardProps = ServicesOf & { type: ServiceType };

/**
 * The services of a kind, five at a time: of a node, where they may be added and edited, or of a domain. How they are
 * looked at is in the address.
 */
export function ServicesCard({ type, ...of }: ServicesCardProps) {
  const { node, domain } = of;
  const { title, what, none } = serviceKinds[type];
  const domainId = domain?.id;
  const view = useListView(useMemo(() => servicesList(type, domainId), [type, domainId]));
  const tunnelOff = useUnavailable('tunnel');
  // The page of a node says that once, above its services.
  const isTold = (service: Service) =>
    Boolean(tunnelOff && node?.enabled && serviceTrouble(service)?.includes(tunnelOff.reason));
  const columns: readonly TableColumn<Service, ServiceColumn>[] = [
    {
      heading: 'Name',
      sort: 'name',
      width: 'rows:w-[30%]',
      as: 'name',
      cell: (service) => <ServiceName service={service} />,
    },
    {
      heading: 'Status',
      width: 'rows:w-[25%]',
      // The dot next to the name is the sign of the row.
      cell: (service) =>
        isTold(service) ? <StatusWord service={service} bare /> : <ServiceStatus service={service} bare />,
    },
    {
      heading: 'Ingress',
      sort: 'domain',
      as: 'plain',
      cell: (service) => <Ingress service={service} nodeAddress={node?.address ?? null} />,
    },
  ];
  return (
    <QueryTable
      title={title}
      what={what}
      // Several domains may be unfolded at once: a screen reader tells their cards apart.
      of={domain?.domain}
      page={useLiveServices(type, of, view.query)}
      view={view}
      columns={columns}
      nameOf={({ name }) => name}
      actions={useServiceActions(type, node ?? null)}
      isDimmed={({ enabled }) => !enabled}
      tagsClass="pl-4.5"
      card={{
        actions: node ? (
          <Button
            size="sm"
            icon={<Plus size={14} aria-hidden />}
            aria-label={`Add Service to ${title}`}
            aria-keyshortcuts={type === 'http' ? 'c' : undefined}
            onClick={() => void openServiceForm(node, type)}
          >
            Add Service
          </Button>
        ) : null,
      }}
      empty={{
        title: none,
        description: node ? null : <FromNodes />,
      }}
    />
  );
}

function FromNodes() {
  return (
    <>
      Expose your first service from{' '}
      <Link to="/nodes" className="link">
        Client / Nodes
      </Link>
    </>
  );
}

/** What a service is called, and whether it is enabled. */
function ServiceName({ service }: { service: Service }) {
  return (
    <span className="flex items-baseline gap-2">
      <EnabledDot enabled={service.enabled} />
      <Link
        to="/nodes/$nodeId/$type/$id"
        params={{ nodeId: String(service.nodeId), type: typeOfService(service), id: String(service.id) }}
        className="link-plain min-w-0 wrap-anywhere"
      >
        {service.name}
      </Link>
    </span>
  );
}

/** Where a service is reached, and what is behind it. */
function Ingress({ service, nodeAddress }: { service: Service; nodeAddress: string | null }) {
  const target = useBackendTarget(service, nodeAddress);
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
        <PublicAddress service={service} />
        {'proto' in service && service.ssl ? <Badge>TLS</Badge> : null}
      </span>
      <p className="pt-0.5 text-xs text-muted">
        {'Proxy -> '}
        <span className="font-mono wrap-anywhere">
          <AddressText>{target}</AddressText>
        </span>
      </p>
    </>
  );
}
