import type { Domain } from '@sallyport/sdk/contract';
import { formatDate, formatExact } from '@sallyport/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Globe, Plus } from 'lucide-react';
import { useRead } from '../../data/read.ts';
import { useLastPage } from '../../state/useLastPage.ts';
import { useListView } from '../../state/useListView.ts';
import { useTitle } from '../../state/useTitle.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { ListBar } from '../../ui/ListBar.tsx';
import type { MenuAction } from '../../ui/menuAction.ts';
import { NoMatch } from '../../ui/NoMatch.tsx';
import { OutsideLink } from '../../ui/OutsideLink.tsx';
import { Page } from '../../ui/Page.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Pagination } from '../../ui/Pagination.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { SearchInput } from '../../ui/SearchInput.tsx';
import {
  Cell,
  ExpandButton,
  HeadCell,
  Table,
  TableBody,
  TableHead,
  TableRow,
  TableSkeleton,
  TableSpan,
} from '../../ui/Table.tsx';
import { ServicesCard } from '../services/ServicesCard.tsx';
import { DomainCertificate } from './DomainCertificate.tsx';
import { domainsList, idsOf, openOf, withoutServices } from './domainsSearch.ts';
import { openDomainForm } from './openDomainForm.tsx';
import { useDomainActions } from './useDomainActions.tsx';

const COLUMNS = 4;
/** How soon a domain whose certificate is on its way, or that is mended, shows it. */
const UNSETTLED_MS = 4000;
const isUnsettled = ({ problem, pending }: Domain) => problem !== null || pending !== null;

/** The list of domains; each row unfolds to the services behind it. How it is looked at is in the address. */
export function DomainsPage() {
  useTitle('Domain Names');
  const search = useSearch({ from: '/shell/domains' });
  const navigate = useNavigate({ from: '/domains' });
  const view = useListView(domainsList);
  const { data, isPlaceholderData } = useRead(
    'domain.list',
    { query: view.query },
    {
      keep: true,
      everyMs: (last) => (last?.data.some(isUnsettled) ? UNSETTLED_MS : false),
    },
  );
  const actions = useDomainActions();
  useLastPage(data, view.query.page, view.correct);
  const open = idsOf(search.open);
  const toggle = (id: number) => {
    const next = open.includes(id) ? open.filter((other) => other !== id) : [...open, id];
    void navigate({
      search: ({ open: _before, ...kept }) => ({ ...withoutServices(kept, next), ...openOf(next) }),
      replace: true,
      resetScroll: false,
    });
  };
  return (
    <Page>
      <PageHeader
        title="Domain Names"
        actions={
          <Button variant="info" icon={<Plus size={16} aria-hidden />} onClick={() => void openDomainForm()}>
            Add Domain
          </Button>
        }
      />
      <ListBar
        search={
          <SearchInput
            label="Search domains"
            value={view.query.search ?? ''}
            onChange={view.look}
            found={data?.total}
          />
        }
      />
      <Card
        flush
        footer={
          data ? (
            <Pagination
              label="Domains"
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
        <Table label="Domains" busy={isPlaceholderData}>
          <TableHead>
            <HeadCell {...view.heading('domain')}>Domain</HeadCell>
            <HeadCell {...view.heading('ssl')}>SSL Certs</HeadCell>
            <HeadCell {...view.heading('created_at')}>Created At</HeadCell>
            <HeadCell hidden>Actions</HeadCell>
          </TableHead>
          <TableBody>
            {data === undefined ? <TableSkeleton columns={COLUMNS} /> : null}
            {data?.data.map((domain) => (
              <DomainRow
                key={domain.id}
                domain={domain}
                actions={actions(domain)}
                expanded={open.includes(domain.id)}
                onToggle={() => toggle(domain.id)}
              />
            ))}
            {data?.data.length === 0 ? (
              <TableSpan columns={COLUMNS}>
                {view.query.search === undefined ? (
                  <EmptyState
                    icon={<Globe size={20} aria-hidden />}
                    title="No domains yet"
                    action={
                      <Button size="sm" onClick={() => void openDomainForm()}>
                        Add Domain
                      </Button>
                    }
                  />
                ) : (
                  <NoMatch what="domains" search={view.query.search} onClear={() => view.look('')} />
                )}
              </TableSpan>
            ) : null}
          </TableBody>
        </Table>
      </Card>
    </Page>
  );
}

type DomainRowProps = {
  domain: Domain;
  actions: readonly MenuAction[];
  expanded: boolean;
  onToggle: () => void;
};

function DomainRow({ domain, actions, expanded, onToggle }: DomainRowProps) {
  return (
    <>
      <TableRow>
        <Cell primary>
          <span className="flex items-center gap-1">
            <ExpandButton label={`Services of ${domain.domain}`} expanded={expanded} onToggle={onToggle} />
            <OutsideLink to={domain.publicAccess ?? `https://${domain.domain}/`} className="link-plain">
              {domain.domain}
            </OutsideLink>
          </span>
          {domain.problem ? <p className="text-xs text-danger-ink">{domain.problem}</p> : null}
          {domain.pending ? <p className="text-xs text-muted">{domain.pending}</p> : null}
        </Cell>
        <Cell label="SSL Certs">
          <DomainCertificate domain={domain} />
        </Cell>
        <Cell label="Created At">
          <RelativeTime
            dateTime={domain.created_at}
            relative={formatDate(domain.created_at)}
            exact={formatExact(domain.created_at)}
          />
        </Cell>
        <Cell actions>
          <RowMenu label={`Actions of ${domain.domain}`} items={actions} />
        </Cell>
      </TableRow>
      {expanded ? (
        <TableSpan columns={COLUMNS}>
          <div className="grid gap-3 bg-sunken p-3 xl:grid-cols-2">
            <ServicesCard type="http" domain={domain} />
            <ServicesCard type="tcp" domain={domain} />
          </div>
        </TableSpan>
      ) : null}
    </>
  );
}
