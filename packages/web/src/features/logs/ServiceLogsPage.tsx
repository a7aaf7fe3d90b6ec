import type { ServiceType } from '@sallyport/sdk/contract';
import { Link, useParams } from '@tanstack/react-router';
import { useRead } from '../../data/read.ts';
import { Breadcrumb } from '../../ui/Breadcrumb.tsx';
import { LogScreen } from './LogScreen.tsx';

/** The log of one service. */
export function ServiceLogsPage() {
  const params = useParams({ from: '/shell/nodes/$nodeId/$type/$id/logs' });
  const type: ServiceType = params.type === 'tcp' ? 'tcp' : 'http';
  const [nodeId, id] = [Number(params.nodeId), Number(params.id)];
  const http = useRead('httpService.get', { params: { nodeId, id } }, { enabled: type === 'http' });
  const tcp = useRead('tcpService.get', { params: { nodeId, id } }, { enabled: type === 'tcp' });
  const service = type === 'http' ? http.data : tcp.data;
  return (
    <LogScreen
      subject={service?.name ?? `${type.toUpperCase()} service ${id}`}
      query={{ type, id }}
      breadcrumb={
        <Breadcrumb>
          <Link to="/nodes">Nodes</Link>
          <Link to="/nodes/$id" params={{ id: params.nodeId }}>
            {type.toUpperCase()} Services
          </Link>
          Real Time Logs
        </Breadcrumb>
      }
    />
  );
}
