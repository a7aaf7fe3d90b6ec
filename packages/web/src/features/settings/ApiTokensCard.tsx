import { formatDate, formatRelative } from '@sallyport/sdk';
import { type ApiToken, type CreatedApiToken, TOKEN_PAGE_SIZE } from '@sallyport/sdk/contract';
import { someNames, tokenStatus } from '@sallyport/sdk/rules';
import { CircleCheck, Clock, KeyRound, Plus, Trash2 } from 'lucide-react';
import { useConfirmed } from '../../data/confirmation.tsx';
import { useRead, useWrite } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { useNow } from '../../state/browser.ts';
import { openDialog } from '../../state/dialogs.ts';
import { type ListKind, useListView } from '../../state/listView.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';
import type { MenuAction } from '../../ui/overlays/MenuPopup.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';

const tokensList = { name: 'tokens', columns: ['name'], size: TOKEN_PAGE_SIZE } as const satisfies ListKind<string>;
/** How often it is looked whether a token has expired. */
const TICK_MS = 10_000;

const columns: readonly TableColumn<ApiToken, 'name'>[] = [
  {
    heading: 'Name',
    sort: 'name',
    as: 'name',
    cell: ({ name, prefix }) => (
      <span className="flex flex-col">
        <span className="font-medium wrap-anywhere">{name}</span>
        <span className="font-mono text-xs font-normal text-muted">{prefix}…</span>
      </span>
    ),
  },
  {
    heading: 'Rights',
    cell: ({ scope, nodes }) => (
      <span className="flex flex-wrap items-center gap-1">
        {scope.map((right) => (
          <Badge key={right}>{right}</Badge>
        ))}
        {nodes === null ? null : <NodeNames ids={nodes} />}
      </span>
    ),
  },
  { heading: 'Status', cell: (token) => <Status token={token} /> },
];

/** The nodes that a token is limited to. */
function NodeNames({ ids }: { ids: readonly number[] }) {
  const { data } = useRead('node.list', { query: {} });
  const names = ids.map((id) => data?.data.find((node) => node.id === id)?.name ?? `node ${id}`);
  return <span className="text-xs text-muted wrap-anywhere">for {someNames(names)}</span>;
}

/** The tokens of programs, five at a time. */
export function ApiTokensCard() {
  const view = useListView(tokensList);
  const now = useNow(TICK_MS);
  return (
    <QueryTable
      title="API Tokens"
      what="tokens"
      page={useRead('apiToken.list', { query: view.query }, { keep: true })}
      view={view}
      columns={columns}
      nameOf={({ name }) => name}
      actions={useActions()}
      isDimmed={(token) => statusOf(token, now) !== 'Active'}
      card={{
        description: 'For programs, with a part of your rights. They need no password, and end when you delete them.',
        actions: (
          <Button size="sm" icon={<Plus size={14} aria-hidden />} onClick={() => void openForm()}>
            Add Token
          </Button>
        ),
      }}
      empty={{ icon: <KeyRound size={20} aria-hidden />, title: 'No API tokens yet' }}
    />
  );
}

const statusOf = (token: ApiToken, now: Date) => tokenStatus({ ...token, revoked: false }, now);

/** Whether a token works, until when, and when it was last used. */
function Status({ token }: { token: ApiToken }) {
  const now = useNow(TICK_MS);
  const isActive = statusOf(token, now) === 'Active';
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge
        tone={isActive ? 'success' : 'warning'}
        icon={isActive ? <CircleCheck aria-hidden /> : <Clock aria-hidden />}
      >
        {isActive ? 'Active' : 'Expired'}
      </Badge>
      <span className="text-xs text-muted">
        {token.expireAt === null ? (
          'does not expire'
        ) : (
          <>
            {isActive ? 'until' : 'on'} <RelativeTime at={token.expireAt}>{formatDate(token.expireAt)}</RelativeTime>
          </>
        )}
        {' · '}
        {token.lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            last used <RelativeTime at={token.lastUsedAt}>{formatRelative(token.lastUsedAt, now)}</RelativeTime>
          </>
        )}
      </span>
    </span>
  );
}

/** What can be done to an API token, as entries of its row's menu. */
function useActions(): (token: ApiToken) => MenuAction[] {
  const confirmed = useConfirmed();
  const remove = useWrite('apiToken.remove', { done: 'API token deleted' });
  const erase = (token: ApiToken) =>
    confirmed({
      row: token,
      question: ({ name }) => ({
        variant: 'danger',
        title: 'Delete API Token',
        text: 'Programs that use it are refused from now on. It cannot be undone.',
        about: <strong>{name}</strong>,
        effect: token.scope.includes('tokens:write')
          ? 'It could make access tokens of nodes, which stay: look at the tokens of your nodes if you do not trust it.'
          : undefined,
        accept: 'Delete',
      }),
      act: () => remove.mutateAsync({ params: { id: token.id }, ifMatch: null }),
    });
  return (token) => [
    { label: 'Delete', icon: <Trash2 aria-hidden />, danger: true, onSelect: () => void erase(token) },
  ];
}

const fetchDialogs = () => import('./ApiTokenDialogs.tsx');
const ApiTokenFormDialog = lazyDialog(async () => (await fetchDialogs()).ApiTokenFormDialog);
const ApiTokenResultDialog = lazyDialog(async () => (await fetchDialogs()).ApiTokenResultDialog);

/** Opens the form of a new API token, and then shows the token, this once. */
async function openForm(): Promise<void> {
  const created = await openDialog<CreatedApiToken>((close) => <ApiTokenFormDialog onClose={close} />);
  if (created) await openDialog((close) => <ApiTokenResultDialog created={created} onClose={close} />);
}
