import type { Database as SqliteFile } from 'better-sqlite3';
import { CamelCasePlugin, Kysely, SqliteDialect } from 'kysely';
import { createDiskSync, createGroupCommit } from './commit.ts';
import { createReadCache, kyselyDatabase } from './sqlite.ts';
import { type History, historyOf } from './records.ts';
import { createPresence, explainWriteError, isFull, openDatabase, type OpenOptions } from './open.ts';
import type { Database, DomainRow, HttpServiceRow, NodeRow, SessionEnd, TcpServiceRow } from './rows.ts';
import type { Connection, Reader } from './tables.ts';
import {
  type Change,
  type Notes,
  readersOf,
  type StoreReader,
  type Transaction,
  transactionOf,
} from './transaction.ts';
import { restoreChanges } from './restoreChanges.ts';
import { createUnsavedSessions, type UnsavedSessions } from './sessions.ts';

/** Everything that the ingress and the tunnel are rendered from, enabled or not. */
export type Desired = {
  nodes: NodeRow[];
  domains: DomainRow[];
  httpServices: HttpServiceRow[];
  tcpServices: TcpServiceRow[];
};

/** The database of the gateway. */
export type Store = StoreReader & {
  /**
   * One transaction: on the disk when the promise is fulfilled, undone as a whole when `work` fails. `work` must read
   * through the transaction alone, and wait for nothing outside the database.
   * @throws {UnwritableError} when the disk does not take it, or the file is not there any more
   */
  write<T>(work: (tx: Transaction) => Promise<T>): Promise<{ value: T; changes: Change[] }>;
  /** Why the database is not there any more, in a sentence; null: it is. What is read then may come from a file that has no name any more. */
  problem(): string | null;
  /** Sessions that a full disk did not take. */
  unsavedSessions: {
    find: UnsavedSessions['find'];
    create: UnsavedSessions['create'];
    /** @param tokenHash of a session that is known, saved or not */
    end(tokenHash: string, reason: SessionEnd): Promise<void>;
  };
  /** How many writes have begun and not ended. */
  writing(): number;
  /**
   * Takes changes back, except where a row was changed again since. False: one could not become what it was, since its
   * place, its domain or its node belongs to others by now or is gone.
   */
  restore(changes: readonly Change[]): Promise<boolean>;
  desired(): Promise<Desired>;
  /** How far the database has come, by its objects; null: nothing has changed since an earlier version, which did not count. */
  history(): Promise<History | null>;
  /** Calls back after each commit that changed an object; returns the way to stop. */
  onChange(listener: (changes: readonly Change[]) => void): () => void;
  /** Calls back with the hash of every token that died; returns the way to stop. */
  onSessionEnd(listener: (tokenHash: string) => void): () => void;
  /** Writes everything into the one file and closes it. */
  close(): Promise<void>;
};

/** Makes the store of an open database. */
function createStore(database: SqliteFile, now: () => Date, makeRoom: NonNullable<OpenOptions['makeRoom']>): Store {
  const cache = createReadCache(database);
  const sql = new Kysely<Database>({
    dialect: new SqliteDialect({ database: kyselyDatabase(database, cache.forget) }),
    plugins: [new CamelCasePlugin()],
  });
  const connection: Connection = { sql, now };
  const readers = readersOf(connection);
  const withCachedPages = <Row>(name: string, reader: Reader<Row>): Reader<Row> => ({
    ...reader,
    list: (options) =>
      options?.limit === undefined
        ? reader.list(options)
        : cache.read(`${name} ${JSON.stringify(options)}`, () => reader.list(options)),
  });
  const findSession = (tokenHash: string) => cache.read(`session ${tokenHash}`, () => readers.sessions.find(tokenHash));
  const disk = createDiskSync(database);
  let writing = 0;
  const presence = createPresence(database);
  // Before and after: the file may have gone meanwhile, and what is answered must be there after a restart.
  const commit = createGroupCommit(sql, presence.check, disk.sync);
  const changeListeners = new Set<(changes: readonly Change[]) => void>();
  const sessionListeners = new Set<(tokenHash: string) => void>();
  const tell = ({ changes, endedSessions }: Notes): void => {
    for (const hash of endedSessions) for (const listener of sessionListeners) listener(hash);
    if (changes.length > 0) for (const listener of changeListeners) listener(changes);
  };
  const subscribe = <L>(listeners: Set<L>, listener: L) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  const unsaved = createUnsavedSessions(now);
  const find = async (tokenHash: string) => unsaved.find(tokenHash) ?? findSession(tokenHash);

  async function attempt<T>(
    work: (tx: Transaction) => Promise<T>,
    hasRoom: boolean,
  ): Promise<{ value: T; notes: Notes }> {
    const notes: Notes = { changes: [], endedSessions: [] };
    try {
      return {
        value: await commit(async (tx) => {
          const value = await work(transactionOf({ ...connection, sql: tx }, notes));
          if (notes.changes.length > 0) await historyOf({ ...connection, sql: tx }).count(notes.changes.length);
          // Within the transaction, so that none is saved after its end.
          notes.endedSessions.forEach(unsaved.forget);
          return value;
        }),
        notes,
      };
    } catch (error) {
      // There is some room kept back for what deletes something, since that makes room, and for sign-outs and revoked
      // tokens, which must not come back to life at the next start. A node also goes from the lists of domains.
      const mayUseReserve = notes.changes.some(({ after }) => after === null) || notes.endedSessions.length > 0;
      if (!hasRoom && isFull(error) && makeRoom(mayUseReserve)) return attempt(work, true);
      throw explainWriteError(error);
    }
  }

  const write: Store['write'] = async (work) => {
    writing += 1;
    const { value, notes } = await attempt(work, false).finally(() => (writing -= 1));
    tell(notes);
    void unsaved.save(write);
    return { value, changes: notes.changes };
  };

  return {
    ...readers,
    nodes: withCachedPages('nodes', readers.nodes),
    domains: withCachedPages('domains', readers.domains),
    httpServices: withCachedPages('httpServices', readers.httpServices),
    tcpServices: withCachedPages('tcpServices', readers.tcpServices),
    sessions: { find, living: readers.sessions.living },
    admin: { get: () => cache.read('administrator', readers.admin.get) },
    write,
    unsavedSessions: {
      find: unsaved.find,
      create: unsaved.create,
      async end(tokenHash, reason) {
        const session = await find(tokenHash);
        if (session === null) return;
        unsaved.end(session, reason);
        tell({ changes: [], endedSessions: [tokenHash] });
      },
    },
    problem: presence.problem,
    writing: () => writing,
    async restore(changes) {
      const restored = await sql.transaction().execute(async (tx) => {
        const taken = await restoreChanges({ ...connection, sql: tx }, changes);
        if (taken.changes.length > 0) await historyOf({ ...connection, sql: tx }).count(taken.changes.length);
        return taken;
      });
      await disk.sync();
      tell({ changes: restored.changes, endedSessions: [] });
      return restored.isWhole;
    },
    async desired() {
      // In one transaction, so that a service never names a domain that is not there.
      return sql.transaction().execute(async (tx) => {
        const { nodes, domains, httpServices, tcpServices } = readersOf({ ...connection, sql: tx });
        return {
          nodes: await nodes.all(),
          domains: await domains.all(),
          httpServices: await httpServices.all(),
          tcpServices: await tcpServices.all(),
        };
      });
    },
    history: () => historyOf(connection).get(),
    onChange: (listener) => subscribe(changeListeners, listener),
    onSessionEnd: (listener) => subscribe(sessionListeners, listener),
    async close() {
      if (!database.open) return;
      // Waits for a transaction that is still running.
      await sql.connection().execute(async () => {
        try {
          database.pragma('wal_checkpoint(TRUNCATE)');
        } catch {
          // On a full disk it stays two files. Nothing is lost: the next start reads both.
        }
      });
      disk.close();
      await sql.destroy();
    },
  };
}

/**
 * Opens the database file, brings its schema up to date and makes the store of it.
 * @param path a file, or `:memory:`
 * @throws {DatabaseError} with a sentence that says what to do
 */
export const openStore = (path: string, now: () => Date, options?: OpenOptions): Store =>
  createStore(openDatabase(path, options), now, options?.makeRoom ?? (() => false));
