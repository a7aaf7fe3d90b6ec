import { formatBytes } from '@sallyport/sdk';
import type { Node } from '@sallyport/sdk/contract';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ChevronDown, Download } from 'lucide-react';
import { useEffect } from 'react';
import { useUnavailable } from '../../data/gateway.ts';
import { LiveStopped } from '../../data/LiveStopped.tsx';
import { isSilent, signOf } from '../../data/nodeSign.ts';
import { useNow, useTitle } from '../../state/browser.ts';
import { noteVisit } from '../../state/visits.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Command } from '../../ui/controls/Command.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Badge, StatusDot } from '../../ui/layout/Badge.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';
import { MissingPage } from '../../ui/layout/MissingPage.tsx';
import { Breadcrumb, Page, PageHeader } from '../../ui/layout/Page.tsx';
import { Notes, Tags } from '../../ui/layout/Tags.tsx';
import { lazyPart, PartFailed } from '../../ui/overlays/lazyPart.tsx';
import { Menu } from '../../ui/overlays/Menu.tsx';
import { ServicesCard } from '../services/ServicesCard.tsx';
import { useConfiguration } from './configuration.ts';
import { JoinLine, NowhereAlert, TunnelOffAlert, useWays } from './joining.tsx';
import { Handshake, SILENT, useLiveNode } from './nodeState.tsx';
import { useNodeActions } from './useNodeActions.tsx';

/** How often relative times are told again. */
const TICK_MS = 10_000;

// The services are there before it.
const TokensCard = lazyPart(
  async () => (await import('../tokens/TokensCard.tsx')).TokensCard,
  ({ retry }) => <PartFailed what="The list of access tokens" onRetry={retry} />,
);

/** One node: what it is, how its tunnel does, and what it exposes. */
export function NodePage() {
  const { id } = useParams({ from: '/shell/nodes/$id' });
  const navigate = useNavigate();
  const actions = useNodeActions(() => void navigate({ to: '/nodes' }));
  const { node, gone: wasDeleted, stream, resume } = useLiveNode(Number(id));
  // Anyone who deletes it here is led to the list.
  const gone = wasDeleted && !actions.isDeleting;
  const now = useNow(TICK_MS);
  useTitle(gone ? `${node?.name ?? 'Node'} was deleted` : (node?.name ?? 'Node'));
  const name = gone ? undefined : node?.name;
  useEffect(() => {
    if (name !== undefined) noteVisit({ kind: 'node', id: Number(id), name });
  }, [id, name]);
  if (!node) return null;
  if (gone) {
    return (
      <MissingPage
        breadcrumb={wayTo(node.name)}
        title={`${node.name} was deleted`}
        description="Someone deleted this node while the page was open. Its services and access tokens went with it."
        back={back}
      />
    );
  }
  const items = actions.page(node);
  return (
    <Page>
      <PageHeader
        breadcrumb={wayTo(node.name)}
        title={node.name}
        description={<NodeAddresses node={node} />}
        badges={
          <>
            {node.isGateway ? <Badge tone="accent">Gateway</Badge> : null}
            {node.isLocal ? <Badge>This gateway</Badge> : <StatusDot status={signOf(node)} />}
            <LiveStopped stream={stream} resume={resume} />
          </>
        }
        actions={
          items.length > 0 ? (
            <Menu label={`Actions of ${node.name}`} items={items}>
              <Button size="sm" aria-label={`Actions of ${node.name}`}>
                Actions
                <ChevronDown size={14} aria-hidden />
              </Button>
            </Menu>
          ) : null
        }
      />
      {node.problem ? <Alert type="error">{node.problem}</Alert> : <NodeOffline node={node} now={now} />}
      {/* What stands below a list whose rows are on their way would move when they come. */}
      <div key={node.id} className="contents [&>:has(tr[aria-hidden])~*]:invisible">
        <ServicesCard type="http" node={node} />
        <ServicesCard type="tcp" node={node} />
        <NodeNotes node={node} />
        {node.isLocal ? null : (
          <>
            <TunnelFacts node={node} now={now} />
            <TokensCard node={node} />
          </>
        )}
      </div>
    </Page>
  );
}

const wayTo = (name: string | undefined) => (
  <Breadcrumb>
    <Link to="/nodes">Client / Nodes</Link>
    {name}
  </Breadcrumb>
);
const back = <Link to="/nodes">Back to Client / Nodes</Link>;

/** Where the node is within the VPN, under its name. */
function NodeAddresses({ node }: { node: Node }) {
  const subnets = node.gatewayNetworks?.map(({ subnet }) => subnet).join(', ') ?? node.gatewayNetwork;
  return (
    <Facts
      layout="line"
      items={[
        { label: 'IP address', value: node.address, mono: true },
        ...(node.isGateway ? [{ label: 'Subnet', value: subnets || '-', mono: Boolean(subnets) }] : []),
      ]}
    />
  );
}

/** What was noted about the node; a tag leads to the nodes that have it as well. */
function NodeNotes({ node: { name, tags, notes } }: { node: Node }) {
  const navigate = useNavigate();
  if (tags.length === 0 && !notes) return null;
  return (
    <Card title="Tags and notes">
      {notes ? <Notes>{notes}</Notes> : null}
      <Tags label={`Tags of ${name}`} tags={tags} onPick={(tag) => void navigate({ to: '/nodes', search: { tag } })} />
    </Card>
  );
}

function TunnelFacts({ node, now }: { node: Node; now: Date }) {
  return (
    <Card>
      <Facts
        layout="six"
        items={[
          { label: 'Client IP', value: node.clientIp ?? '-', mono: Boolean(node.clientIp) },
          { label: 'Latest Handshake', value: <Handshake node={node} now={now} /> },
          { label: 'Transmitted', value: formatBytes(node.transferTx) },
          { label: 'Received', value: formatBytes(node.transferRx) },
          {
            label: 'Send all internet traffic through the VPN',
            value: node.allowInternet ? 'Yes' : 'No',
            wide: true,
          },
        ]}
      />
    </Card>
  );
}

/** Says on a node's page why it is offline, and what to do about it; nothing while there is nothing to say. */
function NodeOffline({ node, now }: { node: Node; now: Date }) {
  const tunnelOff = useUnavailable('tunnel');
  const ways = useWays(node);
  const configuration = useConfiguration();
  if (node.isLocal || !node.enabled || node.status !== 'offline') return null;
  if (tunnelOff) return <TunnelOffAlert />;
  if (isSilent(node)) {
    return (
      <Alert type="warning" title={SILENT}>
        Last heard <Handshake node={node} now={now} />. Look whether it is up, and whether it still reaches this
        gateway: then the tunnel comes back by itself.
      </Alert>
    );
  }
  if (ways === undefined) return null;
  return (
    <div className="flex flex-col gap-3">
      <NowhereAlert ways={ways} />
      {ways.command !== null || ways.configuration ? (
        <Alert title="Not joined yet">
          {ways.command === null ? null : (
            <>
              <p className="mb-2">
                Run this on the node's host, and give it an access token of this node when it asks.
              </p>
              <Command raised label="Join command" text={ways.command} />
            </>
          )}
          {ways.line ? (
            <div className="mt-2">
              <JoinLine node={node} raised />
            </div>
          ) : null}
          {ways.configuration ? (
            <p className="mt-2 flex flex-wrap items-center gap-x-2.5 gap-y-1.5">
              With WireGuard only (a phone, for instance), use
              <Button
                size="sm"
                icon={<Download size={14} aria-hidden />}
                disabled={configuration.busy}
                onClick={() => void configuration.save(node.id)}
              >
                Download Config
              </Button>
            </p>
          ) : null}
        </Alert>
      ) : null}
    </div>
  );
}

/** Says which node does not exist, with the way back to those that do. */
export function NodeMissing() {
  const { id } = useParams({ strict: false });
  const title = `There is no node ${id}`;
  useTitle(title);
  return <MissingPage breadcrumb={wayTo(id)} title={title} back={back} />;
}
