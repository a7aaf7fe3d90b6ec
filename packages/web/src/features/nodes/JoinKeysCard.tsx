import { formatDate, formatRelative } from '@sallyport/sdk';
import { type JoinKey, TOKEN_PAGE_SIZE } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { CircleCheck, Clock, Trash2 } from 'lucide-react';
import { useConfirmed } from '../../data/confirmation.tsx';
import { useRead, useWrite } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { useNow } from '../../state/browser.ts';
import { type ListKind, useListView } from '../../state/listView.ts';
import { Badge } from '../../ui/layout/Badge.tsx';
import type { MenuAction } from '../../ui/overlays/MenuPopup.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';

const joinKeysList = {
  name: 'joinKeys',
  columns: ['name', 'expireAt', 'created_at'],
  size: TOKEN_PAGE_SIZE,
} as const satisfies ListKind<string>;
/** How often it is looked whether a key has expired. */
const TICK_MS = 10_000;
/** How soon a key that a host has used shows it. */
const USED_MS = 4000;

const columns: readonly TableColumn<JoinKey, (typeof joinKeysList.columns)[number]>[] = [
  {
    heading: 'Name',
    sort: 'name',
    as: 'name',
    cell: ({ name, namePattern }) => (
      <span className="flex flex-col">
        <span className="font-medium wrap-anywhere">{name}</span>
        {namePattern === null ? null : (
          <span className="text-xs font-normal text-muted wrap-anywhere">
            nodes named <span className="font-mono">{namePattern}</span>
          </span>
        )}
      </span>
    ),
  },
  {
    heading: 'For',
    cell: ({ nodeId, reusable, isGateway }) => (
      <span className="flex flex-wrap items-center gap-1">
        <Badge>{reusable ? 'Reusable' : 'Single use'}</Badge>
        {isGateway ? <Badge tone="accent">Gateway</Badge> : null}
        {nodeId === null ? null : (
          <Link to="/nodes/$id" params={{ id: String(nodeId) }} className="link text-xs wrap-anywhere">
            <NodeName id={nodeId} />
          </Link>
        )}
      </span>
    ),
  },
  { heading: 'Uses', cell: (row) => <Uses row={row} /> },
  { heading: 'Status', sort: 'expireAt', cell: (row) => <Status row={row} /> },
  {
    heading: 'Created',
    sort: 'created_at',
    as: 'wide',
    cell: ({ created_at }) => <RelativeTime at={created_at}>{formatDate(created_at)}</RelativeTime>,
  },
];

/** The keys by which hosts join, below the nodes; nothing while there are none. */
export function JoinKeysCard() {
  const view = useListView(joinKeysList);
  const now = useNow(TICK_MS);
  const page = useRead(
    'joinKey.list',
    { query: view.query },
    {
      keep: true,
      everyMs: (last) => (last?.data.some((row) => statusOf(row, new Date()) === 'Active') ? USED_MS : false),
    },
  );
  const actions = useActions();
  if (!page.isError && !page.data?.total && view.query.search === undefined) return null;
  return (
    <QueryTable
      title="Join Keys"
      what="join keys"
      page={page}
      view={view}
      columns={columns}
      nameOf={({ name }) => name}
      actions={actions}
      isDimmed={(row) => statusOf(row, now) !== 'Active'}
      card={{
        description:
          'Hosts join with their codes. A key that is used up or expired is listed for a week or longer, unless its node is deleted.',
      }}
      empty={{ title: 'No join keys yet' }}
    />
  );
}

function NodeName({ id }: { id: number }) {
  return useRead('node.get', { params: { id } }).data?.name ?? `node ${id}`;
}

function statusOf({ reusable, uses, expireAt }: JoinKey, now: Date): 'Active' | 'Used' | 'Expired' {
  if (!reusable && uses > 0) return 'Used';
  return Date.parse(expireAt) > now.getTime() ? 'Active' : 'Expired';
}

function Uses({ row: { uses, lastUsedAt } }: { row: JoinKey }) {
  const now = useNow(TICK_MS);
  if (lastUsedAt === null) return 'never used';
  return (
    <>
      used {uses === 1 ? 'once' : `${uses} times`},{' '}
      <RelativeTime at={lastUsedAt}>{formatRelative(lastUsedAt, now)}</RelativeTime>
    </>
  );
}

/** Whether hosts can still join with a key, and until when. */
function Status({ row }: { row: JoinKey }) {
  const status = statusOf(row, useNow(TICK_MS));
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge
        tone={status === 'Active' ? 'success' : status === 'Used' ? 'neutral' : 'warning'}
        icon={status === 'Expired' ? <Clock aria-hidden /> : <CircleCheck aria-hidden />}
      >
        {status}
      </Badge>
      {status === 'Used' ? null : (
        <span className="text-xs text-muted">
          {status === 'Active' ? 'until' : 'on'}{' '}
          <RelativeTime at={row.expireAt}>{formatDate(row.expireAt)}</RelativeTime>
        </span>
      )}
    </span>
  );
}

/** What can be done to a join key, as entries of its row's menu. */
function useActions(): (row: JoinKey) => MenuAction[] {
  const confirmed = useConfirmed();
  const remove = useWrite('joinKey.remove', { done: 'Join key deleted' });
  const erase = (row: JoinKey) =>
    confirmed({
      row,
      question: ({ name }) => ({
        variant: 'danger',
        title: 'Delete Join Key',
        text: 'No host can join with its code any more. Hosts that have joined with it stay.',
        about: <strong>{name}</strong>,
        accept: 'Delete',
      }),
      act: () => remove.mutateAsync({ params: { id: row.id }, ifMatch: null }),
    });
  return (row) => [{ label: 'Delete', icon: <Trash2 aria-hidden />, danger: true, onSelect: () => void erase(row) }];
}
