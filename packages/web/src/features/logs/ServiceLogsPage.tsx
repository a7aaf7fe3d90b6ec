import { isApiError } from '@sallyport/sdk';
import type { HttpService, ServiceType, TcpService } from '@sallyport/sdk/contract';
import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../data/read.ts';
import { Breadcrumb } from '../../ui/layout/Breadcrumb.tsx';
import { OutsideLink } from '../../ui/controls/OutsideLink.tsx';
import { LogMissing } from './LogMissing.tsx';
import { LogScreen } from './LogScreen.tsx';

/** The log of one service. */
export function ServiceLogsPage() {
  const params = useParams({ from: '/shell/nodes/$nodeId/$type/$id/logs' });
  const type: ServiceType = params.type === 'tcp' ? 'tcp' : 'http';
  const [nodeId, id] = [Number(params.nodeId), Number(params.id)];
  const http = useRead('httpService.get', { params: { nodeId, id } }, { enabled: type === 'http' });
  const tcp = useRead('tcpService.get', { params: { nodeId, id } }, { enabled: type === 'tcp' });
  const { data: service, error } = type === 'http' ? http : tcp;
  const kind = `${type.toUpperCase()} service`;
  const breadcrumb = (
    <Breadcrumb>
      <Link to="/nodes">Nodes</Link>
      <Link to="/nodes/$id" params={{ id: params.nodeId }}>
        {type.toUpperCase()} Services
      </Link>
      Real Time Logs
    </Breadcrumb>
  );
  const back = (
    <Link to="/nodes/$id" params={{ id: params.nodeId }}>
      Back to the node
    </Link>
  );
  const missing = (
    <LogMissing breadcrumb={breadcrumb} title={`There is no ${kind} ${id} of node ${nodeId}`} back={back} />
  );
  // The log is found by the service alone, the page by its node too. One that is deleted meanwhile was there.
  if (!service && isApiError(error, 'missing')) return missing;
  return (
    <LogScreen
      key={`${type}/${id}`}
      subject={service?.name ?? `${kind} ${id}`}
      query={{ type, id }}
      breadcrumb={breadcrumb}
      hint={service ? <ServiceHint service={service} /> : null}
      missing={missing}
      back={back}
    />
  );
}

/** How to bring about a line of this service's log. */
function ServiceHint({ service }: { service: HttpService | TcpService }) {
  if (!service.enabled)
    return 'Public access to this service is disabled, so nobody reaches it. Enable it at its node.';
  return 'proto' in service ? (
    <>Connect to {service.publicAccess}: a line comes when the connection ends.</>
  ) : (
    <>
      Open{' '}
      <OutsideLink to={service.publicAccess} className="link">
        {service.publicAccess}
      </OutsideLink>{' '}
      in another tab: each request becomes a line here within a second.
    </>
  );
}
