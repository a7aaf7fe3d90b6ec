import { formatDate, formatRelative } from '@sallyport/sdk';
import { type DnsState, type Domain, dnsStateLabels } from '@sallyport/sdk/contract';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { ChevronRight, Globe, Plus } from 'lucide-react';
import { DaysLeft } from '../../data/DaysLeft.tsx';
import { sslName } from '../../data/domainNames.ts';
import { OutsideLink } from '../../data/links.tsx';
import { useRead } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { useNow, useTitle } from '../../state/browser.ts';
import { useListView } from '../../state/listView.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Badge, type BadgeTone } from '../../ui/layout/Badge.tsx';
import { classes } from '../../ui/layout/classes.ts';
import { Notes } from '../../ui/layout/Tags.tsx';
import { Page, PageHeader } from '../../ui/layout/Page.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';
import { ServicesCard } from '../services/ServicesCard.tsx';
import { domainsList, idsOf, openOf, withoutServices } from './domainsSearch.ts';
import { useDomainActions, useDomainDialogs } from './useDomainActions.tsx';

/** How soon a domain whose certificate is on its way, that is being repaired or looked up, shows it. */
const UNSETTLED_MS = 4000;
const isUnsettled = ({ problem, pending, dnsState }: Domain) =>
  problem !== null || pending !== null || dnsState === null;

/** How often ages and what is left of a certificate are told again. */
const AGE_TICK_MS = 30_000;

/** The list of domains; each row unfolds to the services behind it. How it is looked at is in the address. */
export function DomainsPage() {
  useTitle('Domain Names');
  const search = useSearch({ from: '/shell/domains' });
  const navigate = useNavigate({ from: '/domains' });
  const view = useListView(domainsList);
  const page = useRead(
    'domain.list',
    { query: view.query },
    {
      keep: true,
      everyMs: (last) => (last?.data.some(isUnsettled) ? UNSETTLED_MS : false),
    },
  );
  const { openDns, openForm } = useDomainDialogs();
  const open = idsOf(search.open);
  const toggle = (id: number) => {
    const next = open.includes(id) ? open.filter((other) => other !== id) : [...open, id];
    void navigate({
      search: ({ open: _before, ...kept }) => ({ ...withoutServices(kept, next), ...openOf(next) }),
      replace: true,
      resetScroll: false,
    });
  };
  const columns: readonly TableColumn<Domain, (typeof domainsList.columns)[number]>[] = [
    {
      heading: 'Domain',
      sort: 'domain',
      as: 'name',
      cell: (domain) => (
        <DomainName domain={domain} expanded={open.includes(domain.id)} onToggle={() => toggle(domain.id)} />
      ),
    },
    { heading: 'SSL Certs', sort: 'ssl', cell: (domain) => <DomainCertificate domain={domain} /> },
    { heading: 'DNS', cell: (domain) => <DomainDnsState domain={domain} onOpen={() => void openDns(domain)} /> },
    {
      heading: 'Created At',
      sort: 'created_at',
      as: 'wide',
      cell: ({ created_at: at }) => <RelativeTime at={at}>{formatDate(at)}</RelativeTime>,
    },
  ];
  return (
    <Page>
      <PageHeader
        title="Domain Names"
        actions={
          <Button
            variant="info"
            icon={<Plus size={16} aria-hidden />}
            aria-keyshortcuts="c"
            onClick={() => void openForm()}
          >
            Add Domain
          </Button>
        }
      />
      <QueryTable
        title="Domains"
        what="domains"
        page={page}
        view={view}
        columns={columns}
        nameOf={({ domain }) => domain}
        tagsClass="pl-4.5"
        actions={useDomainActions({ openDns, openForm })}
        detailsOf={(domain) =>
          open.includes(domain.id) ? (
            <div className="flex flex-col gap-2 bg-sunken py-3 sm:pl-6">
              {domain.notes ? (
                <div className="px-4">
                  <Notes>{domain.notes}</Notes>
                </div>
              ) : null}
              <ServicesCard type="http" domain={domain} />
              <ServicesCard type="tcp" domain={domain} />
            </div>
          ) : null
        }
        empty={{
          icon: <Globe size={20} aria-hidden />,
          title: 'No domains yet',
          description: 'A domain is a name by which visitors reach services, with a certificate from the start.',
          action: (
            <Button size="sm" onClick={() => void openForm()}>
              Add Domain
            </Button>
          ),
        }}
      />
    </Page>
  );
}

type DomainNameProps = { domain: Domain; expanded: boolean; onToggle: () => void };

/** Where a domain is reached, with the button that unfolds its services, and what is wrong with it. */
function DomainName({ domain: { domain, publicAccess, problem, pending }, expanded, onToggle }: DomainNameProps) {
  return (
    <>
      <span className="flex items-center">
        <button
          type="button"
          aria-expanded={expanded}
          aria-label={`Services of ${domain}`}
          onClick={onToggle}
          className="-my-0.5 -ml-1.5 inline-flex size-6 items-center justify-center rounded-xs text-muted hover:bg-hover hover:text-ink"
        >
          <ChevronRight size={16} aria-hidden className={classes('transition-transform', expanded && 'rotate-90')} />
        </button>
        <OutsideLink to={publicAccess ?? `https://${domain}/`} className="link-plain">
          {domain}
        </OutsideLink>
      </span>
      {problem ? <p className="pl-4.5 text-xs text-danger-ink">{problem}</p> : null}
      {pending ? <p className="pl-4.5 text-xs text-muted">{pending}</p> : null}
    </>
  );
}

/** Where a domain's certificate comes from, and whether it is on its way or how long it lasts. */
function DomainCertificate({
  domain: { ssl, pending, certificateEndsAt },
}: {
  domain: Pick<Domain, 'ssl' | 'pending' | 'certificateEndsAt'>;
}) {
  const now = useNow(AGE_TICK_MS);
  return (
    <>
      {sslName[ssl]}
      {certificateEndsAt === null ? null : (
        <>
          {', '}
          <RelativeTime at={certificateEndsAt}>
            <DaysLeft until={certificateEndsAt} now={now} />
          </RelativeTime>
        </>
      )}
      {pending === null ? null : <span className="block text-xs text-muted">On its way</span>}
    </>
  );
}

/** How much each state matters. What is not known is no fault. */
const dnsTones: Record<DnsState, BadgeTone> = {
  here: 'success',
  partly: 'warning',
  inside: 'warning',
  elsewhere: 'warning',
  'not-found': 'danger',
  'no-answer': 'neutral',
  'unknown-address': 'neutral',
};

/** Where the name led when it was looked up last; more of it is a press away. */
function DomainDnsState({
  domain: { domain, dnsState, dnsCheckedAt },
  onOpen,
}: {
  domain: Domain;
  onOpen: () => void;
}) {
  const now = useNow(AGE_TICK_MS);
  return (
    <>
      <button type="button" onClick={onOpen} className="rounded-xs hover:underline">
        <span className="sr-only">DNS of {domain}: </span>
        {dnsState === null ? (
          <Badge>Not checked yet</Badge>
        ) : (
          <Badge tone={dnsTones[dnsState]}>{dnsStateLabels[dnsState]}</Badge>
        )}
      </button>
      {dnsCheckedAt === null ? null : (
        <span className="block text-xs text-muted">
          Checked <RelativeTime at={dnsCheckedAt}>{formatRelative(dnsCheckedAt, now)}</RelativeTime>
        </span>
      )}
    </>
  );
}
