import { formatDate, formatRelative } from '@sallyport/sdk';
import { type Domain, dnsStateLabels } from '@sallyport/sdk/contract';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DaysLeft } from '../../data/DaysLeft.tsx';
import { sslName } from '../../data/domainNames.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { useNow } from '../../state/browser.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { type Fact, Facts } from '../../ui/layout/Facts.tsx';
import { Notes, Tags } from '../../ui/layout/Tags.tsx';
import { ClosingTime, useClosing } from './serviceDetails.tsx';
import type { Service } from './services.ts';
import { accessInWords } from './ServiceStatus.tsx';

/** How often times are told again. */
const TICK_MS = 60_000;

/** So many addresses are written out; a list may have thousands. */
const WRITTEN = 10;

const listed = (label: string, values: readonly string[] | null | undefined, none: string): Fact => {
  if (!values?.length) return { label, value: none };
  const more = values.length - WRITTEN;
  const written = values.slice(0, WRITTEN).join(', ');
  return { label, value: more > 0 ? `${written} and ${more} more` : written, mono: true };
};

type CardProps = { service: Service; actions: ReactNode };

/** Who may come in. `domain`: where visitors sign in, as far as it is known. */
export function AccessCard({ service, domain, actions }: CardProps & { domain: Domain | null }) {
  const signIn: Fact[] =
    'requireAuth' in service && service.requireAuth
      ? [
          listed('Allowed e-mails', domain?.allowedEmails, domain ? 'All who can sign in' : '–'),
          ...(service.skipAuthRoutes
            ? [
                {
                  label: 'Paths to bypass authentication',
                  value: <span className="whitespace-pre-line">{service.skipAuthRoutes}</span>,
                  mono: true,
                },
              ]
            : []),
        ]
      : [];
  return (
    <Card title="Access" actions={actions}>
      <Facts
        items={[
          { label: 'Who may come in', value: accessInWords(service) },
          ...('requireAuth' in service
            ? [{ label: 'Require Authentication', value: service.requireAuth ? 'Yes' : 'No' }]
            : []),
          ...signIn,
          listed('Allowed IPs', service.allowedIps, 'Everyone'),
          listed('Blocked IPs', service.blockedIps, 'None'),
        ]}
      />
    </Card>
  );
}

/** How long it stays open. */
export function LimitsCard({ service, actions }: CardProps) {
  const closing = useClosing(service);
  const { expiresAt } = service;
  return (
    <Card title="Limits" actions={actions}>
      <Facts
        items={[
          {
            label: 'Time to Live',
            value: closing ?? (expiresAt ? <>Closes {<ClosingTime expiresAt={expiresAt} />}</> : 'No limit'),
          },
        ]}
      />
    </Card>
  );
}

/** The name that it is reached by: where that leads, and the certificate that visitors are shown. */
export function DomainCard({ service, domain }: { service: Service; domain: Domain }) {
  const now = useNow(TICK_MS);
  const { id, domain: name, dnsState, dnsCheckedAt, ssl, certificateEndsAt, pending, problem } = domain;
  const hasCertificate = !('proto' in service) || service.ssl;
  const facts: Fact[] = [
    {
      label: 'Name',
      value: (
        <Link to="/domains" search={{ search: name, open: id }} className="link wrap-anywhere">
          {name}
        </Link>
      ),
    },
    {
      label: 'DNS',
      value: dnsState ? (
        <>
          {dnsStateLabels[dnsState]}
          {dnsCheckedAt ? (
            <span className="block text-xs text-muted">
              Checked <RelativeTime at={dnsCheckedAt}>{formatRelative(dnsCheckedAt, now)}</RelativeTime>
            </span>
          ) : null}
        </>
      ) : (
        'Not checked yet'
      ),
    },
  ];
  if (hasCertificate) {
    facts.push({
      label: 'Certificate',
      value: (
        <>
          {sslName[ssl]}
          {certificateEndsAt ? (
            <span className="block text-xs text-muted">
              Ends <RelativeTime at={certificateEndsAt}>{formatDate(certificateEndsAt)}</RelativeTime>,{' '}
              <DaysLeft until={certificateEndsAt} now={now} />
            </span>
          ) : null}
        </>
      ),
    });
  }
  return (
    <Card title="Domain">
      <Facts items={facts} />
      {problem ? <p className="mt-3 text-sm wrap-anywhere text-danger-ink">{problem}</p> : null}
      {pending ? <p className="mt-3 text-sm wrap-anywhere text-muted">{pending}</p> : null}
    </Card>
  );
}

/** What was noted about it; a tag leads to the services that have it as well. Nothing where there is nothing. */
export function NotesCard({ service: { name, tags, notes } }: { service: Service }) {
  const navigate = useNavigate();
  if (tags.length === 0 && !notes) return null;
  return (
    <Card title="Tags and notes">
      {notes ? <Notes>{notes}</Notes> : null}
      <Tags
        label={`Tags of ${name}`}
        tags={tags}
        onPick={(tag) => void navigate({ to: '/services', search: { tag } })}
      />
    </Card>
  );
}
