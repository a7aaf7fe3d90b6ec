import type { Database } from 'better-sqlite3';
import { nodeNameKey } from '../nodeName.ts';

const NAME_MAX_CHARS = 255;

/** Nodes are told apart by their names, whatever the case of the letters. */
export const uniqueNodeNames = `
create unique index nodes_name on nodes (name collate nocase);
`;

/**
 * Gives each node a name of its own: the oldest of those that share one keeps it (the local node before all), the others get
 * the next free number behind it.
 */
export function renameDuplicateNodes(database: Database): void {
  const nodes = database.prepare('select id, name from nodes order by is_local desc, id').all() as {
    id: number;
    name: unknown;
  }[];
  const rename = database.prepare('update nodes set name = ?, version = version + 1 where id = ?');
  const taken = new Set(nodes.map(({ name }) => nodeNameKey(name)));
  const kept = new Set<string>();
  for (const { id, name: stored } of nodes) {
    // A damaged row may hold anything.
    const name = String(stored);
    if (!kept.has(nodeNameKey(name))) {
      kept.add(nodeNameKey(name));
      continue;
    }
    let number = 2;
    const numbered = () => `${name.slice(0, NAME_MAX_CHARS - 12).toWellFormed()}-${number}`;
    while (taken.has(nodeNameKey(numbered()))) number += 1;
    taken.add(nodeNameKey(numbered()));
    rename.run(numbered(), id);
  }
}
