import { SERVICE_PAGE_SIZE, type ServiceType } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { Globe, Plus, TriangleAlert, Waypoints } from 'lucide-react';
import { useMemo } from 'react';
import { useLastPage } from '../../state/useLastPage.ts';
import { useListView } from '../../state/useListView.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { NoMatch } from '../../ui/NoMatch.tsx';
import { Pagination } from '../../ui/Pagination.tsx';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { HeadCell, Table, TableBody, TableHead, TableSkeleton, TableSpan } from '../../ui/Table.tsx';
import { VisuallyHidden } from '../../ui/VisuallyHidden.tsx';
import { openServiceForm } from './openServiceForm.tsx';
import { serviceKinds, servicesList, type ServiceColumn } from './serviceKinds.ts';
import { ServiceRow } from './ServiceRow.tsx';
import { type ServicesOf, useLiveServices } from './useLiveServices.ts';
import { useServiceActions } from './useServiceActions.tsx';

const COLUMNS = 3;
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
  const { search } = view.query;
  const { data, isPlaceholderData, isError, refetch } = useLiveServices(type, of, view.query);
  useLastPage(data, view.query.page, view.correct);
  // One row is in order as it is.
  const heading = (column: ServiceColumn) => ((data?.total ?? 0) > 1 ? view.heading(column) : {});
  const actions = useServiceActions(type, node ?? null);
  const Icon = ICONS[type];
  // Several domains may be unfolded at once: a screen reader tells their cards apart.
  const label = domain === undefined ? title : `${title} of ${domain.domain}`;

  return (
    <Card
      title={
        <>
          {title}
          {domain === undefined ? null : <VisuallyHidden> of {domain.domain}</VisuallyHidden>}
        </>
      }
      flush
      actions={
        <>
          {search !== undefined || (data?.total ?? 0) > SERVICE_PAGE_SIZE ? (
            <SearchInput
              className="w-44"
              label={`Search ${what}${domain === undefined ? '' : ` of ${domain.domain}`}`}
              placeholder={`Search ${what}`}
              value={search ?? ''}
              onChange={view.look}
              found={data?.total}
            />
          ) : null}
          {node ? (
            <Button
              size="sm"
              icon={<Plus size={14} aria-hidden />}
              aria-label={`Add Service to ${title}`}
              onClick={() => void openServiceForm(node, type)}
            >
              Add Service
            </Button>
          ) : null}
        </>
      }
      footer={
        data ? (
          <Pagination
            label={label}
            page={data.page}
            limit={view.query.limit}
            total={data.total}
            onPage={view.goTo}
            sizes={view.sizes}
            onLimit={view.resize}
          />
        ) : null
      }
    >
      <Table label={label} few busy={isPlaceholderData}>
        <TableHead>
          <HeadCell className="rows:w-1/3" {...heading('name')}>
            Name
          </HeadCell>
          <HeadCell {...heading('domain')}>Ingress</HeadCell>
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
              {search === undefined ? (
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
              ) : (
                <NoMatch what={what} search={search} onClear={() => view.look('')} />
              )}
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
