import { Link, useParams } from '@tanstack/react-router';
import { Breadcrumb } from '../../ui/Breadcrumb.tsx';
import { LogScreen } from './LogScreen.tsx';

/** The log of one domain, of all services that are reached by it. */
export function DomainLogsPage() {
  const { domain } = useParams({ from: '/shell/domains/$domain/logs' });
  return (
    <LogScreen
      subject={domain}
      query={{ domain }}
      breadcrumb={
        <Breadcrumb>
          <Link to="/domains">Domains</Link>
          {domain}
          Real Time Logs
        </Breadcrumb>
      }
    />
  );
}
