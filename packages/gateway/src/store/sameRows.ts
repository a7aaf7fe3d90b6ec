import type { Database, Statement } from 'better-sqlite3';
import { camelCase, type Codec, type SqlValue } from './codec.ts';

type Known = { values: readonly SqlValue[]; row: object };
type Table = { statement: Statement; columns: string[]; id: number; known: Known[] };

/** Reads all rows of a table, oldest first. A row that reads as it did the last time is the very object of then. */
export type SameRows = (table: string) => object[];

/**
 * For whoever reads everything after each change: most rows have not changed, and what was made of them need not be
 * made again.
 *
 * The values are compared, not the versions: a row may have been mended by hand. Nobody may change a row in place.
 */
export function createSameRows(database: Database, codec: Pick<Codec, 'decode'>): SameRows {
  const tables = new Map<string, Table>();

  const open = (name: string): Table => {
    const statement = database.prepare(`select * from "${name}" order by id`);
    const columns = statement.columns().map((column) => camelCase(column.name));
    const table = { statement: statement.raw(), columns, id: columns.indexOf('id'), known: [] };
    tables.set(name, table);
    return table;
  };

  return (name) => {
    const table = tables.get(name) ?? open(name);
    const { statement, columns, id, known } = table;
    let at = 0;
    table.known = (statement.all() as SqlValue[][]).map((values) => {
      // Both are ordered by their number.
      while (Number(known[at]?.values[id]) < Number(values[id])) at += 1;
      const before = known[at];
      if (before !== undefined && values.every((value, index) => value === before.values[index])) return before;
      const row = codec.decode(name, Object.fromEntries(columns.map((column, index) => [column, values[index]])));
      return { values, row };
    });
    return table.known.map(({ row }) => row);
  };
}
