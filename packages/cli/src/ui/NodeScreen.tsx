import type { Node, Page } from '@sallyport/sdk/contract';
import { Box, Text, useInput, useWindowSize } from 'ink';
import type { Io } from '../io.ts';
import { nodeColumns } from './nodeColumns.ts';
import { tableLines } from './table.ts';

/** Whether what is shown is what the gateway says now. */
export type Connection = 'connecting' | 'live' | 'lost';

const WORDS: Record<Connection, string> = {
  connecting: 'Connecting …',
  live: 'Live',
  lost: 'The connection broke off; connecting again …',
};

/** Headings, an empty line, the line below the table, and the cursor's own. */
const FRAME_ROWS = 5;

type NodeScreenProps = {
  page: Page<Node>;
  connection: Connection;
  now: Date;
  paint: Io['paint'];
  canType: boolean;
  onQuit: () => void;
  onInterrupt: () => void;
};

/** The nodes table as it changes, with a line that says whether it is live. */
export function NodeScreen({ page, connection, now, paint, canType, onQuit, onInterrupt }: NodeScreenProps) {
  const { columns, rows } = useWindowSize();
  useInput(
    (input, key) => {
      if (key.ctrl && input === 'c') onInterrupt();
      else if (input === 'q') onQuit();
    },
    { isActive: canType },
  );
  // A frame that is taller than the terminal could not be drawn over.
  const shown = page.data.slice(0, Math.max(1, rows - FRAME_ROWS));
  const hidden = page.total - shown.length;
  const lines = tableLines(nodeColumns(now), shown, columns, paint);
  return (
    <Box flexDirection="column">
      {shown.length === 0 ? <Text>There are no such nodes.</Text> : <Text wrap="truncate">{lines.join('\n')}</Text>}
      <Box marginTop={1}>
        <Text wrap="truncate">
          {paint(connection === 'lost' ? 'yellow' : 'dim', WORDS[connection])}
          {hidden > 0 ? `  ${hidden} more: see --search, --limit, --page` : ''}
          {canType ? '  q quits' : ''}
        </Text>
      </Box>
    </Box>
  );
}
