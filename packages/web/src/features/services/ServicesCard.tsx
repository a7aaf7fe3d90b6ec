import type { ServiceType } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { Check, Clock, Globe, Plus, TriangleAlert, Waypoints, X } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useListView } from '../../state/listView.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Badge, EnabledDot } from '../../ui/layout/Badge.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';
import {
  AddressText,
  ClosingTime,
  PublicAddress,
  useBackendTarget,
  useClosing,
  useTroubleInShort,
} from './serviceDetails.tsx';
import {
  type Service,
  type ServiceColumn,
  serviceKinds,
  servicesList,
  type ServicesOf,
  typeOfService,
  useLiveServices,
} from './services.ts';
import { openServiceForm, useServiceActions } from './useServiceActions.tsx';

const ICONS = { http: Globe, tcp: Waypoints };

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
  const Icon = ICONS[type];
  const columns: readonly TableColumn<Service, ServiceColumn>[] = [
    {
      heading: 'Name',
      sort: 'name',
      width: 'rows:w-1/3',
      as: 'name',
      cell: (service) => <ServiceName service={service} />,
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
        icon: <Icon size={20} aria-hidden />,
        title: none,
        ...(node
          ? {
              action: (
                <Button size="sm" onClick={() => void openServiceForm(node, type)}>
                  Add Service
                </Button>
              ),
            }
          : { description: <FromNodes /> }),
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

/** What a service is called, whether it is open, and until when or since when not. */
function ServiceName({ service }: { service: Service }) {
  const closing = useClosing(service);
  return (
    <>
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
      {closing ? <Closing>{closing}</Closing> : null}
      {service.expiresAt && !closing ? (
        <Closing>
          Closes <ClosingTime expiresAt={service.expiresAt} />
        </Closing>
      ) : null}
    </>
  );
}

function Closing({ children }: { children: ReactNode }) {
  return (
    <p className="flex items-start gap-1 text-xs text-muted">
      <Clock size={14} aria-hidden className="mt-0.5 shrink-0" />
      <span>{children}</span>
    </p>
  );
}

/** Where a service is reached, what is behind it, and what is wrong. */
function Ingress({ service, nodeAddress }: { service: Service; nodeAddress: string | null }) {
  const trouble = useTroubleInShort(service);
  const target = useBackendTarget(service, nodeAddress);
  return (
    <>
      <span className="flex flex-wrap items-center gap-x-1.5 gap-y-0.5">
        <PublicAddress service={service} />
        {'proto' in service && service.ssl ? <Badge>TLS</Badge> : null}
      </span>
      <span className="flex min-h-5.5 flex-wrap items-center gap-x-2 gap-y-0.5 pt-0.5 text-xs text-muted">
        <span className="min-w-0">
          {'Proxy -> '}
          <span className="font-mono wrap-anywhere">
            <AddressText>{target}</AddressText>
          </span>
        </span>
        <HealthBadge enabled={service.enabled} health={service.health} />
      </span>
      {trouble ? (
        // As wide as the column is without it: the name next to it needs its room.
        <p className="flex w-0 min-w-full items-start gap-1 pt-1 text-xs text-warning-ink">
          <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
          <span className="min-w-0 wrap-anywhere">{trouble}</span>
        </p>
      ) : null}
    </>
  );
}

/** Whether the backend answers, as a sign and a word; nothing while that is not known. */
function HealthBadge({ enabled, health }: Pick<Service, 'enabled' | 'health'>) {
  if (!enabled || health === 'unknown') return null;
  const isUp = health === 'up';
  return (
    <Badge tone={isUp ? 'success' : 'danger'} icon={isUp ? <Check aria-hidden /> : <X aria-hidden />}>
      <span className="sr-only">Backend </span>
      {isUp ? 'Up' : 'Down'}
    </Badge>
  );
}
