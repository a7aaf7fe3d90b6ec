import { Box, Text, render, useInput, useWindowSize } from 'ink';
import type { Context } from '../context.ts';
import { Failure } from '../context.ts';
import type { HostStatus } from '../host/status.ts';
import type { Io } from '../io.ts';
import { hostStatusLines } from './hostStatusLines.ts';

/** How often "2 minutes ago" is counted anew. */
const TICK_MS = 5000;

type HostScreenProps = {
  status: HostStatus | null;
  now: Date;
  paint: Io['paint'];
  canType: boolean;
  onQuit: () => void;
  onInterrupt: () => void;
};

/** The status of this host as it changes. */
export function HostScreen({ status, now, paint, canType, onQuit, onInterrupt }: HostScreenProps) {
  const { columns, rows } = useWindowSize();
  useInput(
    (input, key) => {
      if (key.ctrl && input === 'c') onInterrupt();
      else if (input === 'q') onQuit();
    },
    { isActive: canType },
  );
  const lines = status === null ? ['Looking …'] : hostStatusLines(status, now, columns, paint);
  return (
    <Box flexDirection="column">
      <Text wrap="truncate">{lines.slice(0, Math.max(1, rows - 3)).join('\n')}</Text>
      <Box marginTop={1}>
        <Text wrap="truncate">{paint('dim', canType ? 'Live  q quits' : 'Live')}</Text>
      </Box>
    </Box>
  );
}

/** Shows the status live until `q` or Ctrl+C. */
export async function watchHost(
  context: Context,
  open: (signal: AbortSignal) => AsyncIterable<HostStatus>,
): Promise<void> {
  const { io, signal, now } = context;
  const stop = new AbortController();
  const quit = Promise.withResolvers<undefined>();
  let status: HostStatus | null = null;
  const element = () => (
    <HostScreen
      status={status}
      now={now()}
      paint={io.paint}
      canType={io.canAsk}
      onQuit={() => quit.resolve(undefined)}
      onInterrupt={() => quit.reject(new Failure('interrupted', 'Interrupted.'))}
    />
  );
  const screen = render(element(), { ...io.streams, exitOnCtrlC: false, patchConsole: false });
  const draw = () => screen.rerender(element());
  const tick = setInterval(draw, TICK_MS);
  const iterator = open(AbortSignal.any([signal, stop.signal]))[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), quit.promise]);
      if (next === undefined || next.done) break;
      status = next.value;
      draw();
    }
  } finally {
    clearInterval(tick);
    stop.abort();
    screen.unmount();
    await screen.waitUntilExit();
  }
  signal.throwIfAborted();
}
