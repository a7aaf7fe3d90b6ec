import { formatExact, formatRelative } from '@sallyport/sdk';
import type { OpenSession } from '@sallyport/sdk/contract';
import { LogOut } from 'lucide-react';
import { useConfirmed } from '../../data/confirmation.tsx';
import { useRead, useWrite } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
import { useNow } from '../../state/browser.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Badge } from '../../ui/layout/Badge.tsx';
import { Card } from '../../ui/layout/Card.tsx';
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow, TableSkeleton } from '../../ui/table/Table.tsx';

/** How often "2 minutes ago" is counted again. */
const TICK_MS = 10_000;
/** So many are shown; a program may sign in again and again. */
const SHOWN_MAX = 10;

/** Where the administrator is signed in. */
export function SessionsCard() {
  const { data } = useRead('session.list', {});
  const confirmed = useConfirmed();
  const endOthers = useWrite('session.endOthers', { done: 'All other sessions have ended' });
  const others = (data ?? []).filter(({ isOwn }) => !isOwn).length;
  const own = data?.find(({ isOwn }) => isOwn);
  const shown = (data ?? []).filter((row) => row !== own).slice(0, own === undefined ? SHOWN_MAX : SHOWN_MAX - 1);
  const rows = own === undefined ? shown : [own, ...shown];
  const more = (data?.length ?? 0) - rows.length;
  const end = () =>
    confirmed({
      row: {},
      question: () => ({
        variant: 'danger',
        title: 'End All Other Sessions',
        text: 'Everybody else who is signed in as administrator has to sign in again. API tokens stay.',
        about: others === 1 ? 'One session' : `${others} sessions`,
        accept: 'End them',
      }),
      act: () => endOthers.mutateAsync({}),
    });
  return (
    <Card
      flush
      title="Sessions"
      description={more > 0 ? `Where you are signed in. ${more} more are not shown.` : 'Where you are signed in.'}
      actions={
        <Button size="sm" disabled={others === 0} onClick={() => void end()}>
          End All Others
        </Button>
      }
    >
      <Table label="Sessions" columns="few">
        <TableHead>
          <HeadCell>From</HeadCell>
          <HeadCell>Last used</HeadCell>
          <HeadCell>Signed in</HeadCell>
          <HeadCell hidden>Actions</HeadCell>
        </TableHead>
        <TableBody>
          {data === undefined ? <TableSkeleton columns={4} rows={2} /> : null}
          {rows.map((row) => (
            <SessionRow key={row.id} row={row} />
          ))}
        </TableBody>
      </Table>
    </Card>
  );
}

/** On a phone the button is wider than that of a menu, next to which the name stands elsewhere. */
const NEXT_TO_BUTTON = 'pr-24! rows:pr-3!';

function SessionRow({ row }: { row: OpenSession }) {
  const now = useNow(TICK_MS);
  const end = useWrite('session.end', { done: 'Session ended' });
  const address = row.address ?? 'unknown address';
  return (
    <TableRow>
      <Cell primary label="From" className={row.isOwn ? undefined : NEXT_TO_BUTTON}>
        <span className="inline-flex flex-wrap items-center gap-2">
          <span className="font-mono text-sm wrap-anywhere">{address}</span>
          <Badge>{row.isBrowser ? 'Browser' : 'Program'}</Badge>
          {row.isOwn ? <Badge tone="accent">This session</Badge> : null}
        </span>
      </Cell>
      <Cell label="Last used">
        {row.lastUsedAt === null ? (
          'not known'
        ) : (
          <RelativeTime at={row.lastUsedAt}>{formatRelative(row.lastUsedAt, now)}</RelativeTime>
        )}
      </Cell>
      <Cell label="Signed in" className={row.isOwn ? undefined : NEXT_TO_BUTTON}>
        {formatExact(row.created_at)}
      </Cell>
      <Cell actions className="right-4!">
        {row.isOwn ? null : (
          <Button
            size="sm"
            loading={end.isPending}
            icon={<LogOut size={14} aria-hidden />}
            aria-label={`End the session from ${address}`}
            onClick={() => end.mutate({ params: { id: row.id }, ifMatch: null })}
          >
            End
          </Button>
        )}
      </Cell>
    </TableRow>
  );
}
