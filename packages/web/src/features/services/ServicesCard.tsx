import { SERVICE_PAGE_SIZE, type ServiceType } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { Globe, Plus, TriangleAlert, Waypoints } from 'lucide-react';
import { useState } from 'react';
import { useLastPage } from '../../state/useLastPage.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Pagination } from '../../ui/Pagination.tsx';
import { HeadCell, Table, TableBody, TableHead, TableSkeleton, TableSpan } from '../../ui/Table.tsx';
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx';
import { openServiceForm } from './openServiceForm.tsx';
import { serviceKinds } from './serviceKinds.ts';
import { ServiceRow } from './ServiceRow.tsx';
import { type ServicesOf, useLiveServices } from './useLiveServices.ts';
import { useServiceActions } from './useServiceActions.tsx';

const COLUMNS = 3;
const ICONS = { http: Globe, tcp: Waypoints };

type ServicesCardProps = ServicesOf & { type: ServiceType };

/** The services of a kind, five at a time: of a node, where they may be added and edited, or of a domain. */
export function ServicesCard({ type, ...of }: ServicesCardProps) {
  const { node, domain } = of;
  const { title, none } = serviceKinds[type];
  const [page, setPage] = useState(1);
  const { data, isPlaceholderData, isError, refetch } = useLiveServices(type, of, page);
  useLastPage(data, page, setPage);
  const actions = useServiceActions(type, node ?? null);
  const Icon = ICONS[type];
  // Several domains may be unfolded at once: a screen reader tells their cards apart.
  const label = domain === undefined ? title : `${title} of ${domain}`;

  return (
    <Card
      title={
        <>
          {title}
          {domain === undefined ? null : <VisuallyHidden> of {domain}</VisuallyHidden>}
        </>
      }
      flush
      actions={
        node ? (
          <Button
            size="sm"
            icon={<Plus size={14} aria-hidden />}
            aria-label={`Add Service to ${title}`}
            onClick={() => void openServiceForm(node, type)}
          >
            Add Service
          </Button>
        ) : null
      }
      footer={
        data ? (
          <Pagination label={label} page={data.page} limit={SERVICE_PAGE_SIZE} total={data.total} onPage={setPage} />
        ) : null
      }
    >
      <Table label={label} few busy={isPlaceholderData}>
        <TableHead>
          <HeadCell className="w-1/3">Name</HeadCell>
          <HeadCell>Ingress</HeadCell>
          <HeadCell hidden>Actions</HeadCell>
        </TableHead>
        <TableBody>
          {data === undefined && !isError ? <TableSkeleton columns={COLUMNS} rows={2} /> : null}
          {data === undefined && isError ? (
            <TableSpan columns={COLUMNS}>
              <EmptyState
                icon={<TriangleAlert size={20} aria-hidden />}
                title={`${title} could not be read`}
                action={
                  <Button size="sm" onClick={() => void refetch()}>
                    Try Again
                  </Button>
                }
              />
            </TableSpan>
          ) : null}
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
                icon={<Icon size={20} aria-hidden />}
                title={none}
                description={node ? undefined : <FromNodes />}
                action={
                  node ? (
                    <Button size="sm" onClick={() => void openServiceForm(node, type)}>
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
