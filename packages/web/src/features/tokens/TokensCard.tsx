import { formatDate, formatExact, formatRelative } from '@sallyport/sdk';
import { TOKEN_PAGE_SIZE, type Node, type Token } from '@sallyport/sdk/contract';
import { nodeCan, tokenStatus } from '@sallyport/sdk/rules';
import { Ban, CircleCheck, Clock, KeyRound, Plus } from 'lucide-react';
import { useRead } from '../../data/read.ts';
import { useLastPage } from '../../state/useLastPage.ts';
import type { ListKind } from '../../state/listView.ts';
import { useListView } from '../../state/useListView.ts';
import { useNow } from '../../state/useNow.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import type { MenuAction } from '../../ui/menuAction.ts';
import { NoMatch } from '../../ui/NoMatch.tsx';
import { Pagination } from '../../ui/Pagination.tsx';
import { RelativeTime } from '../../ui/RelativeTime.tsx';
import { RowMenu } from '../../ui/RowMenu.tsx';
import { SearchInput } from '../../ui/SearchInput.tsx';
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow, TableSkeleton, TableSpan } from '../../ui/Table.tsx';
import { openTokenForm } from './openTokenForm.tsx';
import { useTokenActions } from './useTokenActions.tsx';

const COLUMNS = 3;
const tokensList = { name: 'tokens', columns: ['name'], size: TOKEN_PAGE_SIZE } as const satisfies ListKind<string>;
/** How often it is looked whether a token has expired. */
const TICK_MS = 10_000;

/** The access tokens of a node, five at a time. */
export function TokensCard({ node }: { node: Node }) {
  const view = useListView(tokensList);
  const { search } = view.query;
  const { data, isPlaceholderData } = useRead(
    'token.list',
    { params: { id: node.id }, query: view.query },
    { keep: true },
  );
  useLastPage(data, view.query.page, view.correct);
  const actions = useTokenActions();
  const now = useNow(TICK_MS);
  const adding = nodeCan.createToken(node);
  return (
    <Card
      title="Node Access Tokens"
      description={adding.allowed ? undefined : adding.reason}
      flush
      actions={
        <>
          {search !== undefined || (data?.total ?? 0) > TOKEN_PAGE_SIZE ? (
            <SearchInput
              className="w-44"
              label="Search tokens"
              value={search ?? ''}
              onChange={view.look}
              found={data?.total}
            />
          ) : null}
          <Button
            size="sm"
            icon={<Plus size={14} aria-hidden />}
            disabled={!adding.allowed}
            onClick={() => void openTokenForm(node)}
          >
            Add Token
          </Button>
        </>
      }
      footer={
        data ? (
          <Pagination
            label="Node Access Tokens"
            page={data.page}
            limit={view.query.limit}
            total={data.total}
            onPage={view.goTo}
            sizes={view.sizes}
            onLimit={view.resize}
          />
        ) : null
      }
    >
      <Table label="Node Access Tokens" few busy={isPlaceholderData}>
        <TableHead>
          <HeadCell {...((data?.total ?? 0) > 1 ? view.heading('name') : {})}>Name</HeadCell>
          <HeadCell>Status</HeadCell>
          <HeadCell hidden>Actions</HeadCell>
        </TableHead>
        <TableBody>
          {data === undefined ? <TableSkeleton columns={COLUMNS} rows={2} /> : null}
          {data?.data.map((token) => (
            <TokenRow key={token.id} token={token} now={now} actions={actions(token)} />
          ))}
          {data?.data.length === 0 ? (
            <TableSpan columns={COLUMNS}>
              {search === undefined ? (
                <EmptyState icon={<KeyRound size={20} aria-hidden />} title="No Access Tokens yet" />
              ) : (
                <NoMatch what="tokens" search={search} onClear={() => view.look('')} />
              )}
            </TableSpan>
          ) : null}
        </TableBody>
      </Table>
    </Card>
  );
}

const LOOKS = {
  Active: { tone: 'success', icon: <CircleCheck aria-hidden /> },
  Expired: { tone: 'warning', icon: <Clock aria-hidden /> },
  Revoked: { tone: 'danger', icon: <Ban aria-hidden /> },
} as const;

function TokenRow({ token, now, actions }: { token: Token; now: Date; actions: readonly MenuAction[] }) {
  const status = tokenStatus(token, now);
  return (
    <TableRow dimmed={status !== 'Active'}>
      <Cell primary>
        <span className="font-medium wrap-anywhere">{token.name}</span>
      </Cell>
      <Cell label="Status">
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
      </Cell>
      <Cell actions>
        <RowMenu label={`Actions of ${token.name}`} items={actions} />
      </Cell>
    </TableRow>
  );
}
