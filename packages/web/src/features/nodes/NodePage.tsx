import { formatBytes } from '@sallyport/sdk';
import type { Node } from '@sallyport/sdk/contract';
import { Link, useParams } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useNow } from '../../state/useNow.ts';
import { useTitle } from '../../state/useTitle.ts';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { Breadcrumb, MissingPage, Page, PageHeader } from '../../ui/layout/Page.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Facts } from '../../ui/layout/Facts.tsx';
import { Menu } from '../../ui/overlays/Menu.tsx';
import { StatusDot } from '../../ui/layout/StatusDot.tsx';
import { ServicesCard } from '../services/ServicesCard.tsx';
import { TokensCard } from '../tokens/TokensCard.tsx';
import { Handshake } from './NodeState.tsx';
import { NodeOffline } from './NodeOffline.tsx';
import { useLiveNode } from './useLiveNodes.ts';
import { useNodeActions } from './useNodeActions.tsx';

/** How often relative times are told again. */
const TICK_MS = 10_000;

/** One node: what it is, how its tunnel does, and what it exposes. */
export function NodePage() {
  const { id } = useParams({ from: '/shell/nodes/$id' });
  const { node, gone, stream, resume } = useLiveNode(Number(id));
  const actions = useNodeActions();
  const now = useNow(TICK_MS);
  useTitle(gone ? `${node?.name ?? 'Node'} was deleted` : (node?.name ?? 'Node'));
  if (!node) return null;
  if (gone) return <NodeDeleted name={node.name} />;
  const items = actions.page(node);
  return (
    <Page>
      <PageHeader
        breadcrumb={
          <Breadcrumb>
            <Link to="/nodes">Client / Nodes</Link>
            {node.name}
          </Breadcrumb>
        }
        title={node.name}
        description={<NodeAddresses node={node} />}
        badges={
          <>
            {node.isGateway ? <Badge tone="accent">Gateway</Badge> : null}
            {node.isLocal ? <Badge>Local</Badge> : <StatusDot status={node.status} showLabel />}
            {node.enabled ? null : <Badge>Disconnected</Badge>}
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
      {stream === 'closed' ? (
        <Alert
          type="warning"
          action={
            <Button size="xs" onClick={resume}>
              Resume
            </Button>
          }
        >
          Live updates have stopped.
        </Alert>
      ) : null}
      {node.problem ? <Alert type="error">{node.problem}</Alert> : <NodeOffline node={node} now={now} />}
      {node.isLocal ? null : (
        <>
          <TunnelFacts node={node} now={now} />
          <TokensCard key={`tokens${node.id}`} node={node} />
        </>
      )}
      <div key={node.id} className="grid gap-4 xl:grid-cols-2">
        <ServicesCard type="http" node={node} />
        <ServicesCard type="tcp" node={node} />
      </div>
    </Page>
  );
}

/** In the place of a node that someone deleted while it was looked at. */
function NodeDeleted({ name }: { name: string }) {
  return (
    <MissingPage
      breadcrumb={
        <Breadcrumb>
          <Link to="/nodes">Client / Nodes</Link>
          {name}
        </Breadcrumb>
      }
      title={`${name} was deleted`}
      description="Someone deleted this node while the page was open. Its services and access tokens went with it."
      back={<Link to="/nodes">Back to Client / Nodes</Link>}
    />
  );
}

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
