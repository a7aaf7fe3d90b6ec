import { formatRelative } from '@sallyport/sdk';
import type { ListedService } from '@sallyport/sdk/contract';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronDown, Globe, Server, Waypoints } from 'lucide-react';
import { useState } from 'react';
import type { Connection } from '../../data/connection.ts';
import { load, useRead } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { useNow, useTitle } from '../../state/browser.ts';
import { type ListsSearch, useListView } from '../../state/listView.ts';
import { Button, linkButton } from '../../ui/controls/Button.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { classes } from '../../ui/layout/classes.ts';
import { Page, PageHeader } from '../../ui/layout/Page.tsx';
import { lazyPart, PartFailed } from '../../ui/overlays/lazyPart.tsx';
import { Menu } from '../../ui/overlays/Menu.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';
import { AddressText, backendTarget, PublicAddress } from './serviceDetails.tsx';
import type { Service } from './services.ts';
import { ServicesDisplay, useServicesDisplay } from './ServicesDisplay.tsx';
import { ServicesFilters } from './ServicesFilters.tsx';
import { servicesFilter, allServicesList, servicesQuery, type ShownFilter } from './servicesFilter.ts';
import { accessInWords, EVERYONE, ServiceStatus } from './ServiceStatus.tsx';
import { SelectBox } from './SelectBox.tsx';
import { useExposeLocal, useServiceActions } from './useServiceActions.tsx';
import { ALL_OF_PAGE, keyOfService, type Selection, useSelection } from './useSelection.ts';

/** How often the page is read again: backends go down and come back. */
const REREAD_MS = 5000;

type Column = TableColumn<ListedService, (typeof allServicesList.columns)[number]>;

const columns: readonly Column[] = [
  {
    heading: 'Status',
    width: 'rows:w-[13%] some-columns:w-[22%]',
    cell: (service) => <ServiceStatus service={service} />,
  },
  {
    heading: 'Name',
    sort: 'name',
    width: 'rows:w-[15.5%] some-columns:w-[22%]',
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
    width: 'rows:w-[7%] some-columns:w-[11%]',
    cell: ({ nodeId, nodeName }) => (
      <Link
        to="/nodes/$id"
        params={{ id: String(nodeId) }}
        className="link inline-flex items-center rows:min-h-6 wrap-anywhere"
      >
        {nodeName}
      </Link>
    ),
  },
  {
    heading: 'Backend',
    width: 'rows:w-[15%]',
    as: 'wide',
    isLesser: true,
    cell: (service) => (
      <span className="font-mono text-xs wrap-anywhere">
        <AddressText>{backendTarget(service, service.nodeAddress)}</AddressText>
      </span>
    ),
  },
  {
    heading: 'Access',
    width: 'rows:w-24 min-[88rem]:rows:w-32',
    isLesser: true,
    isBlank: (service) => accessInWords(service) === EVERYONE,
    cell: accessInWords,
  },
  {
    heading: 'Last request',
    width: 'rows:w-26 min-[88rem]:rows:w-28',
    isLesser: true,
    isBlank: ({ lastRequestAt }) => lastRequestAt === null,
    cell: ({ lastRequestAt }) =>
      lastRequestAt === null ? <span className="text-muted">None yet</span> : <LastRequest at={lastRequestAt} />,
  },
];

/** What the list need not show next to the name, below which the tags stand. */
const choices = [...columns.flatMap(({ as, heading }) => (as === 'name' ? [] : [heading])), 'Tags'];

/** How often it is told again how long ago that was. */
const TICK_MS = 10_000;

const LastRequest = ({ at }: { at: string }) => (
  <RelativeTime at={at}>{formatRelative(at, useNow(TICK_MS))}</RelativeTime>
);

/** The service itself, without what the list says next to it. */
function asService({
  type: _type,
  nodeName: _name,
  nodeAddress: _address,
  lastRequestAt: _at,
  ...service
}: ListedService): Service {
  return service;
}

/** The boxes that select services, in front of everything that is said of them. */
const selecting = ({ ofPage, togglePage, has, toggle }: Selection): Column => ({
  heading: 'Select',
  head: (
    <>
      <span className="sr-only">Select</span>
      <SelectBox
        label={ALL_OF_PAGE}
        className="hidden! rows:inline-flex!"
        checked={ofPage === 'all'}
        partly={ofPage === 'some'}
        onChange={togglePage}
      />
    </>
  ),
  width: 'rows:w-12',
  as: 'sign',
  cell: (service) => (
    <SelectBox
      label={`Select ${service.name}, ${service.publicAccess}`}
      checked={has(service)}
      onChange={(on, withRange) => toggle(service, on, withRange)}
    />
  ),
});

// Nothing needs it until something is selected.
const SelectionBar = lazyPart(
  async () => (await import('./SelectionBar.tsx')).SelectionBar,
  ({ retry }) => <PartFailed what="What can be done to the selected services" onRetry={retry} />,
);

/** Has the page of the list in the cache that an address asks for. */
export const loadServices = (connection: Connection, search: ListsSearch): Promise<unknown> =>
  load(connection, 'service.list', { query: servicesQuery(search) });

/** The services of all nodes and both kinds; how they are looked at is in the address. */
export function ServicesPage() {
  useTitle('Services');
  const search = useSearch({ from: '/shell/services' });
  const navigate = useNavigate({ from: '/services' });
  const query = servicesQuery(search);
  const filter: ShownFilter = { ...servicesFilter(search), ...(query.tag && { tag: query.tag.join(',') }) };
  const page = useRead('service.list', { query }, { keep: true, everyMs: REREAD_MS });
  const { page: _page, limit: _limit, orderBy: _orderBy, ...filters } = query;
  const selection = useSelection(
    page.isPlaceholderData ? undefined : page.data?.data,
    JSON.stringify(query),
    JSON.stringify(filters),
  );
  // It stays once it is there: it tells what became of the last ones.
  const [hasBar, setHasBar] = useState(false);
  if (!hasBar && selection.rows.length > 0) setHasBar(true);
  const { shows, isCompact } = useServicesDisplay();
  const actions = { http: useServiceActions('http', null, true), tcp: useServiceActions('tcp', null, true) };
  const change = (next: { [K in keyof typeof filter]: (typeof filter)[K] | undefined }) =>
    void navigate({
      search: ({ page: _first, ...kept }) => ({ ...kept, ...next }),
      resetScroll: false,
    });
  const clear = () =>
    change({
      kind: undefined,
      status: undefined,
      access: undefined,
      node: undefined,
      domain: undefined,
      tag: undefined,
    });
  return (
    <Page>
      <PageHeader title="Services" actions={<ExposeMenu />} />
      <div
        className={classes(
          'contents [&_tr:has(td_input:checked)]:bg-accent-soft [&_tr:has(td_input:checked)]:shadow-[inset_2px_0_var(--color-accent)]',
          isCompact && 'rows:[&_td]:h-9! rows:[&_td]:py-0.5!',
        )}
      >
        <QueryTable
          title="Services"
          what="services"
          page={page}
          view={useListView(allServicesList)}
          columns={[selecting(selection), ...columns.filter(({ heading }) => shows(heading))]}
          wide
          tagsClass={shows('Tags') ? undefined : null}
          nameOf={({ name }) => name}
          keyOf={keyOfService}
          actions={(service) => actions[service.type](asService(service))}
          isDimmed={({ enabled }) => !enabled}
          filter={
            <>
              <ServicesFilters filter={filter} onChange={change} onClear={clear} />
              <ServicesDisplay choices={choices} />
            </>
          }
          onClearFilters={Object.keys(filter).length > 0 ? clear : undefined}
          empty={{
            icon: <Waypoints size={20} aria-hidden />,
            title: 'No services yet',
            description: 'A service is a web server or a port of a node that visitors can reach.',
            action: linkButton(<Link to="/nodes">Choose a node</Link>, { size: 'sm' }),
          }}
        />
      </div>
      {hasBar ? <SelectionBar selection={selection} /> : null}
    </Page>
  );
}

/** What is exposed without a detour is a service of this machine; one of another host is exposed on its node. */
function ExposeMenu() {
  const expose = useExposeLocal();
  return (
    <Menu
      label="Expose Service"
      items={[
        { label: 'HTTP on this gateway', icon: <Globe aria-hidden />, onSelect: () => void expose('http') },
        { label: 'TCP or UDP on this gateway', icon: <Waypoints aria-hidden />, onSelect: () => void expose('tcp') },
        { label: 'On another node', icon: <Server aria-hidden />, link: <Link to="/nodes" />, separated: true },
      ]}
    >
      <Button variant="info" aria-keyshortcuts="c">
        Expose Service
        <ChevronDown size={16} aria-hidden />
      </Button>
    </Menu>
  );
}
