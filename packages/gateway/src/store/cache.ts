import type { Database } from 'better-sqlite3';

/** What small reads answered, until a write: of this process, or of another that has the file open. */
export type ReadCache = {
  /** What `query` answers, or answered before; it cannot be changed. @param name says all that the answer depends on */
  read<Answer>(name: string, query: () => Promise<Answer>): Promise<Answer>;
  /** Called for everything that may write. */
  forget(): void;
};

const ANSWERS_MAX = 200;
/** How late another process's write may be seen. Ours is the only one that should write; theirs are repairs by hand. */
const FOREIGN_MS = 20;

/** The console asks for the same page again and again: with this, `GET /api/nodes` takes two thirds of the time. */
export function createReadCache(database: Database): ReadCache {
  const answers = new Map<string, unknown>();
  const readForeign = database.prepare('pragma data_version').pluck();
  let own = 0;
  let answersOf = '';
  let foreign: unknown = null;

  /** Tells this state of the database from any other. */
  const state = (): string => {
    if (foreign === null) {
      foreign = readForeign.get();
      setTimeout(() => (foreign = null), FOREIGN_MS).unref();
    }
    return `${own} ${String(foreign)}`;
  };
  const refresh = (): string => {
    const current = state();
    if (answersOf !== current || answers.size >= ANSWERS_MAX) answers.clear();
    answersOf = current;
    return current;
  };

  return {
    async read<Answer>(name: string, query: () => Promise<Answer>) {
      const before = refresh();
      if (answers.has(name)) return answers.get(name) as Answer;
      const answer = await query();
      // It is every later caller's as well.
      deepFreeze(answer);
      if (refresh() === before) answers.set(name, answer);
      return answer;
    },
    forget: () => void (own += 1),
  };
}

function deepFreeze(value: unknown): void {
  // The bytes of a damaged row cannot be frozen.
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return;
  Object.values(Object.freeze(value)).forEach(deepFreeze);
}
