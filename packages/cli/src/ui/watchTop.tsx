import type { EventStream, WatchOptions } from '@sallyport/sdk';
import type { HttpService, Node, Page, TcpService } from '@sallyport/sdk/contract';
import type { Context } from '../context.ts';
import { TopScreen } from './TopScreen.tsx';
import { liveScreen } from './liveScreen.tsx';
import { httpRow, tcpRow } from './columns.ts';

const TICK_MS = 10_000;

/** Shows nodes and services live until `q`, Ctrl+C, or an error that a new connection cannot fix. */
export async function watchTop(context: Context): Promise<void> {
  let nodes: Node[] | null = null;
  let http: HttpService[] | null = null;
  let tcp: TcpService[] | null = null;
  const open = new Set<string>();
  await liveScreen(context, {
    tickMs: TICK_MS,
    element: (keys) => (
      <TopScreen
        nodes={nodes}
        services={http && tcp && [...http.map(httpRow), ...tcp.map(tcpRow)]}
        isLive={open.size === 3 && nodes !== null && http !== null && tcp !== null}
        now={context.now()}
        paint={context.io.paint}
        {...keys}
      />
    ),
    follow: async (draw, until) => {
      const client = await context.client();
      // What is wrong with the session shows here, before streams start that would only try again.
      await client.session.me({}, { signal: until });
      const optionsOf = (name: string): WatchOptions => ({
        signal: until,
        onState: (state) => {
          if (state === 'open') open.add(name);
          else if (state === 'waiting') open.delete(name);
          else return;
          draw();
        },
      });
      const take = async <T,>(stream: EventStream<Page<T>>, keep: (rows: T[]) => void) => {
        for await (const page of stream) {
          keep(page.data);
          draw();
        }
      };
      await Promise.all([
        take(client.node.watch({}, optionsOf('nodes')), (rows) => (nodes = rows)),
        take(client.httpService.watch({}, optionsOf('http')), (rows) => (http = rows)),
        take(client.tcpService.watch({}, optionsOf('tcp')), (rows) => (tcp = rows)),
      ]);
    },
  });
}
