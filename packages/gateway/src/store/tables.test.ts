import Sqlite, { type Database } from 'better-sqlite3';
import { CamelCasePlugin, Kysely, SqliteDialect } from 'kysely';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { domainDefaults } from '@sallyport/sdk/contract';
import { migrate } from './migrations.ts';
import type { Database as Tables } from './rows.ts';
import { serviceKeysOf } from './serviceKeys.ts';
import { kyselyDatabase } from './sqlite.ts';
import { type Connection, domains, readTable, writeTable } from './tables.ts';

let database: Database;
let connection: Connection;

beforeEach(() => {
  database = new Sqlite(':memory:');
  migrate(database);
  const dialect = new SqliteDialect({ database: kyselyDatabase(database, () => undefined) });
  connection = {
    sql: new Kysely<Tables>({ dialect, plugins: [new CamelCasePlugin()] }),
    now: () => new Date('2026-11-21T12:00:00.000Z'),
  };
});
afterEach(() => connection.sql.destroy());

it('searches without patterns, which take the length of a text times that of what is looked for', async () => {
  database.function('like', { varargs: true }, () => {
    throw new Error('a pattern');
  });
  await writeTable(connection, domains).insert({
    ...domainDefaults,
    cameWithService: false,
    domain: 'a.example.test',
    tags: ['Küche'],
    notes: 'Behind the 100% GARAGE\\_',
  });
  const { list } = readTable(connection, domains);
  for (const search of ['EXAMPLE', 'garage', '100%', '\\_', 'KÜCHE', 'üc'])
    expect((await list({ search })).total, search).toBe(1);
  for (const search of ['10%E', 'g_rage', 'Küche garage']) expect((await list({ search })).total, search).toBe(0);
  const address = { ownHost: 'gateway.test', httpsPort: '', consolePort: '' };
  const wanted = { search: 'x'.repeat(200), nodeIds: null, address };
  expect((await serviceKeysOf(connection).keys(wanted, { page: 1, limit: 10 })).total).toBe(0);
});
