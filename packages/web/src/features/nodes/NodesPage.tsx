import { formatBytes } from '@sallyport/sdk';
import type { Node } from '@sallyport/sdk/contract';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound, Plus, Server } from 'lucide-react';
import { useFeatureHint } from '../../data/featureOff.tsx';
import { useUnavailable } from '../../data/gateway.ts';
import { isSilent, signOf } from '../../data/nodeSign.ts';
import { useNow, useTitle } from '../../state/browser.ts';
import { useListView } from '../../state/listView.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Chips } from '../../ui/controls/Chips.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Badge, StatusDot } from '../../ui/layout/Badge.tsx';
import { Page, PageHeader } from '../../ui/layout/Page.tsx';
import { lazyPart, PartFailed } from '../../ui/overlays/lazyPart.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';
import { nodesList, nodesQuery, nodesSearch } from './nodesSearch.ts';
import { Handshake, SILENT, useLiveNodes } from './nodeState.tsx';
import { openJoinKeyForm, openNodeForm, useNodeActions } from './useNodeActions.tsx';

/** How often relative times are drawn again. */
const TICK_MS = 10_000;

const FILTERS = [
  { value: 'all', label: 'View All' },
  { value: 'nodes', label: 'Nodes' },
  { value: 'gateways', label: 'Gateways' },
] as const;

// Columns stand where they stood, whatever is in them. On a phone, where traffic has no heading, an arrow says which it is.
const columns: readonly TableColumn<Node, (typeof nodesList.columns)[number]>[] = [
  {
    heading: 'Status',
    sort: 'status',
    width: 'rows:w-[18%]',
    isBlank: ({ isLocal }) => isLocal,
    cell: (node) => (node.isLocal ? null : <StatusDot status={signOf(node)} />),
  },
  { heading: 'Name', sort: 'name', width: 'rows:w-[30%]', as: 'name', cell: (node) => <NodeName node={node} /> },
  {
    heading: 'Type',
    sort: 'isGateway',
    width: 'rows:w-[10%]',
    cell: ({ isGateway, isLocal }) => (
      <Badge tone={isGateway ? 'accent' : 'neutral'}>{isLocal ? 'Local' : isGateway ? 'Gateway' : 'Node'}</Badge>
    ),
  },
  {
    heading: 'Latest Handshake',
    sort: 'latestHandshakeTimestamp',
    width: 'rows:w-[16%]',
    isBlank: (node) => !node.latestHandshakeTimestamp,
    cell: (node) => <LastHandshake node={node} />,
  },
  {
    heading: 'Received',
    sort: 'transferRx',
    width: 'rows:w-[11%]',
    isLesser: true,
    align: 'end',
    isBlank: (node) => !node.transferRx,
    cell: (node) => <span className="before:content-['↓_'] rows:before:hidden">{formatBytes(node.transferRx)}</span>,
  },
  {
    heading: 'Transmitted',
    sort: 'transferTx',
    width: 'rows:w-[11%]',
    isLesser: true,
    align: 'end',
    isBlank: (node) => !node.transferTx,
    cell: (node) => <span className="before:content-['↑_'] rows:before:hidden">{formatBytes(node.transferTx)}</span>,
  },
];

// The nodes are there before it.
const JoinKeysCard = lazyPart(
  async () => (await import('./JoinKeysCard.tsx')).JoinKeysCard,
  ({ retry }) => <PartFailed what="The list of join keys" onRetry={retry} />,
);

/** The list of nodes; how it is looked at is in the address. */
export function NodesPage() {
  useTitle('Client / Nodes');
  const search = useSearch({ from: '/shell/nodes' });
  const navigate = useNavigate({ from: '/nodes' });
  const actions = useNodeActions();
  const page = useLiveNodes(nodesQuery(search));
  const tunnelOff = useFeatureHint('tunnel');
  const { type = 'all' } = nodesSearch(search);
  return (
    <Page>
      <PageHeader
        title="Client / Nodes"
        actions={
          <>
            <Button icon={<KeyRound size={16} aria-hidden />} onClick={() => void openJoinKeyForm()}>
              Add Join Key
            </Button>
            <Button
              variant="info"
              icon={<Plus size={16} aria-hidden />}
              aria-keyshortcuts="c"
              onClick={() => void openNodeForm()}
            >
              Add Client
            </Button>
          </>
        }
      />
      {tunnelOff !== undefined && page.data?.data.some(({ isLocal }) => !isLocal) ? (
        <Alert type="warning">{tunnelOff}</Alert>
      ) : null}
      <QueryTable
        title="Nodes"
        what="nodes"
        page={page}
        view={useListView(nodesList)}
        columns={columns}
        wide
        nameOf={({ name }) => name}
        actions={actions.row}
        isDimmed={({ enabled }) => !enabled}
        filter={
          <Chips
            label="Show"
            options={FILTERS}
            value={type}
            onChange={(value) =>
              void navigate({
                search: ({ page: _first, ...kept }) => ({ ...kept, type: value === 'all' ? undefined : value }),
                resetScroll: false,
              })
            }
          />
        }
        empty={{
          icon: <Server size={20} aria-hidden />,
          title: type === 'gateways' ? 'No gateways yet' : 'No nodes yet',
          description: 'A node is a host that dials out to this gateway.',
          action: (
            <Button size="sm" onClick={() => void openNodeForm()}>
              Add Node
            </Button>
          ),
        }}
      />
      {page.data === undefined ? null : <JoinKeysCard />}
    </Page>
  );
}

/** The way to a node's page, and what is wrong with the node. */
function NodeName({ node }: { node: Node }) {
  // What keeps all of them away stands above the list.
  const tunnelOff = useUnavailable('tunnel');
  return (
    <>
      <Link to="/nodes/$id" params={{ id: String(node.id) }} className="link-plain min-w-0 wrap-anywhere">
        {node.name}
      </Link>
      {node.problem ? (
        <p className="text-xs text-danger-ink">{node.problem}</p>
      ) : !tunnelOff && isSilent(node) ? (
        <p className="text-xs text-muted">{SILENT}</p>
      ) : null}
    </>
  );
}

function LastHandshake({ node }: { node: Node }) {
  return <Handshake node={node} now={useNow(TICK_MS)} />;
}
