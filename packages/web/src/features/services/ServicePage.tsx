import type { Domain, Node, ServiceType } from '@sallyport/sdk/contract';
import { useIsMutating } from '@tanstack/react-query';
import { Link, useCanGoBack, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { Ellipsis, ArrowUpRight, Eye, PenLine, ScrollText } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { useDomainNamed } from '../../data/domainNames.ts';
import { LiveStopped } from '../../data/LiveStopped.tsx';
import { OutsideLink } from '../../data/links.tsx';
import { useTitle } from '../../state/browser.ts';
import { noteVisit } from '../../state/visits.ts';
import { Button, buttonClass, linkButton } from '../../ui/controls/Button.tsx';
import { CopyButton } from '../../ui/controls/CopyButton.tsx';
import { IconButton } from '../../ui/controls/IconButton.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { MissingPage } from '../../ui/layout/MissingPage.tsx';
import { Breadcrumb, Page, PageHeader } from '../../ui/layout/Page.tsx';
import { Menu } from '../../ui/overlays/Menu.tsx';
import type { MenuAction } from '../../ui/overlays/MenuPopup.tsx';
import { RecentLines, useRecentLines } from '../logs/RecentLines.tsx';
import { useLiveNodeOf, useLiveService } from './liveService.ts';
import { AccessCard, DomainCard, LimitsCard, NotesCard } from './ServiceCards.tsx';
import { ServiceSettings } from './ServiceSettings.tsx';
import { ServicePath } from './ServicePath.tsx';
import { useClosing } from './serviceDetails.tsx';
import { type Service, serviceKinds, serviceTrouble } from './services.ts';
import { isFaulty, StatusReason, StatusWord } from './ServiceStatus.tsx';
import { useEditService, useServiceActions } from './useServiceActions.tsx';

/** One service: how it is, the way that visitors take, who may come in, its settings and the last lines of its log. */
export function ServicePage() {
  const { nodeId, type, id } = useParams({ from: '/shell/nodes/$nodeId/$type/$id' });
  return <ServiceOf key={type + id} type={type === 'tcp' ? 'tcp' : 'http'} nodeId={Number(nodeId)} id={Number(id)} />;
}

function ServiceOf({ type, nodeId, id }: { type: ServiceType; nodeId: number; id: number }) {
  const { service, gone, stream, resume } = useLiveService(type, nodeId, id);
  const node = useLiveNodeOf(nodeId);
  // Together with the others, so that all of them begin over one connection.
  const log = useRecentLines({ type, id });
  // Its name is asked for a moment after the service is there, which is what one waits for.
  const { domain } = useDomainNamed(service?.domain ?? '');
  const [left, setLeft] = useState(false);
  const isRemoving = useIsMutating({ mutationKey: [`${serviceKinds[type].group}.remove`] }) > 0;
  const leave = useWayBack();
  // Anyone who deletes it here is led back at once.
  const isGone = gone && !isRemoving && !left;
  const name = service?.name;
  const words = `${type.toUpperCase()} service`;
  const title = isGone
    ? name === undefined
      ? `There is no ${words} ${id} of node ${nodeId}`
      : `${name} was deleted`
    : (name ?? 'Service');
  useTitle(title);
  useEffect(() => {
    if (name !== undefined && !gone) noteVisit({ kind: type, id, nodeId, name });
  }, [type, id, nodeId, name, gone]);
  if (isGone) {
    return (
      <MissingPage
        breadcrumb={wayTo(nodeId, node, name ?? `${words} ${id}`)}
        title={title}
        description={
          name === undefined ? undefined : 'It was deleted while the page was open. Visitors reach it no longer.'
        }
        back={<Link to="/nodes">Back to Client / Nodes</Link>}
        further={<Link to="/services">All Services</Link>}
      />
    );
  }
  if (!service) return null;
  const onDeleted = () => {
    setLeft(true);
    leave();
  };
  return (
    <Content service={service} type={type} node={node} domain={domain} log={log} onDeleted={onDeleted}>
      <LiveStopped stream={stream} resume={resume} />
    </Content>
  );
}

/** Leads back to where one came from, or else to the list of all services. */
function useWayBack(): () => void {
  const { history } = useRouter();
  const canGoBack = useCanGoBack();
  const navigate = useNavigate();
  return () => {
    if (canGoBack) history.back();
    else void navigate({ to: '/services', replace: true });
  };
}

const wayTo = (nodeId: number, node: Node | undefined, name: string) => (
  <Breadcrumb>
    <Link to="/nodes">Client / Nodes</Link>
    <Link to="/nodes/$id" params={{ id: String(nodeId) }}>
      <bdi>{node?.name ?? `Node ${nodeId}`}</bdi>
    </Link>
    <bdi>{name}</bdi>
  </Breadcrumb>
);

/** These entries of the row's menu are elsewhere on the page. */
const ELSEWHERE = ['Logs Monitor', 'Edit Service', 'Go to node'];

type ContentProps = {
  service: Service;
  type: ServiceType;
  node: Node | undefined;
  domain: Domain | null;
  log: ReturnType<typeof useRecentLines>;
  onDeleted: () => void;
  /** What is said next to the title besides. */
  children: ReactNode;
};

function Content({ service, type, node, domain, log, onDeleted, children }: ContentProps) {
  const { id, nodeId, name, publicAccess, enabled } = service;
  const items = useServiceActions(type, node ?? null, true, onDeleted)(service);
  const action = (label: string): MenuAction | undefined => items.find((item) => item.label === label);
  const editService = useEditService(node ?? null);
  const edit = (field?: string) => void editService(service, field);
  const enable = action('Enable Access')?.onSelect;
  const editOf = (what: string, field?: string) => (
    <Button size="sm" aria-label={`Edit ${what} of ${name}`} onClick={() => edit(field)}>
      Edit
    </Button>
  );
  const logs = (content: ReactNode, keys?: string) => (
    <Link
      to="/nodes/$nodeId/$type/$id/logs"
      params={{ nodeId: String(nodeId), type, id: String(id) }}
      aria-keyshortcuts={keys}
    >
      {content}
    </Link>
  );
  // With a domain the column at the right is as long as the other without them.
  const notes = <NotesCard service={service} />;
  return (
    <Page>
      <PageHeader
        breadcrumb={wayTo(nodeId, node, name)}
        title={<bdi>{name}</bdi>}
        badges={
          <>
            <StatusWord service={service} />
            {'builtin' in service && service.builtin ? <Badge>Built in</Badge> : null}
            {children}
          </>
        }
        description={
          <span className={isFaulty(service) ? 'text-danger-ink' : undefined}>
            <WholeReason service={service} />
          </span>
        }
        actions={
          <>
            {enable ? (
              <Button variant="info" icon={<Eye size={16} aria-hidden />} onClick={enable}>
                Enable Access
              </Button>
            ) : null}
            {type === 'http' && enabled ? (
              <OutsideLink
                to={publicAccess}
                className={buttonClass({ variant: isFaulty(service) ? 'default' : 'info' })}
              >
                <ArrowUpRight size={16} aria-hidden />
                Open
              </OutsideLink>
            ) : null}
            {linkButton(
              logs(
                <>
                  <ScrollText size={16} aria-hidden />
                  Logs
                </>,
                'l',
              ),
              {},
            )}
            <Button aria-keyshortcuts="e" icon={<PenLine size={16} aria-hidden />} onClick={() => edit()}>
              Edit
            </Button>
            <CopyButton text={publicAccess} label={`Copy the address of ${name}`} size="default" shortcut="y" />
            <Menu
              label={`Actions of ${name}`}
              items={items.filter(({ label }) => !ELSEWHERE.includes(label) && !(enable && label === 'Enable Access'))}
            >
              <IconButton label={`Actions of ${name}`} icon={<Ellipsis size={18} aria-hidden />} />
            </Menu>
          </>
        }
      />
      <ServicePath service={service} node={node} onEdit={edit} />
      <div className="grid gap-4 lg:grid-cols-3">
        <div className="flex min-w-0 flex-col gap-4 lg:col-span-2 [&>:first-child]:flex-1">
          <RecentLines
            subject={name}
            log={log}
            hint={
              type === 'http'
                ? 'No lines yet. Each request of a visitor becomes a line here.'
                : 'No lines yet. A line comes when a connection ends.'
            }
            more={linkButton(logs('All Lines'), { size: 'sm' })}
          />
          <ServiceSettings service={service} node={node} actions={editOf('the settings')} />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <AccessCard service={service} domain={domain} actions={editOf('the access', 'allowedIps')} />
          <LimitsCard service={service} actions={editOf('the limits', 'ttl')} />
          {domain ? <DomainCard service={service} domain={domain} /> : null}
          {domain ? null : notes}
        </div>
      </div>
      {domain ? notes : null}
    </Page>
  );
}

/** Why it is as it is, as a sentence by itself. */
function WholeReason({ service }: { service: Service }) {
  const closing = useClosing(service);
  return closing ?? serviceTrouble(service) ?? <StatusReason service={service} />;
}
