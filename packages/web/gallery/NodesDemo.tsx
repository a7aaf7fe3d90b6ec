import { Download, Eye, Globe, PenLine, Plug, Plus, Server, Trash2, Unplug } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../src/ui/Badge.tsx';
import { Button } from '../src/ui/Button.tsx';
import { Card } from '../src/ui/Card.tsx';
import { Chips } from '../src/ui/Chips.tsx';
import { EmptyState } from '../src/ui/EmptyState.tsx';
import type { MenuAction } from '../src/ui/menuAction.ts';
import { PageHeader } from '../src/ui/PageHeader.tsx';
import { Pagination } from '../src/ui/Pagination.tsx';
import { RelativeTime } from '../src/ui/RelativeTime.tsx';
import { RowMenu } from '../src/ui/RowMenu.tsx';
import { StatusDot, type Status } from '../src/ui/StatusDot.tsx';
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow, TableSkeleton, TableSpan } from '../src/ui/Table.tsx';

type Row = { name: string; type: 'Local' | 'Gateway' | 'Node'; status?: Status; seen?: string; rx: string; tx: string };

const ROWS: Row[] = [
  { name: 'Local', type: 'Local', rx: '-', tx: '-' },
  { name: 'berlin-office', type: 'Gateway', status: 'online', seen: '12 seconds ago', rx: '1.42 GB', tx: '318.07 MB' },
  { name: 'build-runner-4', type: 'Node', status: 'online', seen: '40 seconds ago', rx: '88.19 MB', tx: '12.60 GB' },
  { name: 'home-lab', type: 'Gateway', status: 'idle', seen: '2 minutes ago', rx: '512.00 KB', tx: '4.11 MB' },
  {
    name: 'warehouse-camera-nvr-with-a-rather-long-name',
    type: 'Node',
    status: 'offline',
    seen: '3 days ago',
    rx: '9.02 GB',
    tx: '771.30 MB',
  },
];

const actions = (row: Row): MenuAction[] => [
  { label: 'View Node Details', icon: <Eye />, href: '#node' },
  { label: 'Edit Node', icon: <PenLine /> },
  { label: 'Expose HTTP', icon: <Globe /> },
  {
    label: 'Expose TCP',
    icon: <Plug />,
    ...(row.status === 'offline' ? { disabled: 'The node has never connected' } : {}),
  },
  { label: 'Download Config', icon: <Download /> },
  { label: 'Disconnect', icon: <Unplug />, separated: true },
  { label: 'Delete Node', icon: <Trash2 />, danger: true },
];

export function NodesDemo() {
  const [filter, setFilter] = useState<'all' | 'nodes' | 'gateways'>('all');
  const [page, setPage] = useState(1);
  return (
    <>
      <PageHeader
        title="Client / Nodes"
        actions={
          <Button variant="info" icon={<Plus size={16} aria-hidden />}>
            Add Client
          </Button>
        }
      />
      <Chips
        label="Show"
        value={filter}
        onChange={setFilter}
        options={[
          { value: 'all', label: 'View All' },
          { value: 'nodes', label: 'Nodes' },
          { value: 'gateways', label: 'Gateways' },
        ]}
      />
      <Card flush footer={<Pagination label="Nodes" page={page} limit={10} total={47} onPage={setPage} />}>
        <Table label="Nodes">
          <TableHead>
            <HeadCell className="w-px">Status</HeadCell>
            <HeadCell sorted="ascending" onSort={() => setPage(1)}>
              Name
            </HeadCell>
            <HeadCell>Type</HeadCell>
            <HeadCell onSort={() => setPage(1)}>Latest Handshake</HeadCell>
            <HeadCell align="end">Received</HeadCell>
            <HeadCell align="end">Transmitted</HeadCell>
            <HeadCell hidden>Actions</HeadCell>
          </TableHead>
          <TableBody>
            {ROWS.map((row) => (
              <TableRow key={row.name} dimmed={row.status === 'offline'}>
                <Cell lead>{row.status ? <StatusDot status={row.status} /> : null}</Cell>
                <Cell primary>
                  <a href="#node" className="link-plain">
                    {row.name}
                  </a>
                </Cell>
                <Cell label="Type">
                  <Badge tone={row.type === 'Gateway' ? 'accent' : 'neutral'}>{row.type}</Badge>
                </Cell>
                <Cell label="Latest Handshake">
                  {row.seen ? (
                    <RelativeTime
                      dateTime="2026-11-21T07:12:00Z"
                      relative={row.seen}
                      exact="11/21/2026, 07:12:00 UTC"
                    />
                  ) : (
                    '-'
                  )}
                </Cell>
                <Cell label="Received" align="end">
                  {row.rx}
                </Cell>
                <Cell label="Transmitted" align="end">
                  {row.tx}
                </Cell>
                <Cell actions>
                  <RowMenu label={`Actions of ${row.name}`} items={actions(row)} />
                </Cell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </Card>
      <div className="grid gap-4 lg:grid-cols-2">
        <Card title="Loading" flush>
          <Table label="Loading rows" busy>
            <TableBody>
              <TableSkeleton columns={3} rows={3} />
            </TableBody>
          </Table>
        </Card>
        <Card title="Nothing yet" flush>
          <Table label="No rows">
            <TableBody>
              <TableSpan columns={3}>
                <EmptyState
                  icon={<Server size={20} aria-hidden />}
                  title="No nodes yet"
                  description="A node dials out to this gateway and makes its services reachable."
                  action={<Button size="sm">Add Node</Button>}
                />
              </TableSpan>
            </TableBody>
          </Table>
        </Card>
      </div>
    </>
  );
}
