import type { Database } from 'better-sqlite3';
import type { SqlValue } from './codec.ts';

export type SqlRow = Record<string, SqlValue>;

/** What small reads answered, until somebody writes: this process, or another that has the file open. */
export type ReadCache = {
  /** Undefined when it must be read. */
  get(name: string): readonly SqlRow[] | undefined;
  /** Remembers what was read, unless something was written since `of` was taken. */
  keep(name: string, rows: readonly SqlRow[], of: string): void;
  /** Tells this state of the database from any other. */
  state(): string;
  /** Called for everything that may write. */
  forget(): void;
};

const ANSWERS_MAX = 200;
/** How late another process's write may be seen. Ours is the only one that should write; theirs are mends by hand. */
const FOREIGN_MS = 20;
/** Whole tables are read for the ingress, once for each write: they would only take up room. */
const ROWS_MAX = 100;

export function createReadCache(database: Database): ReadCache {
  const answers = new Map<string, readonly SqlRow[]>();
  const readForeign = database.prepare('pragma data_version').pluck();
  let own = 0;
  let answersOf = '';
  let foreign: unknown = null;

  const state = (): string => {
    if (foreign === null) {
      foreign = readForeign.get();
      setTimeout(() => (foreign = null), FOREIGN_MS).unref();
    }
    return `${own} ${String(foreign)}`;
  };
  const refresh = (): void => {
    const current = state();
    if (answersOf === current && answers.size < ANSWERS_MAX) return;
    answers.clear();
    answersOf = current;
  };

  return {
    state,
    get(name) {
      refresh();
      return answers.get(name);
    },
    keep(name, rows, of) {
      if (rows.length > ROWS_MAX) return;
      refresh();
      if (answersOf === of) answers.set(name, rows);
    },
    forget: () => void (own += 1),
  };
}
