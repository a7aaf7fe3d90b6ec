import { join } from 'node:path';

const SOURCE = join(import.meta.dirname, '..', 'src');

/** The console itself: its router, its connection, the login page, and what these need, as React and the API's contract. */
const MAIN = ['app/main.ts'];
/** Has the browser load the other files. */
const LOADER = '\0vite/preload-helper.js';
/** What every screen of a signed-in administrator needs: its frame, its data, how it follows what changes, and its lists. */
const SHELL = [
  'app/Shell.tsx',
  'data/queries.ts',
  'ui/table/QueryTable.tsx',
  'ui/layout/Page.tsx',
  'ui/layout/Badge.tsx',
  'ui/controls/Chips.tsx',
  'features/services/useServiceActions.tsx',
  'data/LiveStopped.tsx',
  'state/visits.ts',
  'features/nodes/nodeState.tsx',
  'features/services/ServiceStatus.tsx',
];
/** The list of the nodes, and what the page of one has besides. */
const NODES = ['features/nodes/NodesPage.tsx'];
const NODE = ['features/nodes/NodePage.tsx'];
/** The page of a service and its log: from the one to the other nothing is fetched. */
const SERVICE = ['features/services/ServicePage.tsx', 'features/logs/LogsPages.tsx'];
/** What a card, a list or a dialog elsewhere needs without the rest of that. */
const APART = /[\\/](?:ui[\\/]controls[\\/]ToggleChips\.tsx|data[\\/]domainNames\.ts)$/;
/** Parts of the forms of services and domains: left alone, a file of 1 kB each. */
const FORMS =
  /[\\/](?:form[\\/](?:FormGroup|NoteFields|SplitAddress|pastedAddress)|sdk[\\/]src[\\/]rules[\\/]backendHost)\.tsx?$/;
/** Every dialog with a form has the one, and most have the other: alone each would be a file of 1 kB. */
const FORM_FRAME = /[\\/](?:form[\\/]FormDialog|ui[\\/]controls[\\/]TagInput)\.tsx$/;
/** Streams of the client, and icons that screens and dialogs share: alone each would be a file of 0.4 kB. */
const SHARED =
  /[\\/](?:sdk[\\/]src[\\/]client[\\/](?:reconnecting|sharedConnection)\.ts|icons[\\/](?:refresh-cw|download)\.\w+)$/;
/** Icons of the list of nodes that other files have as well, which come after it. */
const OF_NODES = /[\\/]icons[\\/](?:clock|key-round)\.\w+$/;

/** Calls that one screen makes: left to the bundler, they would come with the contract, which the login page loads. */
const LATER = ['bulk', 'seldom|joinKey|apiToken|publicAddress|settings'].map((names) => ({
  name: names.replace(/\|.*/, ''),
  test: new RegExp(`[\\\\/]sdk[\\\\/]src[\\\\/]contract[\\\\/](?:${names})\\.ts$`),
  priority: 4,
  includeDependenciesRecursively: false,
}));

type Graph = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

/**
 * The files that a first visit loads, few and large: left alone, the bundler makes a file of each part that two screens
 * share, and a request of each takes longer than what is in it. What only a dialog or one large screen needs is left to it.
 */
export function chunkGroups() {
  let groups: Map<string, string> | null = null;
  const group = (name: string, priority: number) => ({
    name: (id: string, graph: Graph): string | null => {
      groups ??= groupsOf(graph);
      return (groups.get(id) ?? (SHARED.test(id) ? 'shell' : OF_NODES.test(id) ? 'nodes' : null)) === name
        ? name
        : null;
    },
    priority,
  });
  // What both need, libraries too, goes with the first.
  return [
    ...LATER,
    { name: 'chips', test: APART, priority: 4, includeDependenciesRecursively: false },
    { name: 'frame', test: FORM_FRAME, priority: 4, includeDependenciesRecursively: false },
    { name: 'forms', test: FORMS, priority: 4, includeDependenciesRecursively: false },
    group('main', 3),
    group('shell', 2),
    group('nodes', 1),
    group('node', 1),
    group('service', 1),
  ];
}

function groupsOf(graph: Graph): Map<string, string> {
  const groups = new Map<string, string>();
  for (const id of reachedFrom(graph, SERVICE)) groups.set(id, 'service');
  for (const id of reachedFrom(graph, NODE)) groups.set(id, 'node');
  for (const id of reachedFrom(graph, NODES)) groups.set(id, 'nodes');
  for (const id of reachedFrom(graph, SHELL)) groups.set(id, 'shell');
  for (const id of [...reachedFrom(graph, MAIN), LOADER]) groups.set(id, 'main');
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
  for (const root of roots) visit(join(SOURCE, root));
  return reached;
}
