import type { ListedService } from '@sallyport/sdk/contract';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Waypoints } from 'lucide-react';
import { useRead } from '../../data/queries.ts';
import { useTitle } from '../../state/browser.ts';
import { useListView } from '../../state/listView.ts';
import { linkButton } from '../../ui/controls/Button.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { Page, PageHeader } from '../../ui/layout/Page.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';
import { AddressText, backendTarget, PublicAddress } from './serviceDetails.tsx';
import type { Service } from './services.ts';
import { ServicesFilters } from './ServicesFilters.tsx';
import { servicesFilter, allServicesList, servicesQuery } from './servicesFilter.ts';
import { accessInWords, EVERYONE, ServiceStatus } from './ServiceStatus.tsx';
import { useServiceActions } from './useServiceActions.tsx';

/** How often the page is read again: backends go down and come back. */
const REREAD_MS = 5000;

const columns: readonly TableColumn<ListedService, (typeof allServicesList.columns)[number]>[] = [
  {
    heading: 'Status',
    width: 'rows:w-[17%]',
    as: 'plain',
    cell: (service) => <ServiceStatus service={service} />,
  },
  {
    heading: 'Name',
    sort: 'name',
    width: 'rows:w-[15%]',
    as: 'name',
    cell: ({ name, nodeId, type, id }) => (
      <Link
        to="/nodes/$nodeId/$type/$id"
        params={{ nodeId: String(nodeId), type, id: String(id) }}
        className="link-plain wrap-anywhere"
      >
        {name}
      </Link>
    ),
  },
  {
    heading: 'Address',
    sort: 'address',
    as: 'plain',
    cell: (service) => (
      <span className="flex flex-wrap items-center gap-x-1.5">
        <PublicAddress service={service} copy />
        {'proto' in service && service.ssl ? <Badge>TLS</Badge> : null}
      </span>
    ),
  },
  {
    heading: 'Node',
    sort: 'node',
    width: 'rows:w-[9%]',
    cell: ({ nodeId, nodeName }) => (
      <Link
        to="/nodes/$id"
        params={{ id: String(nodeId) }}
        className="link inline-flex min-h-6 items-center wrap-anywhere"
      >
        {nodeName}
      </Link>
    ),
  },
  {
    heading: 'Backend',
    width: 'rows:w-[15%]',
    as: 'wide',
    cell: (service) => (
      <span className="font-mono text-xs wrap-anywhere">
        <AddressText>{backendTarget(service, service.nodeAddress)}</AddressText>
      </span>
    ),
  },
  {
    heading: 'Access',
    width: 'rows:w-[11%]',
    isBlank: (service) => accessInWords(service) === EVERYONE,
    cell: accessInWords,
  },
];

/** The service itself, without what the list says next to it. */
function asService({ type: _type, nodeName: _name, nodeAddress: _address, ...service }: ListedService): Service {
  return service;
}

/** The services of all nodes and both kinds; how they are looked at is in the address. */
export function ServicesPage() {
  useTitle('Services');
  const search = useSearch({ from: '/shell/services' });
  const navigate = useNavigate({ from: '/services' });
  const filter = servicesFilter(search);
  const actions = { http: useServiceActions('http', null, true), tcp: useServiceActions('tcp', null, true) };
  const change = (next: { [K in keyof typeof filter]: (typeof filter)[K] | undefined }) =>
    void navigate({
      search: ({ page: _first, ...kept }) => ({ ...kept, ...next }),
      resetScroll: false,
    });
  const clear = () =>
    change({ kind: undefined, status: undefined, access: undefined, node: undefined, domain: undefined });
  return (
    <Page>
      <PageHeader title="Services" />
      <QueryTable
        title="Services"
        what="services"
        page={useRead('service.list', { query: servicesQuery(search) }, { keep: true, everyMs: REREAD_MS })}
        view={useListView(allServicesList)}
        columns={columns}
        wide
        nameOf={({ name }) => name}
        keyOf={({ type, id }) => type + id}
        actions={(service) => actions[service.type](asService(service))}
        isDimmed={({ enabled }) => !enabled}
        filter={<ServicesFilters filter={filter} onChange={change} onClear={clear} />}
        onClearFilters={Object.keys(filter).length > 0 ? clear : undefined}
        empty={{
          icon: <Waypoints size={20} aria-hidden />,
          title: 'No services yet',
          description: 'A service is a web server or a port of a node that visitors can reach.',
          action: linkButton(<Link to="/nodes">Choose a node</Link>, { size: 'sm' }),
        }}
      />
    </Page>
  );
}
