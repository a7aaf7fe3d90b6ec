import type { Database } from 'better-sqlite3';

/** What SQLite can hold. */
export type SqlValue = string | number | null;

type Encoding = 'plain' | 'boolean' | 'json';

/** How each column of each table is written, by its name in rows. */
export type Codec = {
  encode(table: string, row: Readonly<Record<string, unknown>>): Record<string, SqlValue>;
  decode(table: string, row: Readonly<Record<string, unknown>>): Record<string, unknown>;
};

const ENCODINGS: Record<string, Encoding> = { boolean: 'boolean', json_text: 'json' };

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
  const encodings = new Map<string, Map<string, Encoding>>();
  for (const { tableName, columnName, declared } of columns) {
    const ofTable = encodings.get(tableName) ?? new Map<string, Encoding>();
    encodings.set(tableName, ofTable.set(camelCase(columnName), ENCODINGS[declared] ?? 'plain'));
  }
  /** Every change reads thousands of rows: nothing here may be worked out once for each value. */
  const convert = <T>(
    table: string,
    row: Readonly<Record<string, unknown>>,
    one: (value: unknown, encoding: Encoding) => T,
  ): Record<string, T> => {
    const ofTable = encodings.get(table);
    const converted: Record<string, T> = {};
    for (const column of Object.keys(row)) converted[column] = one(row[column], ofTable?.get(column) ?? 'plain');
    return converted;
  };
  return {
    encode: (table, row) =>
      convert(table, row, (value, encoding): SqlValue => {
        if (value === null || value === undefined) return null;
        // SQLite's driver refuses booleans.
        if (typeof value === 'boolean') return value ? 1 : 0;
        if (encoding === 'json') return JSON.stringify(value);
        return value as string | number;
      }),
    decode: (table, row) =>
      convert(table, row, (value, encoding) => {
        if (value === null) return null;
        if (encoding === 'boolean') return value === 1;
        return encoding === 'json' ? parsed(value as string) : value;
      }),
  };
}

/** One damaged value must not keep all rows from being read: it stays the text that it is, and whoever uses it refuses it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
