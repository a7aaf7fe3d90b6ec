import type { Client, EventStream, WatchOptions } from '@sallyport/sdk';
import type { HttpService, Node, Page, TcpService } from '@sallyport/sdk/contract';
import { render } from 'ink';
import type { Context } from '../context.ts';
import { Failure } from '../context.ts';
import { TopScreen } from './TopScreen.tsx';
import { httpRow, tcpRow } from './serviceColumns.ts';

/** How often "2 minutes ago" is counted anew. */
const TICK_MS = 10_000;

/** Shows nodes and services live until `q`, Ctrl+C, or an error that a new connection cannot mend. */
export async function watchTop(context: Context, client: Client): Promise<void> {
  const { io, signal, now } = context;
  const quit = new AbortController();
  let nodes: Node[] | null = null;
  let http: HttpService[] | null = null;
  let tcp: TcpService[] | null = null;
  const open = new Set<string>();
  const element = () => (
    <TopScreen
      nodes={nodes}
      services={http && tcp && [...http.map(httpRow), ...tcp.map(tcpRow)]}
      isLive={open.size === 3 && nodes !== null && http !== null && tcp !== null}
      now={now()}
      paint={io.paint}
      canType={io.canAsk}
      onQuit={() => quit.abort()}
      onInterrupt={() => quit.abort(new Failure('interrupted', 'Interrupted.'))}
    />
  );
  const screen = render(element(), { ...io.streams, exitOnCtrlC: false, patchConsole: false });
  const draw = () => screen.rerender(element());
  const tick = setInterval(draw, TICK_MS);
  const ended = AbortSignal.any([signal, quit.signal]);
  const optionsOf = (name: string): WatchOptions => ({
    signal: ended,
    onState: (state) => {
      if (state === 'open') open.add(name);
      else if (state === 'waiting') open.delete(name);
      else return;
      draw();
    },
  });
  const follow = async <T,>(stream: EventStream<Page<T>>, take: (rows: T[]) => void) => {
    for await (const page of stream) {
      take(page.data);
      draw();
    }
  };
  try {
    // What is wrong with the session shows here, before streams start that would only try again.
    await client.session.me({}, { signal: ended });
    await Promise.all([
      follow(client.node.watch({}, optionsOf('nodes')), (rows) => (nodes = rows)),
      follow(client.httpService.watch({}, optionsOf('http')), (rows) => (http = rows)),
      follow(client.tcpService.watch({}, optionsOf('tcp')), (rows) => (tcp = rows)),
    ]);
  } catch (error) {
    if (!quit.signal.aborted) throw error;
  } finally {
    quit.abort();
    clearInterval(tick);
    screen.unmount();
    await screen.waitUntilExit();
  }
  signal.throwIfAborted();
  if (quit.signal.reason instanceof Failure) throw quit.signal.reason;
}
