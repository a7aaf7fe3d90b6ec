import { isApiError } from '@sallyport/sdk';
import type { HttpService, ServiceType, TcpService } from '@sallyport/sdk/contract';
import { Link, useParams } from '@tanstack/react-router';
import { type ReactElement, type ReactNode, useEffect } from 'react';
import { useDomainNamed } from '../../data/domainNames.ts';
import { OutsideLink } from '../../data/links.tsx';
import { useRead } from '../../data/queries.ts';
import { useTitle } from '../../state/browser.ts';
import { noteVisit } from '../../state/visits.ts';
import { MissingPage } from '../../ui/layout/MissingPage.tsx';
import { Breadcrumb } from '../../ui/layout/Page.tsx';
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
      among={{ domain }}
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
    <LogMissing
      breadcrumb={breadcrumb}
      title={`There is no ${kind} ${id} of node ${nodeId}`}
      back={<Link to="/nodes">Back to Client / Nodes</Link>}
    />
  );
  const name = service?.name;
  useEffect(() => {
    if (name !== undefined) noteVisit({ kind: type, id, nodeId, name });
  }, [type, id, nodeId, name]);
  // The log is found by the service alone, the page by its node too. One that is deleted meanwhile was there.
  if (!service && isApiError(error, 'missing')) return missing;
  return (
    <LogScreen
      key={`${type}/${id}`}
      subject={service?.name ?? `${kind} ${id}`}
      address={service?.publicAccess}
      query={{ type, id }}
      among={{ nodeId }}
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
    return 'Public access to this service is disabled, so visitors cannot reach it. Enable it at its node.';
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

type LogMissingProps = {
  breadcrumb: ReactNode;
  /** "There is no domain app.example.test". */
  title: string;
  /** A link to what there is, without clothes. */
  back: ReactElement;
};

/** Says whose log cannot be shown because it does not exist. */
function LogMissing(props: LogMissingProps) {
  useTitle(props.title);
  return <MissingPage {...props} />;
}
