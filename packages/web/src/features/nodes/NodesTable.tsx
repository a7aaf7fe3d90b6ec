import { formatBytes } from '@sallyport/sdk';
import type { Node, OffPart } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { Server } from 'lucide-react';
import { useOffPart } from '../../data/useOff.ts';
import type { ListView } from '../../state/useListView.ts';
import { useNow } from '../../state/useNow.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { NoMatch } from '../../ui/NoMatch.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { StatusDot } from '../../ui/StatusDot.tsx';
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow, TableSkeleton, TableSpan } from '../../ui/Table.tsx';
import { Handshake } from './Handshake.tsx';
import type { nodesList } from './nodesSearch.ts';
import { offlineReason } from './offlineReason.ts';
import { openNodeForm } from './openNodeForm.tsx';
import { type NodeActions, useNodeActions } from './useNodeActions.tsx';

/** How often relative times are told anew. */
const TICK_MS = 10_000;
const COLUMNS = 7;

type NodesTableProps = {
  nodes: readonly Node[] | undefined;
  /** Another page is on its way. */
  busy: boolean;
  view: ListView<(typeof nodesList.columns)[number]>;
};

/** The rows of the nodes list. */
export function NodesTable({ nodes, busy, view }: NodesTableProps) {
  const now = useNow(TICK_MS);
  const actions = useNodeActions();
  const tunnelOff = useOffPart('tunnel');
  const { search } = view.query;
  return (
    <Table label="Nodes" busy={busy}>
      <TableHead>
        <HeadCell className="rows:w-px!" {...view.heading('status')}>
          Status
        </HeadCell>
        {/* Columns stand where they stood, whatever is in them. */}
        <HeadCell className="rows:w-[42%]" {...view.heading('name')}>
          Name
        </HeadCell>
        <HeadCell className="rows:w-[12%]" {...view.heading('isGateway')}>
          Type
        </HeadCell>
        <HeadCell className="rows:w-[18%]" {...view.heading('latestHandshakeTimestamp')}>
          Latest Handshake
        </HeadCell>
        <HeadCell align="end" className="rows:w-[12%]" {...view.heading('transferRx')}>
          Received
        </HeadCell>
        <HeadCell align="end" className="rows:w-[12%]" {...view.heading('transferTx')}>
          Transmitted
        </HeadCell>
        <HeadCell hidden>Actions</HeadCell>
      </TableHead>
      <TableBody>
        {nodes === undefined ? <TableSkeleton columns={COLUMNS} /> : null}
        {nodes?.map((node) => (
          <NodeRow key={node.id} node={node} now={now} actions={actions} tunnelOff={tunnelOff} />
        ))}
        {nodes?.length === 0 ? (
          <TableSpan columns={COLUMNS}>
            {search === undefined ? (
              <EmptyState
                icon={<Server size={20} aria-hidden />}
                title="No nodes yet"
                action={
                  <Button size="sm" onClick={() => void openNodeForm()}>
                    Add Node
                  </Button>
                }
              />
            ) : (
              <NoMatch what="nodes" search={search} onClear={() => view.look('')} />
            )}
          </TableSpan>
        ) : null}
      </TableBody>
    </Table>
  );
}

type NodeRowProps = { node: Node; now: Date; actions: NodeActions; tunnelOff: OffPart | null };

function NodeRow({ node, now, actions, tunnelOff }: NodeRowProps) {
  const away = offlineReason(node, tunnelOff);
  return (
    <TableRow dimmed={!node.enabled}>
      <Cell lead>{node.isLocal ? null : <StatusDot status={node.status} />}</Cell>
      <Cell primary>
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <Link to="/nodes/$id" params={{ id: String(node.id) }} className="link-plain min-w-0 wrap-anywhere">
            {node.name}
          </Link>
          {node.enabled ? null : <Badge>Disconnected</Badge>}
        </span>
        {node.problem ? <p className="text-xs text-danger-ink">{node.problem}</p> : null}
        {node.problem === null && away !== null ? <p className="text-xs text-muted">{away}</p> : null}
      </Cell>
      <Cell label="Type">
        <Badge tone={node.isGateway ? 'accent' : 'neutral'}>{nodeKind(node)}</Badge>
      </Cell>
      <Cell label="Latest Handshake" blank={!node.latestHandshakeTimestamp}>
        <Handshake node={node} now={now} />
      </Cell>
      <Cell label="Received" align="end" blank={!node.transferRx} className="whitespace-nowrap">
        {formatBytes(node.transferRx)}
      </Cell>
      <Cell label="Transmitted" align="end" blank={!node.transferTx} className="whitespace-nowrap">
        {formatBytes(node.transferTx)}
      </Cell>
      <Cell actions>
        <RowMenu label={`Actions of ${node.name}`} items={actions.row(node)} />
      </Cell>
    </TableRow>
  );
}

const nodeKind = (node: Node) => (node.isLocal ? 'Local' : node.isGateway ? 'Gateway' : 'Node');
