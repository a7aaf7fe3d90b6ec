import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate } from '../migrate.ts';
import { migrations } from './migrations.ts';

const BEFORE = migrations.findIndex(({ name }) => name === 'unique node names');

function upgraded(names: readonly (string | Buffer)[]): unknown[] {
  const database = new Sqlite(':memory:');
  migrate(database, migrations.slice(0, BEFORE));
  const stamps = "1, '2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z'";
  for (const [index, name] of names.entries()) {
    database
      .prepare(
        `insert into nodes (version, created_at, updated_at, name, address, keepalive, allow_internet, is_gateway,
           advanced, is_local, enabled) values (${stamps}, ?, ?, 10, 0, 0, 0, 0, 1)`,
      )
      .run(name, `10.88.0.${index + 2}`);
  }
  migrate(database, migrations);
  const after = database.prepare('select name from nodes order by id').pluck().all();
  database.close();
  return after;
}

it('gives nodes of an older gateway that share a name each their own, the oldest keeps it', () => {
  const before = ['edge', 'site', 'edge', 'Edge', 'edge-2', 'edge', 'ÄRGER', 'ärger'];
  expect(upgraded(before)).toEqual(['edge', 'site', 'edge-3', 'Edge-4', 'edge-2', 'edge-5', 'ÄRGER', 'ärger-2']);
  expect(upgraded(before)).toEqual(upgraded(before));
});

it('keeps a name within what a name may be, and leaves names alone that differ', () => {
  const long = 'x'.repeat(255);
  const [first, second] = upgraded([long, long]);
  expect(first).toBe(long);
  expect(second).toMatch(/^x+-2$/);
  expect(String(second).length).toBeLessThanOrEqual(255);
  expect(upgraded(['a', 'b', 'a-2'])).toEqual(['a', 'b', 'a-2']);
});

it('does not fail at names that were damaged by hand', () => {
  const damaged = Buffer.from('edge');
  expect(upgraded(['edge', damaged, damaged])).toEqual(['edge', 'edge-2', 'edge-3']);
});
