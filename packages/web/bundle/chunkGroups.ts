import { join } from 'node:path';

/** The chunk with the console itself. */
export const START_CHUNK = 'start';

const SOURCE = join(import.meta.dirname, '..', 'src');

/** What the page names, and what has everything else loaded. */
const MAIN = ['app/main.ts'];
const LOADER = '\0vite/preload-helper.js';
/** The console itself: its router, its connection, the login page, and what these need, as React and the API's contract. */
const START = ['app/start.tsx'];
/** What every screen of a signed-in administrator needs: its frame, its data, and how it follows what changes. */
const SHELL = ['app/Shell.tsx', 'data/queries.ts'];
const STREAMS = /[\\/]sdk[\\/]src[\\/]client[\\/](?:reconnecting|sharedConnection)\.ts$/;
const SCREENS = [
  'features/home/HomePage.tsx',
  'features/nodes/NodesPage.tsx',
  'features/nodes/NodePage.tsx',
  'features/domains/DomainsPage.tsx',
  'features/logs/LogsPages.tsx',
];

type Graph = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

/**
 * The files that a first visit loads, few and large: left alone, the bundler makes a file of each part that two screens
 * share, and a request of each takes longer than what is in it. What only a dialog or one screen needs is left to it.
 */
export function chunkGroups() {
  let groups: Map<string, string> | null = null;
  const group = (name: string, priority: number) => ({
    name: (id: string, graph: Graph): string | null => {
      groups ??= groupsOf(graph);
      return (groups.get(id) ?? (STREAMS.test(id) ? 'shell' : null)) === name ? name : null;
    },
    priority,
  });
  // What both need, libraries too, goes with the first.
  return [group('main', 3), group(START_CHUNK, 2), group('shell', 1)];
}

function groupsOf(graph: Graph): Map<string, string> {
  const reached = (roots: readonly string[]) =>
    reachedFrom(
      graph,
      roots.map((root) => join(SOURCE, root)),
    );
  const shell = reached(SHELL);
  const screens = SCREENS.map((screen) => reached([screen]));
  // What more than one of them needs is worth having for all.
  const shared = screens
    .flatMap((screen) => [...screen])
    .filter((id) => screens.filter((one) => one.has(id)).length > 1);
  const groups = new Map<string, string>();
  for (const id of [...shell, ...shared]) groups.set(id, 'shell');
  for (const id of reached(START)) groups.set(id, START_CHUNK);
  for (const id of [...reached(MAIN), LOADER]) groups.set(id, 'main');
  return groups;
}

/** The console's own modules that some of them need at once. */
function reachedFrom(graph: Graph, roots: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const visit = (id: string) => {
    if (reached.has(id) || !id.startsWith(SOURCE) || !/\.tsx?$/.test(id)) return;
    reached.add(id);
    graph.getModuleInfo(id)?.importedIds.forEach(visit);
  };
  roots.forEach(visit);
  return reached;
}
