import type { Database } from 'better-sqlite3';

/** What SQLite can hold. */
export type SqlValue = string | number | null;

/** How a value is written that SQLite cannot hold as it is. */
type Encoding = 'boolean' | 'json';

/** How each column of each table is written, by its name in rows. */
export type Codec = {
  encode(table: string, row: Readonly<Record<string, unknown>>): Record<string, SqlValue>;
  decode(table: string, row: Readonly<Record<string, unknown>>): Record<string, unknown>;
};

const ENCODINGS: Record<string, Encoding> = { boolean: 'boolean', json_text: 'json' };

/**
 * What a flag counts as when it is neither yes nor no, where one of them opens something and the other can be saved again.
 * Flags of services are not among them: such a service is closed, and says why.
 */
const SAFE_SIDES: Record<string, Record<string, boolean>> = {
  nodes: { enabled: false, allowAnyDomain: false },
  domains: { reserved: true },
  node_tokens: { revoked: true },
};

/** `created_at` as `createdAt`. */
export const camelCase = (name: string) => name.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Reads the declared types of all columns, so that a new column needs its line in a migration and nothing else. */
export function readCodec(database: Database): Codec {
  const columns = database
    .prepare(
      `select t.name as tableName, c.name as columnName, lower(c.type) as declared
       from sqlite_schema t join pragma_table_info(t.name) c where t.type = 'table'`,
    )
    .all() as { tableName: string; columnName: string; declared: string }[];
  // Only the columns that are not plain: every change reads thousands of rows, and each has few of them.
  const encodings = new Map<string, Map<string, Encoding>>();
  for (const { tableName, columnName, declared } of columns) {
    const encoding = ENCODINGS[declared];
    if (encoding === undefined) continue;
    const ofTable = encodings.get(tableName) ?? new Map<string, Encoding>();
    encodings.set(tableName, ofTable.set(camelCase(columnName), encoding));
  }
  return {
    encode(table, row) {
      const ofTable = encodings.get(table);
      const encoded: Record<string, SqlValue> = {};
      for (const column of Object.keys(row)) encoded[column] = encodedValue(row[column], ofTable?.get(column));
      return encoded;
    },
    decode(table, row) {
      const decoded = { ...row };
      for (const [column, encoding] of encodings.get(table) ?? []) {
        const value = row[column];
        if (value === undefined) continue;
        if (encoding === 'boolean') decoded[column] = yesOrNo(value, SAFE_SIDES[table]?.[column]);
        else if (value !== null) decoded[column] = parsed(value as string);
      }
      return decoded;
    },
  };
}

function encodedValue(value: unknown, encoding: Encoding | undefined): SqlValue {
  if (value === null || value === undefined) return null;
  // SQLite's driver refuses booleans.
  if (typeof value === 'boolean') return value ? 1 : 0;
  return encoding === 'json' ? JSON.stringify(value) : (value as string | number);
}

/** What is neither stays as it is unless one side is safe: it must not count as a no where that opens something. */
const yesOrNo = (value: unknown, safe: boolean | undefined): unknown =>
  value === 0 || value === 1 ? value === 1 : (safe ?? value);

/** One damaged value must not keep all rows from being read: it stays the text that it is, and whoever uses it refuses it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
