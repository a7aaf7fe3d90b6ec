import { ApiError, formatDate, formatExact, formatRelative } from '@sallyport/sdk';
import { type CreatedToken, type Node, type Token, TOKEN_PAGE_SIZE } from '@sallyport/sdk/contract';
import { nodeCan, tokenStatus } from '@sallyport/sdk/rules';
import { Ban, CircleCheck, Clock, KeyRound, Plus, Trash2 } from 'lucide-react';
import { invoke, useRead, useWrite } from '../../data/queries.ts';
import { type ListKind, useListView } from '../../state/listView.ts';
import { useNow } from '../../state/browser.ts';
import { Badge } from '../../ui/layout/Badge.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { RelativeTime } from '../../ui/layout/RelativeTime.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';
import { useConnection } from '../../data/connection.ts';
import { useConfirmed } from '../../data/confirmation.tsx';
import { confirm, openDialog } from '../../state/dialogs.ts';
import type { MenuAction } from '../../ui/overlays/MenuPopup.tsx';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';

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
      empty={{ icon: <KeyRound size={20} aria-hidden />, title: 'No Access Tokens yet' }}
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
            until{' '}
            <RelativeTime
              dateTime={token.expireAt}
              relative={formatDate(token.expireAt)}
              exact={formatExact(token.expireAt)}
            />
            {' · '}
          </>
        ) : null}
        {token.lastUsedAt === null ? (
          'never used'
        ) : (
          <>
            last used{' '}
            <RelativeTime
              dateTime={token.lastUsedAt}
              relative={formatRelative(token.lastUsedAt, now)}
              exact={formatExact(token.lastUsedAt)}
            />
          </>
        )}
      </span>
    </span>
  );
}

/** What can be done to an access token, as entries of its row's menu. */
export function useTokenActions(): (token: Token) => MenuAction[] {
  const { client } = useConnection();
  const confirmed = useConfirmed();
  const revoke = useWrite('token.revoke', { done: 'Personal Access Token revoked successfully!' });
  const remove = useWrite('token.remove', { done: 'Personal Access Token deleted successfully!' });
  const paramsOf = ({ nodeId, id }: Token) => ({ params: { id: nodeId, tokenId: id } });

  const disable = async (token: Token) => {
    const accepted = await confirm({
      title: 'Revoke Personal Access Token',
      description: <Warning token={token} text="Access with this token is disabled immediately." />,
      variant: 'danger',
      acceptButtonText: 'Yes, revoke token!',
    });
    // To close it is meant whatever it has become.
    if (accepted) revoke.mutate({ ...paramsOf(token), ifMatch: null });
  };
  const erase = (token: Token) =>
    confirmed({
      row: token,
      question: (shown) => ({
        title: 'Delete Personal Access Token',
        description: <Warning token={shown} text="This permanently deletes the token. It cannot be undone." />,
        variant: 'danger',
        acceptButtonText: 'Yes, delete it!',
      }),
      act: (shown) => remove.mutateAsync({ ...paramsOf(shown), ifMatch: shown.version }),
      read,
    });
  // There is no call for one token alone.
  const read = async ({ id, nodeId }: Token): Promise<Token> => {
    const { data } = await invoke(client, 'token.list', { params: { id: nodeId }, query: {} });
    const found = data.find((token) => token.id === id);
    if (found) return found;
    throw new ApiError('missing', 'Access token not found');
  };

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

/** What happens to the token, which token is meant, and what goes on all the same. */
function Warning({ token, text }: { token: Token; text: string }) {
  return (
    <>
      <p>{text}</p>
      <p className="mt-2">
        <strong>{token.name}</strong>
      </p>
      <p className="mt-2">
        An active tunnel may continue. If the token is compromised, disable the node as well, with Disconnect.
      </p>
    </>
  );
}

const TokenFormDialog = lazyDialog(
  async () => (await import('./TokenDialogs.tsx')).TokenFormDialog,
  ({ onClose }) => onClose,
);
const fetchResult = () => import('./TokenDialogs.tsx');
const TokenResultDialog = lazyDialog(
  async () => (await fetchResult()).TokenResultDialog,
  ({ onClose }) => onClose,
);

/** Opens the form of a new access token, and then shows the token, this once. */
export async function openTokenForm(node: Node): Promise<void> {
  // The token is shown once: what shows it is here before the token is made.
  fetchResult().catch(() => undefined);
  const created = await openDialog<CreatedToken>((close) => <TokenFormDialog node={node} onClose={close} />);
  if (created) await openDialog((close) => <TokenResultDialog created={created} onClose={close} />);
}
