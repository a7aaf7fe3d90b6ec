import { SERVICE_PAGE_SIZE, type HttpService } from '@sallyport/sdk/contract';
import { Globe, Plus, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { useLastPage } from '../../state/useLastPage.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { EnabledDot } from '../../ui/EnabledDot.tsx';
import type { MenuAction } from '../../ui/menuAction.ts';
import { OutsideLink } from '../../ui/OutsideLink.tsx';
import { Pagination } from '../../ui/Pagination.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow, TableSkeleton, TableSpan } from '../../ui/Table.tsx';
import { backendTarget } from './backendTarget.ts';
import { HealthBadge } from './HealthBadge.tsx';
import { openHttpServiceForm } from './openHttpServiceForm.tsx';
import { serviceTrouble } from './serviceTrouble.ts';
import { type ServicesOf, useLiveHttpServices } from './useLiveHttpServices.ts';
import { useServiceActions } from './useServiceActions.tsx';

const COLUMNS = 3;

/** The HTTP services of a node, where they may be edited, or of a domain, five at a time. */
export function HttpServicesCard(services: ServicesOf) {
  const { node } = services;
  const [page, setPage] = useState(1);
  const { data, isPlaceholderData } = useLiveHttpServices(services, page);
  useLastPage(data, page, setPage);
  const actions = useServiceActions(node ?? null);
  const add = () => {
    if (node) void openHttpServiceForm({ node });
  };

  return (
    <Card
      title="HTTP Services"
      flush
      actions={
        node ? (
          <Button size="sm" icon={<Plus size={14} aria-hidden />} onClick={add}>
            Add Service
          </Button>
        ) : null
      }
      footer={
        data ? (
          <Pagination
            label="HTTP Services"
            page={data.page}
            limit={SERVICE_PAGE_SIZE}
            total={data.total}
            onPage={setPage}
          />
        ) : null
      }
    >
      <Table label="HTTP Services" few busy={isPlaceholderData}>
        <TableHead>
          <HeadCell>Name</HeadCell>
          <HeadCell>Ingress</HeadCell>
          <HeadCell hidden>Actions</HeadCell>
        </TableHead>
        <TableBody>
          {data === undefined ? <TableSkeleton columns={COLUMNS} rows={2} /> : null}
          {data?.data.map((service) => (
            <ServiceRow
              key={service.id}
              service={service}
              nodeAddress={node?.address ?? null}
              actions={actions(service)}
            />
          ))}
          {data?.data.length === 0 ? (
            <TableSpan columns={COLUMNS}>
              <EmptyState
                icon={<Globe size={20} aria-hidden />}
                title="No HTTP services yet"
                description={node ? undefined : 'Expose your first service from Client / Nodes'}
                action={
                  node ? (
                    <Button size="sm" onClick={add}>
                      Add Service
                    </Button>
                  ) : undefined
                }
              />
            </TableSpan>
          ) : null}
        </TableBody>
      </Table>
    </Card>
  );
}

type ServiceRowProps = { service: HttpService; nodeAddress: string | null; actions: readonly MenuAction[] };

function ServiceRow({ service, nodeAddress, actions }: ServiceRowProps) {
  const trouble = serviceTrouble(service);
  return (
    <TableRow dimmed={!service.enabled}>
      <Cell primary>
        <span className="inline-flex items-center gap-2 font-medium">
          <EnabledDot enabled={service.enabled} />
          <span className="wrap-anywhere">{service.name}</span>
        </span>
        {trouble ? (
          <p className="flex items-start gap-1 text-xs text-warning-ink">
            <TriangleAlert size={14} aria-hidden className="mt-0.5 shrink-0" />
            <span className="min-w-0 wrap-anywhere">{trouble}</span>
          </p>
        ) : null}
      </Cell>
      <Cell label="Ingress">
        <OutsideLink to={service.publicAccess} className="link">
          {service.publicAccess}
        </OutsideLink>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-muted">
          <span className="min-w-0">
            {'Proxy -> '}
            <span className="font-mono wrap-anywhere">{backendTarget(service, nodeAddress)}</span>
          </span>
          <HealthBadge enabled={service.enabled} health={service.health} />
        </span>
      </Cell>
      <Cell actions>
        <RowMenu label={`Actions of ${service.name}`} items={actions} />
      </Cell>
    </TableRow>
  );
}
