import { Box, Text, useWindowSize } from 'ink';
import type { Context } from '../context.ts';
import type { HostStatus } from '../host/status.ts';
import type { Io } from '../io.ts';
import { hostStatusLines } from './hostStatusLines.ts';
import { type Keys, liveScreen, useKeys } from './liveScreen.tsx';

const TICK_MS = 5000;

type HostScreenProps = Keys & {
  /** Null until it is known. */
  status: HostStatus | null;
  now: Date;
  paint: Io['paint'];
};

/** The status of this host as it changes. */
export function HostScreen({ status, now, paint, ...keys }: HostScreenProps) {
  const { columns, rows } = useWindowSize();
  useKeys(keys);
  const lines = status === null ? ['Looking …'] : hostStatusLines(status, now, columns, paint);
  return (
    <Box flexDirection="column">
      <Text wrap="truncate">{lines.slice(0, Math.max(1, rows - 3)).join('\n')}</Text>
      <Box marginTop={1}>
        <Text wrap="truncate">{paint('dim', keys.canType ? 'Live  q quits' : 'Live')}</Text>
      </Box>
    </Box>
  );
}

/** Shows the status live until `q` or Ctrl+C. */
export async function watchHost(
  context: Context,
  open: (signal: AbortSignal) => AsyncIterable<HostStatus>,
): Promise<void> {
  let status: HostStatus | null = null;
  await liveScreen(context, {
    tickMs: TICK_MS,
    element: (keys) => <HostScreen status={status} now={context.now()} paint={context.io.paint} {...keys} />,
    follow: async (draw, until) => {
      for await (const next of open(until)) {
        status = next;
        draw();
      }
    },
  });
}
