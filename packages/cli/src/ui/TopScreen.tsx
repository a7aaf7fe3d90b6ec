import type { Node } from '@sallyport/sdk/contract';
import { Box, Text, useWindowSize } from 'ink';
import type { Io } from '../io.ts';
import { type Keys, useKeys } from './liveScreen.tsx';
import { nodeColumns, type ServiceRow, serviceColumns } from './columns.ts';
import { type Column, screenLines } from './table.ts';

type TopScreenProps = Keys & {
  /** Null until the gateway has said it. */
  nodes: readonly Node[] | null;
  services: readonly ServiceRow[] | null;
  /** Whether all that is shown is what the gateway says now. */
  isLive: boolean;
  now: Date;
  paint: Io['paint'];
};

/** Two headings, two headings of tables, the lines between, the line below, and the cursor's own. */
const FRAME_ROWS = 8;

/** Nodes and services as they change; what fails stands first, so that a small terminal shows it. */
export function TopScreen(props: TopScreenProps) {
  const { nodes, services, isLive, now, paint, canType } = props;
  const { columns, rows } = useWindowSize();
  useKeys(props);
  const room = Math.max(2, rows - FRAME_ROWS);
  const forNodes = Math.min(
    nodes?.length ?? 0,
    Math.max(1, room - Math.min(services?.length ?? 0, Math.ceil(room / 2))),
  );
  const draw = <T,>(table: readonly Column<T>[], all: readonly T[], count: number) =>
    screenLines(table, all.slice(0, count), columns, paint).join('\n');
  const count = (all: readonly unknown[], good: number, word: string) => `${good} of ${all.length} ${word}`;
  const remote = (nodes ?? []).filter(({ isLocal }) => !isLocal);
  return (
    <Box flexDirection="column">
      <Text wrap="truncate">{paint('bold', `Nodes  ${count(remote, remote.filter(isUp).length, 'connected')}`)}</Text>
      <Text wrap="truncate">{draw(nodeColumns(now), (nodes ?? []).toSorted(failingFirst(isUp)), forNodes)}</Text>
      <Box marginTop={1}>
        <Text wrap="truncate">
          {paint('bold', `Services  ${count(services ?? [], (services ?? []).filter(isServed).length, 'served')}`)}
        </Text>
      </Box>
      <Text wrap="truncate">
        {draw(serviceColumns, (services ?? []).toSorted(failingFirst(isServed)), Math.max(1, room - forNodes))}
      </Text>
      <Box marginTop={1}>
        <Text wrap="truncate">
          {paint(
            isLive ? 'dim' : 'yellow',
            nodes === null || services === null ? 'Connecting …' : isLive ? 'Live' : 'Connecting again …',
          )}
          {canType ? '  q quits' : ''}
        </Text>
      </Box>
    </Box>
  );
}

const isUp = ({ isLocal, enabled, status }: Node) => isLocal || (enabled && status === 'online');
const isServed = ({ enabled, problem, health }: ServiceRow) => enabled && problem === null && health !== 'down';

const failingFirst =
  <T extends { id: number }>(isGood: (row: T) => boolean) =>
  (one: T, other: T) =>
    Number(isGood(one)) - Number(isGood(other)) || one.id - other.id;
