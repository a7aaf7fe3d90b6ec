import { ApiError, formatDate, formatRelative } from '@sallyport/sdk';
import { type CreatedToken, type Node, type Token, TOKEN_PAGE_SIZE } from '@sallyport/sdk/contract';
import { nodeCan, tokenStatus } from '@sallyport/sdk/rules';
import { Ban, CircleCheck, Clock, Plus, Trash2 } from 'lucide-react';
import { useConfirmed } from '../../data/confirmation.tsx';
import { useConnection } from '../../data/connection.ts';
import { invoke, useRead, useWrite } from '../../data/queries.ts';
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

const columns: readonly TableColumn<Token, 'name'>[] = [
  {
    heading: 'Name',
    sort: 'name',
    as: 'name',
    cell: ({ name }) => <span className="font-medium wrap-anywhere">{name}</span>,
  },
  { heading: 'Status', cell: (token) => <TokenStatus token={token} /> },
];

/** The access tokens of a node, five at a time. */
export function TokensCard({ node }: { node: Node }) {
  const view = useListView(tokensList);
  const now = useNow(TICK_MS);
  const adding = nodeCan.createToken(node);
  return (
    <QueryTable
      title="Node Access Tokens"
      what="tokens"
      page={useRead('token.list', { params: { id: node.id }, query: view.query }, { keep: true })}
      view={view}
      columns={columns}
      nameOf={({ name }) => name}
      actions={useTokenActions()}
      isDimmed={(token) => tokenStatus(token, now) !== 'Active'}
      card={{
        description: adding.allowed ? undefined : adding.reason,
        actions: (
          <Button
            size="sm"
            icon={<Plus size={14} aria-hidden />}
            disabled={!adding.allowed}
            onClick={() => void openTokenForm(node)}
          >
            Add Token
          </Button>
        ),
      }}
      empty={{
        title: 'No Access Tokens yet',
        description: adding.allowed ? 'With one, the host of this node signs in.' : undefined,
      }}
    />
  );
}

const LOOKS = {
  Active: { tone: 'success', icon: <CircleCheck aria-hidden /> },
  Expired: { tone: 'warning', icon: <Clock aria-hidden /> },
  Revoked: { tone: 'danger', icon: <Ban aria-hidden /> },
} as const;

/** Whether a token works, until when, and when it was last used. */
function TokenStatus({ token }: { token: Token }) {
  const now = useNow(TICK_MS);
  const status = tokenStatus(token, now);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
      <Badge {...LOOKS[status]}>{status}</Badge>
      <span className="text-xs text-muted">
        {status === 'Active' && token.expireAt !== null ? (
          <>
            until <RelativeTime at={token.expireAt}>{formatDate(token.expireAt)}</RelativeTime>
            {' · '}
          </>
        ) : null}
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

/** What can be done to an access token, as entries of its row's menu. */
function useTokenActions(): (token: Token) => MenuAction[] {
  const { client } = useConnection();
  const confirmed = useConfirmed();
  const revoke = useWrite('token.revoke', { done: 'Personal Access Token revoked successfully!' });
  const remove = useWrite('token.remove', { done: 'Personal Access Token deleted successfully!' });
  const paramsOf = ({ nodeId, id }: Token) => ({ params: { id: nodeId, tokenId: id } });
  const ask = { effect: ADVICE, variant: 'danger' } as const;

  const disable = (token: Token) =>
    confirmed({
      row: token,
      question: ({ name }) => ({
        ...ask,
        title: 'Revoke Personal Access Token',
        text: 'Access with this token is disabled immediately.',
        about: <strong>{name}</strong>,
        accept: 'Yes, revoke token!',
      }),
      act: () => revoke.mutateAsync({ ...paramsOf(token), ifMatch: null }),
    });
  const erase = (token: Token) =>
    confirmed({
      row: token,
      question: ({ name }) => ({
        ...ask,
        title: 'Delete Personal Access Token',
        text: 'This permanently deletes the token. It cannot be undone.',
        about: <strong>{name}</strong>,
        accept: 'Yes, delete it!',
      }),
      act: (shown) => remove.mutateAsync({ ...paramsOf(shown), ifMatch: shown.version }),
      // There is no call for one token alone.
      async read({ id, nodeId }) {
        const { data } = await invoke(client, 'token.list', { params: { id: nodeId }, query: {} });
        const found = data.find((one) => one.id === id);
        if (found) return found;
        throw new ApiError('missing', 'Access token not found');
      },
    });

  return (token) => [
    {
      label: 'Revoke',
      icon: <Ban aria-hidden />,
      onSelect: () => void disable(token),
      ...(token.revoked && { disabled: 'It is revoked already' }),
    },
    { label: 'Delete', icon: <Trash2 aria-hidden />, danger: true, onSelect: () => void erase(token) },
  ];
}

const ADVICE = 'An active tunnel may continue. If the token is compromised, disable the node as well, with Disconnect.';

const fetchDialogs = () => import('./TokenDialogs.tsx');
const TokenFormDialog = lazyDialog(async () => (await fetchDialogs()).TokenFormDialog);
const TokenResultDialog = lazyDialog(async () => (await fetchDialogs()).TokenResultDialog);

/** Opens the form of a new access token, and then shows the token, this once. */
async function openTokenForm(node: Node): Promise<void> {
  const created = await openDialog<CreatedToken>((close) => <TokenFormDialog node={node} onClose={close} />);
  if (created) await openDialog((close) => <TokenResultDialog created={created} onClose={close} />);
}
