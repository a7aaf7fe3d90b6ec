import { codeOf } from './open.ts';
import { idempotencyKeysOf } from './records.ts';
import type { HttpServiceRow } from './rows.ts';
import { type Connection, pathKey, readTable, tokens, writeTable } from './tables.ts';
import { type Change, isOfService, nodesOn, readersOf, type RowKind, shapes } from './transaction.ts';

// How changes that cannot be served are taken back.

/**
 * Takes changes back, the last one first. `changes` is what that changed; `isWhole` is false when a row could not become
 * what it was and stays as it is.
 */
export async function restoreChanges(
  connection: Connection,
  changes: readonly Change[],
): Promise<{ changes: Change[]; isWhole: boolean }> {
  const done: Change[] = [];
  let isWhole = true;
  for (const change of changes.toReversed()) {
    const restored = await restoreChange(connection, change);
    if (restored === 'impossible') isWhole = false;
    else if (restored !== null) done.push(restored);
  }
  return { changes: done, isWhole };
}

/**
 * A row that was changed again since is left alone: it is not the row any more that was refused. The idempotency key of
 * the change always goes: the call may be made again.
 */
async function restoreChange<Kind extends RowKind>(
  connection: Connection,
  change: Change<Kind>,
): Promise<Change<Kind> | 'impossible' | null> {
  const { kind, id, before, after, key } = change;
  if (key !== undefined) await idempotencyKeysOf(connection).remove(key.caller, key.keyHash);
  const current = await readTable(connection, shapes[kind]).get(id);
  if ((current?.version ?? null) !== (after?.version ?? null)) return null;
  const table = writeTable(connection, shapes[kind]);
  if (before === null) {
    // Another caller's service stands on it by now: what was made on the way stays.
    if (await isInUse(connection, change as Change)) return null;
    await table.remove(id);
  } else if (!(await mayReturn(connection, change as Change)) || !(await fits(() => table.put(before)))) {
    return 'impossible';
  }
  for (const token of change.tokens ?? []) await writeTable(connection, tokens).put(token);
  return { ...change, before: after, after: before };
}

/** Whether a service belongs to the domain or the node that was made. */
async function isInUse(connection: Connection, { kind, after }: Change): Promise<boolean> {
  if (after === null || (kind !== 'domain' && kind !== 'node')) return false;
  const where = kind === 'domain' ? { domain: after.domain } : { nodeId: after.id };
  const at = readersOf(connection);
  return (await at.httpServices.all(where)).length > 0 || (await at.tcpServices.all(where)).length > 0;
}

/**
 * Whether a service may go back to the place that it left: the domain is the same one, no one changed it since, and nothing
 * came in between that could not have come while the service was there. To a domain that is reserved, or that names the
 * node, nodes come by the administrator alone.
 */
async function mayReturn(connection: Connection, change: Change): Promise<boolean> {
  if (!isOfService(change) || change.before === null || change.left === undefined) return true;
  const { before, left } = change;
  const { domain, nodeId } = before;
  const at = readersOf(connection);
  const path = 'pathLocation' in before ? pathKey(before.pathLocation) : null;
  const isSelf = (id: number): boolean => change.kind === 'httpService' && id === change.id;
  const there = left.paths === null ? [] : await at.httpServices.all({ domain });
  const came = there.filter(({ id, pathLocation }) => !isSelf(id) && left.paths?.get(id) !== pathLocation);
  const isInTheWay = ({ builtin, pathLocation, nodeId: by }: HttpServiceRow): boolean =>
    // The console shares its domain with nothing.
    (domain !== null && (builtin || ('builtin' in before && before.builtin))) ||
    (path !== null && (by === nodeId ? pathKey(pathLocation) === path : areRelated(pathKey(pathLocation), path)));
  if (came.some(isInTheWay)) return false;
  if (domain === null || domain === change.after?.domain) return true;
  const [row] = await at.domains.all({ domain });
  if (row === undefined || row.id !== left.domain?.id || row.version !== left.domain.version) return false;
  if (row.reserved || (Array.isArray(row.allowedNodes) && row.allowedNodes.includes(nodeId))) return true;
  return [...(await nodesOn(at, domain))].every((id) => id === nodeId || left.nodeIds.has(id));
}

/** Whether one of two paths, as they are compared, is the other or below it. The root is in no other one's way. */
const areRelated = (one: string, other: string): boolean =>
  one === other || (one !== '/' && other !== '/' && (one.startsWith(other) || other.startsWith(one)));

/** Whether a row could be written: its place may be taken, and its node or its domain gone. */
async function fits(write: () => Promise<void>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (error) {
    // SQLite undoes the statement alone.
    if (codeOf(error).startsWith('SQLITE_CONSTRAINT')) return false;
    throw error;
  }
}
