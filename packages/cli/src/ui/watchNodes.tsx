import type { EventStream, WatchOptions } from '@sallyport/sdk';
import type { Node, Page } from '@sallyport/sdk/contract';
import { render } from 'ink';
import type { Context } from '../context.ts';
import { Failure } from '../context.ts';
import { type Connection, NodeScreen } from './NodeScreen.tsx';

/** How often "2 minutes ago" is counted anew. */
const TICK_MS = 10_000;

type Open = (options: WatchOptions) => EventStream<Page<Node>>;

/** Shows the nodes live until `q`, Ctrl+C, or an error that a new connection cannot mend. */
export async function watchNodes(context: Context, first: Page<Node>, open: Open): Promise<void> {
  const { io, signal, now } = context;
  const quit = new AbortController();
  let page = first;
  let connection: Connection = 'connecting';
  const element = () => (
    <NodeScreen
      page={page}
      connection={connection}
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
  const options: WatchOptions = {
    signal: AbortSignal.any([signal, quit.signal]),
    onState: (state) => {
      if (state === 'open') connection = 'live';
      else if (state === 'waiting') connection = 'lost';
      else return;
      draw();
    },
  };
  try {
    for await (const next of open(options)) {
      page = next;
      draw();
    }
  } finally {
    clearInterval(tick);
    screen.unmount();
    await screen.waitUntilExit();
  }
  signal.throwIfAborted();
  if (quit.signal.reason instanceof Failure) throw quit.signal.reason;
}
