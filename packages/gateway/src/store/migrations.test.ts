import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate, migrations } from './migrations.ts';

it('allows the nodes of an older gateway the domains that they use, and makes every domain the administrator’s', () => {
  const database = new Sqlite(':memory:');
  migrate(database, migrations.slice(0, 5));
  const stamps = "1, '2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z'";
  database.exec(`
    insert into nodes (version, created_at, updated_at, name, address, keepalive, allow_internet, is_gateway, advanced,
      is_local, enabled)
    values (${stamps}, 'Local', '127.0.0.1', 10, 0, 0, 0, 1, 1), (${stamps}, 'edge', '10.88.0.2', 10, 0, 0, 0, 0, 1),
      (${stamps}, 'site', '10.88.0.3', 10, 0, 0, 0, 0, 1);
    insert into domains (version, created_at, updated_at, domain, ssl, skip_validation, authentication)
    values (${stamps}, 'shared.test', 'self-signed', 1, 0), (${stamps}, 'local.test', 'self-signed', 1, 0),
      (${stamps}, 'tcp.test', 'self-signed', 1, 0), (${stamps}, 'empty.test', 'self-signed', 1, 0);
    insert into http_services (version, created_at, updated_at, node_id, name, domain, path_location, backend_proto,
      backend_port, require_auth, enabled, builtin)
    values (${stamps}, 3, 'a', 'shared.test', '/a', 'http', 80, 0, 1, 0),
      (${stamps}, 2, 'b', 'shared.test', '/b', 'http', 80, 0, 0, 0),
      (${stamps}, 1, 'c', 'shared.test', '/', 'http', 80, 0, 1, 0),
      (${stamps}, 1, 'd', 'local.test', '/', 'http', 80, 0, 1, 0);
    insert into tcp_services (version, created_at, updated_at, node_id, name, domain, proto, backend_port, port, ssl, enabled)
    values (${stamps}, 2, 'e', 'tcp.test', 'tcp', 22, 20000, 0, 1);
  `);
  migrate(database, migrations);
  expect(database.prepare('select domain, reserved, allowed_nodes as allowed from domains order by id').all()).toEqual([
    { domain: 'shared.test', reserved: 1, allowed: '[2,3]' },
    { domain: 'local.test', reserved: 1, allowed: null },
    { domain: 'tcp.test', reserved: 1, allowed: '[2]' },
    { domain: 'empty.test', reserved: 1, allowed: null },
  ]);
  database.close();
});

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

it('promises nothing for the domains of an older gateway', () => {
  const database = new Sqlite(':memory:');
  migrate(
    database,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === 'domain hsts'),
    ),
  );
  const at = "'2026-11-21T12:00:00.000Z'";
  database.exec(`
    insert into domains (version, created_at, updated_at, domain, ssl, skip_validation, authentication)
    values (1, ${at}, ${at}, 'app.test', 'certbot', 0, 0);
  `);
  migrate(database, migrations);
  expect(database.prepare('select domain, hsts from domains').all()).toEqual([{ domain: 'app.test', hsts: 0 }]);
  database.close();
});

it('treats the domains of an older gateway that no administrator had a hand in as what came with a service', () => {
  const database = new Sqlite(':memory:');
  const before = migrations.findIndex(({ name }) => name === 'domain origin');
  migrate(database, migrations.slice(0, before));
  const at = "1, '2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z', 1";
  database.exec(`
    insert into domains (version, created_at, updated_at, skip_validation, domain, ssl, authentication, reserved, allowed_nodes)
    values (${at}, 'untouched.test', 'self-signed', 0, 0, null), (${at}, 'reserved.test', 'self-signed', 0, 1, null),
      (${at}, 'members.test', 'self-signed', 1, 0, null), (${at}, 'trusted.test', 'certbot', 0, 0, null),
      (${at}, 'listed.test', 'self-signed', 0, 0, '[2]');
  `);
  migrate(database, migrations);
  const rows = database.prepare('select domain from domains where came_with_service').pluck().all();
  expect(rows).toEqual(['untouched.test']);
  database.close();
});

it('knows where the console and nodes of an older gateway have their websites', () => {
  const database = new Sqlite(':memory:');
  const before = migrations.findIndex(({ name }) => name === 'former names');
  migrate(database, migrations.slice(0, before));
  const stamps = "1, '2026-11-21T12:00:00.000Z', '2026-11-21T12:00:00.000Z'";
  database.exec(`
    insert into nodes (version, created_at, updated_at, name, address, keepalive, allow_internet, is_gateway, advanced,
      is_local, enabled)
    values (${stamps}, 'Local', '127.0.0.1', 10, 0, 0, 0, 1, 1), (${stamps}, 'edge', '10.88.0.2', 10, 0, 0, 0, 0, 1);
    insert into domains (version, created_at, updated_at, domain, ssl, skip_validation, authentication)
    values (${stamps}, 'edge.test', 'self-signed', 1, 0), (${stamps}, 'local.test', 'self-signed', 1, 0),
      (${stamps}, 'console.test', 'self-signed', 1, 0);
    insert into http_services (version, created_at, updated_at, node_id, name, domain, path_location, backend_proto,
      backend_port, require_auth, enabled, builtin)
    values (${stamps}, 1, 'a', 'local.test', '/a', 'http', 80, 0, 1, 0), (${stamps}, 2, 'b', 'edge.test', '/b', 'http', 80, 0, 1, 0),
      (${stamps}, 2, 'c', 'edge.test', '/c', 'http', 80, 0, 0, 0), (${stamps}, 2, 'd', null, '/d', 'http', 80, 0, 1, 0),
      (${stamps}, 1, 'e', 'console.test', '/', 'http', 80, 0, 1, 1);
  `);
  migrate(database, migrations);
  expect(database.prepare('select name, used_by as usedBy from former_names').all()).toEqual([
    { name: 'console.test', usedBy: 'console' },
    { name: 'edge.test', usedBy: 'node' },
  ]);
  database.close();
});
