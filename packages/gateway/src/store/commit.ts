import { closeSync, fdatasync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Database as SqliteFile } from 'better-sqlite3';
import { type Kysely, sql as raw } from 'kysely';
import type { Database } from './rows.ts';

/** One transaction of the database. */
type Sql = Kysely<Database>;

/** Runs work in a transaction; fulfilled when what it wrote is on the disk. */
export type Commit = <T>(work: (tx: Sql) => Promise<T>) => Promise<T>;

type Waiting = {
  work(tx: Sql): Promise<unknown>;
  done(value: unknown): void;
  failed(error: unknown): void;
};
type Outcome<T = unknown> = { value: T } | { error: unknown };

/**
 * Transactions that share the wait for the disk, and let the next ones go on meanwhile. Anyone who comes while one is being written goes into the next, all
 * together, one after the other, each behind a savepoint: work that fails is undone by itself. Only when the disk
 * refuses are all of them undone, and all of them told.
 * @param around called in front of each transaction and behind it; what it throws undoes nothing, but refuses all
 * @param sync fulfilled when what was committed is on the disk; a rejection refuses all
 */
export function createGroupCommit(sql: Sql, around: () => void, sync: () => Promise<void>): Commit {
  let queue: Waiting[] = [];
  let running = false;

  const commit = async (group: readonly Waiting[]): Promise<Outcome[]> => {
    around();
    const outcomes = await sql.transaction().execute(async (tx) => {
      const [only] = group;
      // Alone, it needs no savepoint: its failure undoes the transaction.
      if (only !== undefined && group.length === 1) return [{ value: await only.work(tx) }];
      const found: Outcome[] = [];
      for (const { work } of group) found.push(await behindSavepoint(tx, () => work(tx)));
      return found;
    });
    around();
    return outcomes;
  };

  const run = async (): Promise<void> => {
    running = true;
    while (queue.length > 0) {
      const group = queue;
      queue = [];
      const refuse = (error: unknown): void => {
        for (const { failed } of group) failed(error);
      };
      const answer = (outcomes: readonly Outcome[]): void => {
        for (const [index, outcome] of outcomes.entries()) {
          if ('error' in outcome) group[index]?.failed(outcome.error);
          else group[index]?.done(outcome.value);
        }
      };
      try {
        const outcomes = await commit(group);
        void sync().then(() => answer(outcomes), refuse);
      } catch (error) {
        refuse(error);
      }
    }
    running = false;
  };

  return <T>(work: (tx: Sql) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      queue.push({ work, done: (value) => resolve(value as T), failed: reject });
      if (!running) void run();
    });
}

/** Does work within a transaction; when it fails, what it wrote is undone, and nothing else. It may be done within such work. */
export async function behindSavepoint<T>(tx: Sql, work: () => Promise<T>): Promise<Outcome<T>> {
  await raw`savepoint one`.execute(tx);
  let outcome: Outcome<T>;
  try {
    outcome = { value: await work() };
  } catch (error) {
    outcome = { error };
  }
  try {
    if ('error' in outcome) await raw`rollback to one`.execute(tx);
    await raw`release one`.execute(tx);
  } catch (error) {
    // On a full disk SQLite has undone everything: the reason is what counts, not that the savepoint is gone.
    throw 'error' in outcome ? outcome.error : error;
  }
  return outcome;
}

/**
 * The write-ahead log of an open database, written through to the disk next to everything else that the gateway does:
 * SQLite itself would stop the whole process for it, once for each commit. The pages of the log belong to the file, not
 * to anyone who wrote them, so a descriptor of our own does as well as SQLite's.
 */
export function createDiskSync(
  { name, memory }: Pick<SqliteFile, 'name' | 'memory'>,
  flush: (descriptor: number) => Promise<void> = promisify(fdatasync),
) {
  if (memory) return { sync: () => Promise.resolve(), close: () => undefined };
  const log = openSync(`${name}-wal`, 'r');
  let closed = false;
  let running: Promise<void> | null = null;
  let next: Promise<void> | null = null;
  const run = (): Promise<void> => {
    next = null;
    running = flush(log).finally(() => {
      if (next === null) running = null;
      if (closed && running === null) closeSync(log);
    });
    return running;
  };
  return {
    // One that runs already may have begun before the commit.
    /** Fulfilled when every commit before the call would outlive a power cut. Callers of the same moment share one wait. */
    sync: (): Promise<void> => {
      if (running === null) return run();
      next ??= running.then(run, run);
      return next;
    },
    close: (): void => {
      if (closed) return;
      closed = true;
      if (running === null) closeSync(log);
    },
  };
}
