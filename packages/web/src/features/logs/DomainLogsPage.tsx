import { Link, useParams } from '@tanstack/react-router';
import { Breadcrumb } from '../../ui/Breadcrumb.tsx';
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
      hint={`Open a page of ${domain} in another tab: each request to one of its services becomes a line here within a second.`}
      missing={<LogMissing breadcrumb={breadcrumb} title={`There is no domain ${domain}`} back={back} />}
      back={back}
    />
  );
}
