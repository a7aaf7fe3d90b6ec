import type { EventStream, WatchOptions } from '@sallyport/sdk';
import type { HttpService, Node, Page, TcpService } from '@sallyport/sdk/contract';
import type { Context } from '../context.ts';
import { type Keys, liveScreen, useKeys } from './liveScreen.tsx';
import { httpRow, nodeColumns, serviceColumns, type ServiceRow, tcpRow } from './columns.ts';
import { Box, Text, useWindowSize } from 'ink';
import type { Io } from '../io.ts';
import { type Column, screenLines } from './table.ts';

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
        {draw(serviceColumns(now), (services ?? []).toSorted(failingFirst(isServed)), Math.max(1, room - forNodes))}
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
