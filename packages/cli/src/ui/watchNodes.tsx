import type { WatchOptions } from '@sallyport/sdk';
import type { Node, NodeQuery, Page } from '@sallyport/sdk/contract';
import type { Context } from '../context.ts';
import { type Connection, NodeScreen } from './NodeScreen.tsx';
import { liveScreen } from './liveScreen.tsx';

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
