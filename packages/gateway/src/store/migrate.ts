import type { Database } from 'better-sqlite3';
import { type Migration, migrations } from './migrations/migrations.ts';

/** Stands in the file's header, so that another program's database is not taken for ours. */
export const APPLICATION_ID = 0x53_50_47_57;

/** The database is of a newer gateway than this one. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
}

/** @throws {NewerDatabaseError} when a newer gateway wrote the database */
export function checkVersion(database: Database, steps: readonly Migration[] = migrations): number {
  const current = Number(database.pragma('user_version', { simple: true }));
  if (current > steps.length) throw new NewerDatabaseError(`schema ${current}, known ${steps.length}`);
  return current;
}

/**
 * Brings the schema up to date; everything that is due happens in one transaction, or not at all.
 * @throws {NewerDatabaseError} without touching anything when a newer gateway wrote the database
 */
export function migrate(database: Database, steps: readonly Migration[] = migrations): void {
  const current = checkVersion(database, steps);
  if (current === steps.length) return;
  database
    .transaction(() => {
      for (const step of steps.slice(current)) {
        step.prepare?.(database);
        database.exec(step.sql);
      }
      database.pragma(`user_version = ${steps.length}`);
      database.pragma(`application_id = ${APPLICATION_ID}`);
    })
    .immediate();
}
