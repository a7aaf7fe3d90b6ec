import { Link, useParams } from '@tanstack/react-router';
import { Breadcrumb } from '../../ui/layout/Breadcrumb.tsx';
import { OutsideLink } from '../../ui/controls/OutsideLink.tsx';
import { useDomainNamed } from '../../data/useDomainNamed.ts';
import { LogMissing } from './LogMissing.tsx';
import { LogScreen } from './LogScreen.tsx';

/** The log of one domain, of all services that are reached by it. */
export function DomainLogsPage() {
  const { domain } = useParams({ from: '/shell/domains/$domain/logs' });
  const breadcrumb = (
    <Breadcrumb>
      <Link to="/domains">Domains</Link>
      {domain}
      Real Time Logs
    </Breadcrumb>
  );
  const back = <Link to="/domains">Back to Domain Names</Link>;
  return (
    <LogScreen
      key={domain}
      subject={domain}
      query={{ domain }}
      breadcrumb={breadcrumb}
      hint={<DomainHint domain={domain} />}
      missing={<LogMissing breadcrumb={breadcrumb} title={`There is no domain ${domain}`} back={back} />}
      back={back}
    />
  );
}

/** How to bring about a line of this domain's log. */
function DomainHint({ domain }: { domain: string }) {
  const address = useDomainNamed(domain).domain?.publicAccess ?? `https://${domain}/`;
  return (
    <>
      Open a page of{' '}
      <OutsideLink to={address} className="link">
        {domain}
      </OutsideLink>{' '}
      in another tab: each request to one of its services becomes a line here within a second.
    </>
  );
}
