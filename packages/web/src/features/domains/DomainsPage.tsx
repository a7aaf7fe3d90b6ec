import { PAGE_SIZE, type Domain } from '@sallyport/sdk/contract';
import { formatDate } from '@sallyport/sdk';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Globe, Plus } from 'lucide-react';
import { useState } from 'react';
import { useRead } from '../../data/read.ts';
import { sslName } from '../../data/sslName.ts';
import { useLastPage } from '../../state/useLastPage.ts';
import { useTitle } from '../../state/useTitle.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import type { MenuAction } from '../../ui/menuAction.ts';
import { OutsideLink } from '../../ui/OutsideLink.tsx';
import { Page } from '../../ui/Page.tsx';
import { PageHeader } from '../../ui/PageHeader.tsx';
import { Pagination } from '../../ui/Pagination.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
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
import { HttpServicesCard } from '../services/HttpServicesCard.tsx';
import { domainsQuery } from './domainsSearch.ts';
import { openDomainForm } from './openDomainForm.tsx';
import { useDomainActions } from './useDomainActions.tsx';

const COLUMNS = 4;

/** The list of domains; each row unfolds to the services behind it. */
export function DomainsPage() {
  useTitle('Domain Names');
  const search = useSearch({ from: '/shell/domains' });
  const navigate = useNavigate({ from: '/domains' });
  const { data, isPlaceholderData } = useRead('domain.list', { query: domainsQuery(search) }, { keep: true });
  const actions = useDomainActions();
  const goTo = (page: number) => void navigate({ search: { page } });
  useLastPage(data, search.page ?? 1, goTo);
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
      <Card
        flush
        footer={
          data ? (
            <Pagination label="Domains" page={data.page} limit={PAGE_SIZE} total={data.total} onPage={goTo} />
          ) : null
        }
      >
        <Table label="Domains" busy={isPlaceholderData}>
          <TableHead>
            <HeadCell>Domain</HeadCell>
            <HeadCell>SSL Certs</HeadCell>
            <HeadCell>Created At</HeadCell>
            <HeadCell hidden>Actions</HeadCell>
          </TableHead>
          <TableBody>
            {data === undefined ? <TableSkeleton columns={COLUMNS} /> : null}
            {data?.data.map((domain) => (
              <DomainRow key={domain.id} domain={domain} actions={actions(domain)} />
            ))}
            {data?.data.length === 0 ? (
              <TableSpan columns={COLUMNS}>
                <EmptyState
                  icon={<Globe size={20} aria-hidden />}
                  title="No domains yet"
                  action={
                    <Button size="sm" onClick={() => void openDomainForm()}>
                      Add Domain
                    </Button>
                  }
                />
              </TableSpan>
            ) : null}
          </TableBody>
        </Table>
      </Card>
    </Page>
  );
}

function DomainRow({ domain, actions }: { domain: Domain; actions: readonly MenuAction[] }) {
  const [expanded, setExpanded] = useState(false);
  return (
    <>
      <TableRow>
        <Cell primary>
          <span className="inline-flex items-center gap-1">
            <ExpandButton
              label={`Services of ${domain.domain}`}
              expanded={expanded}
              onToggle={() => setExpanded(!expanded)}
            />
            <OutsideLink to={`https://${domain.domain}/`} className="link-plain">
              {domain.domain}
            </OutsideLink>
          </span>
          {domain.problem ? <p className="text-xs text-danger-ink">{domain.problem}</p> : null}
        </Cell>
        <Cell label="SSL Certs">{sslName[domain.ssl]}</Cell>
        <Cell label="Created At">{formatDate(domain.created_at)}</Cell>
        <Cell actions>
          <RowMenu label={`Actions of ${domain.domain}`} items={actions} />
        </Cell>
      </TableRow>
      {expanded ? (
        <TableSpan columns={COLUMNS}>
          <div className="bg-sunken p-3">
            <HttpServicesCard domain={domain.domain} />
          </div>
        </TableSpan>
      ) : null}
    </>
  );
}
