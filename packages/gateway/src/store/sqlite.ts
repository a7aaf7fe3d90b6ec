import type { Database, Statement } from 'better-sqlite3';
import { type Kysely, sql as raw, type SqliteDatabase, type SqliteStatement } from 'kysely';
import type { Database as Tables, Rows } from './rows.ts';
import { addTagFunctions } from './tags.ts';

/** `created_at` as `createdAt`. */
export const camelCase = (name: string) => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/**
 * What a flag counts as when it is neither yes nor no, where one of them opens something and the other can be saved again.
 * Flags of services are not among them: such a service is closed, and says why.
 */
const SAFE_SIDES: { [Name in keyof Rows]?: Partial<Rows[Name]> } = {
  nodes: { enabled: false, allowAnyDomain: false },
  domains: { reserved: true },
  nodeTokens: { revoked: true },
};

/** Makes a row that SQLite read the row that was written: it knows neither booleans nor lists. */
type Decode = (row: object) => object;

/** Goes by the declared types of the columns, so that a new column needs its line in a migration and nothing else. */
function decoderOf(statement: Statement): Decode {
  const decoders = statement.columns().flatMap(({ name, table, column, type }) => {
    if (type === 'json_text') return [[name, parsed] as const];
    if (type !== 'boolean') return [];
    const flags: Readonly<Record<string, unknown>> = SAFE_SIDES[camelCase(table ?? '') as keyof Rows] ?? {};
    const safe = flags[camelCase(column ?? '')];
    return [[name, (value: unknown) => yesOrNo(value, safe)] as const];
  });
  if (decoders.length === 0) return (row) => row;
  return (row) => {
    const values = { ...row } as Record<string, unknown>;
    for (const [name, decode] of decoders) values[name] = decode(values[name]);
    return values;
  };
}

/** What is neither stays as it is unless one side is safe: it must not count as a no where that opens something. */
const yesOrNo = (value: unknown, safe: unknown): unknown =>
  value === 0 || value === 1 ? value === 1 : (safe ?? value);

/** One damaged value must not keep all rows from being read: it stays the text that it is, and its reader refuses it. */
function parsed(text: unknown): unknown {
  try {
    return text === null ? null : (JSON.parse(text as string) as unknown);
  } catch {
    return text;
  }
}

/** As SQLite can hold it. The bytes of a damaged row stay bytes. */
function encoded(value: unknown): unknown {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null && !(value instanceof Uint8Array) ? JSON.stringify(value) : value;
}

/** More than the gateway has: each list can be searched and ordered in a few ways. */
const STATEMENTS_MAX = 500;

/**
 * An open database as Kysely uses it: with the values of `Rows`. Kysely asks for each statement again; to prepare one
 * takes longer than to run it, and what is prepared takes room until it is collected, so they are kept.
 * @param written called for each statement that may write, `begin` and `commit` among them
 */
export function kyselyDatabase(database: Database, written: () => void): SqliteDatabase {
  addTagFunctions(database);
  const statements = new Map<string, SqliteStatement & { readonly mayWrite: boolean }>();
  const prepared = (text: string) => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    if (statements.size >= STATEMENTS_MAX) statements.clear();
    const statement = translated(database.prepare(text));
    statements.set(text, statement);
    return statement;
  };
  return {
    close: () => void database.close(),
    prepare(wanted) {
      // On a full disk SQLite takes the transaction back by itself; rolling it back once more would fail, and with that
      // error hide the first one.
      const statement = prepared(wanted === 'rollback' && !database.inTransaction ? 'select 1' : wanted);
      if (statement.mayWrite) written();
      return statement;
    },
  };
}

function translated(statement: Statement): SqliteStatement & { readonly mayWrite: boolean } {
  const decode = statement.reader ? decoderOf(statement) : null;
  return {
    reader: statement.reader,
    mayWrite: !statement.reader || !statement.readonly,
    all: (values) => (statement.all(values.map(encoded)) as object[]).map((row) => decode?.(row) ?? row),
    run: (values) => statement.run(values.map(encoded)),
    iterate: (values) => statement.iterate(values.map(encoded)),
  };
}

const ANSWERS_MAX = 200;
/** A hundred nodes take less. All answers together so take 30 MB at most. */
const ANSWER_MAX_BYTES = 150_000;
/** How late another process's write may be seen. Ours is the only one that should write; theirs are repairs by hand. */
const FOREIGN_MS = 20;

/**
 * What small reads answered, until a write: of this process, or of another that has the file open. The console asks for the
 * same page again and again: with this, `GET /api/nodes` takes two thirds of the time.
 */
export function createReadCache(database: Database) {
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
    /** What `query` answers, or answered before; it cannot be changed. @param name says all that the answer depends on */
    async read<Answer>(name: string, query: () => Promise<Answer>): Promise<Answer> {
      const before = refresh();
      if (answers.has(name)) return answers.get(name) as Answer;
      const answer = await query();
      // It is every later caller's as well.
      const bytes = deepFreeze(answer);
      if (bytes <= ANSWER_MAX_BYTES && refresh() === before) answers.set(name, answer);
      return answer;
    },
    /** Called for everything that may write. */
    forget: (): void => void (own += 1),
  };
}

/** About how many bytes a value takes without its parts. */
const VALUE_BYTES = 16;

/** Freezes a value with all of its parts; returns about how many bytes they take. */
function deepFreeze(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + 2 * value.length;
  // The bytes of a damaged row cannot be frozen.
  if (ArrayBuffer.isView(value)) return VALUE_BYTES + value.byteLength;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  return Object.values(Object.freeze(value)).reduce((bytes: number, part) => bytes + deepFreeze(part), VALUE_BYTES);
}

/** The highest number that an object ever had. */
export async function highestNumber(tables: Kysely<Tables>): Promise<number> {
  const { rows } = await raw<{ highest: number | null }>`select max(seq) as highest from sqlite_sequence`.execute(
    tables,
  );
  return rows[0]?.highest ?? 0;
}

/** Has the next object of each kind get a higher number than this. */
export async function raiseNumbers(tables: Kysely<Tables>, to: number): Promise<void> {
  await raw`update sqlite_sequence set seq = max(seq, ${to})`.execute(tables);
  await raw`insert into sqlite_sequence (name, seq) select name, ${to} from sqlite_master
    where type = 'table' and sql like '%autoincrement%' and name not in (select name from sqlite_sequence)`.execute(
    tables,
  );
}
