import { formatDate, formatExact, formatRelative } from '@sallyport/sdk';
import { TOKEN_PAGE_SIZE, type Node, type Token } from '@sallyport/sdk/contract';
import { nodeCan, tokenStatus } from '@sallyport/sdk/rules';
import { Ban, CircleCheck, Clock, KeyRound, Plus } from 'lucide-react';
import { useRead } from '../../data/read.ts';
import type { ListKind } from '../../state/listView.ts';
import { useListView } from '../../state/useListView.ts';
import { useNow } from '../../state/useNow.ts';
import { Badge } from '../../ui/layout/Badge.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { RelativeTime } from '../../ui/layout/RelativeTime.tsx';
import { QueryTable, type TableColumn } from '../../ui/table/QueryTable.tsx';
import { openTokenForm } from './openTokenForm.tsx';
import { useTokenActions } from './useTokenActions.tsx';

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
