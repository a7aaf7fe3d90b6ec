import type { WatchOptions } from '@sallyport/sdk';
import type { Node, NodeQuery, Page } from '@sallyport/sdk/contract';
import type { Context } from '../context.ts';
import { type Keys, liveScreen, useKeys } from './liveScreen.tsx';
import { Box, Text, useWindowSize } from 'ink';
import type { Io } from '../io.ts';
import { nodeColumns } from './columns.ts';
import { screenLines } from './table.ts';

const TICK_MS = 10_000;

/** Shows the nodes of a query live until `q`, Ctrl+C, or an error that a new connection cannot fix. */
export async function watchNodes(context: Context, query: NodeQuery): Promise<void> {
  let page: Page<Node> | null = null;
  let connection: Connection = 'connecting';
  await liveScreen(context, {
    tickMs: TICK_MS,
    element: (keys) => (
      <NodeScreen page={page} connection={connection} now={context.now()} paint={context.io.paint} {...keys} />
    ),
    follow: async (draw, until) => {
      const client = await context.client();
      // What is wrong with the query or the session shows here, before a stream starts that would only try again.
      page = await client.node.list({ query }, { signal: until });
      draw();
      const options: WatchOptions = {
        signal: until,
        onState: (state) => {
          if (state === 'open') connection = 'live';
          else if (state === 'waiting') connection = 'lost';
          else return;
          draw();
        },
      };
      for await (const next of client.node.watch({ query }, options)) {
        page = next;
        draw();
      }
    },
  });
}

/** Whether what is shown is what the gateway says now. */
export type Connection = 'connecting' | 'live' | 'lost';

const WORDS: Record<Connection, string> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'The connection broke off; connecting again …',
};

/** Headings, an empty line, the line below the table, and the cursor's own. */
const FRAME_ROWS = 5;

type NodeScreenProps = Keys & {
  /** Null until the gateway has said it. */
  page: Page<Node> | null;
  connection: Connection;
  now: Date;
  paint: Io['paint'];
};

/** The nodes table as it changes, with a line that says whether it is live. */
export function NodeScreen({ page, connection, now, paint, ...keys }: NodeScreenProps) {
  const { columns, rows } = useWindowSize();
  useKeys(keys);
  // A frame that is taller than the terminal could not be drawn over.
  const shown = (page?.data ?? []).slice(0, Math.max(1, rows - FRAME_ROWS));
  const hidden = (page?.total ?? 0) - shown.length;
  const lines = screenLines(nodeColumns(now), shown, columns, paint);
  return (
    <Box flexDirection="column">
      {page !== null && shown.length === 0 ? (
        <Text>There are no such nodes.</Text>
      ) : (
        <Text wrap="truncate">{lines.join('\n')}</Text>
      )}
      <Box marginTop={1}>
        <Text wrap="truncate">
          {paint(connection === 'lost' ? 'yellow' : 'dim', WORDS[connection])}
          {hidden > 0 ? `  ${hidden} more: see --search, --limit, --page` : ''}
          {keys.canType ? '  q quits' : ''}
        </Text>
      </Box>
    </Box>
  );
}
