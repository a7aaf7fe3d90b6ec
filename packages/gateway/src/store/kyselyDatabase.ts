import type { Database, Statement } from 'better-sqlite3';
import type { SqliteDatabase } from 'kysely';

/** More than the gateway has: each list can be searched and ordered in a few ways. */
const STATEMENTS_MAX = 500;

/**
 * The database as Kysely uses it, which asks for each statement anew: to prepare one takes longer than to run it, so
 * they are kept.
 * @param written called for each statement that may write, `begin` and `commit` among them
 */
export function kyselyDatabase(database: Database, written: () => void): SqliteDatabase {
  const statements = new Map<string, Statement>();
  const prepared = (text: string): Statement => {
    const known = statements.get(text);
    if (known !== undefined) return known;
    if (statements.size >= STATEMENTS_MAX) statements.clear();
    const statement = database.prepare(text);
    statements.set(text, statement);
    return statement;
  };
  return {
    close: () => void database.close(),
    prepare(wanted) {
      // On a full disk SQLite takes the transaction back by itself; rolling it back once more would fail, and with that
      // error hide the first one.
      const statement = prepared(wanted === 'rollback' && !database.inTransaction ? 'select 1' : wanted);
      if (!statement.reader || !statement.readonly) written();
      return statement;
    },
  };
}
