import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestGateway, TEST_ADMIN, type TestGateway } from '../testing.ts';
import { type TestApi, testApi } from '../testing/testApi.ts';
import { createMemoryVault } from '../vault/keyVault.ts';

// Whatever stands in a column, by hand, by an earlier version or by a disk that went bad: the gateway starts and
// answers, everything else is served, and what is not served says why.

type Hostile = [name: string, value: unknown];
const HOSTILE: Hostile[] = [
  ['null', null],
  ['no JSON', 'not json {'],
  ['control characters', 'a\u0000\u001b[2J\n"; }\\'],
  ['a huge text', 'x'.repeat(300_000)],
  ['bytes', Buffer.from([0, 255, 123])],
  ['a fraction', 7.5],
  ['a number beyond all', 1e300],
  ['a JSON list of something', '[7, {"a": null}, [null]]'],
  ['a JSON object', '{"0": "192.0.2.1"}'],
  ['half a list of networks', '[{"interface": "eth0"}, null]'],
];

type Table = {
  /** Its rows to damage. As a start takes a while, each of several gets another value at once. */
  rows: string;
  /** Which column tells them apart; `id` unless given. */
  key?: string;
  /** How a row is read by itself. */
  get?: string;
};
const TABLES: Record<string, Table> = {
  nodes: { rows: "name like 'node %'", get: '/api/nodes/' },
  'nodes as n': { rows: 'is_local' },
  'http_services as h': { rows: 'builtin' },
  domains: { rows: "domain like 'site-%'", get: '/api/domains/' },
  http_services: { rows: "name like 'site %'", get: '/api/services/1/http/' },
  tcp_services: { rows: "name like 'port %'", get: '/api/services/1/tcp/' },
  node_tokens: { rows: 'true' },
  sessions: { rows: 'true' },
  visitor_sessions: { rows: 'true', key: 'token_hash' },
  node_traffic: { rows: 'true', key: 'node_id' },
  former_ports: { rows: 'true', key: 'port' },
  settings: { rows: "key like 'serverP%'", key: 'key' },
};
const UNTOUCHED = new Set(['id', 'key']);

let home: string;
const vault = createMemoryVault();
/** The database with a row of each table to damage, and with one for each value. */
const TEMPLATES = { one: 'one.db', many: 'many.db' };
const templateOf = (table: string): string => join(home, table.includes(' as ') ? TEMPLATES.one : TEMPLATES.many);

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sallyport-damaged-'));
  await makeTemplate(join(home, TEMPLATES.one), 1);
  await makeTemplate(join(home, TEMPLATES.many), HOSTILE.length);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

async function makeTemplate(template: string, rows: number): Promise<void> {
  const gateway = await createTestGateway({ database: template, vault });
  gateway.world.setSignIn({ available: true });
  const api = testApi(gateway, await gateway.signIn());
  const make = async (call: string, body: object): Promise<number> => {
    const made = await api(`POST ${call}` as never, body);
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    return Number(made.body['id']);
  };
  const backend = { backendHost: '127.0.0.1', backendPort: 9000 };
  for (let index = 0; index < rows; index += 1) {
    const domain = `site-${index}.example.test`;
    const signIn = { authentication: true, allowedEmails: ['ann@example.test'] };
    const domainId = await make('/api/domains', { domain, skipValidation: true, ...signIn });
    const lists = { requireAuth: true, skipAuthRoutes: '/open\n^/assets/', allowedIps: ['192.0.2.0/24'] };
    await make('/api/services/1/http', { name: `site ${index}`, domain, ...backend, ...lists });
    await make('/api/services/1/tcp', { name: `port ${index}`, ...backend });
    const subnet = { isGateway: true, gatewayNetwork: `198.51.100.${8 * index}/29` };
    const nodeId = await make('/api/nodes', { name: `node ${index}`, ...subnet });
    await make(`/api/nodes/${nodeId}/pats`, { name: 'host' });
    await gateway.signIn();
    await gateway.store.write(async (tx) => {
      const expiresAt = '2099-01-01T00:00:00.000Z';
      const visitor = { tokenHash: `h${index}`, domainId, email: 'ann@example.test', subject: 'ann', expiresAt };
      await tx.visitorSessions.create(visitor);
      const counts = { totalRx: 1, totalTx: 2, counterRx: 1, counterTx: 2, endpoint: null, handshakeAt: null };
      await tx.nodeTraffic.save([{ nodeId, publicKey: 'k', ...counts }]);
      await tx.formerPorts.add(20_900 + index, nodeId);
    });
  }
  await make('/api/services/1/http', { name: 'Bystander', domain: 'by.example.test', ...backend });
  await make('/api/services/1/tcp', { name: 'Bystander', ...backend, port: 20_500 });
  await gateway.stop();
  const database = new Database(template);
  database.unsafeMode();
  // Without them, whatever a column may hold elsewhere can be written here.
  database.pragma('writable_schema = on');
  database.exec(
    `update sqlite_schema set sql = replace(sql, ' not null', '') where type = 'table' and name not like 'sqlite%'`,
  );
  database.pragma('writable_schema = reset');
  database.close();
}

const columnsOf = (table: string): string[] => {
  const database = new Database(templateOf(table), { readonly: true });
  const [plain] = table.split(' ');
  const columns = database.prepare('select name from pragma_table_info(?)').pluck().all(plain) as string[];
  database.close();
  return columns.filter((name) => !UNTOUCHED.has(name));
};

/** Damages as many rows as there are, each by the next of the values. Returns those that the database can hold. */
function damage(
  file: string,
  table: string,
  column: string,
  values: readonly Hostile[],
): { key: unknown; name: string }[] {
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  copyFileSync(templateOf(table), file);
  const database = new Database(file);
  database.pragma('foreign_keys = off');
  database.pragma('ignore_check_constraints = on');
  const { rows = 'true', key = 'id' } = TABLES[table] ?? {};
  try {
    const keys = database.prepare(`select ${key} from ${table} where ${rows}`).pluck().all();
    return keys.slice(0, values.length).flatMap((found, index) => {
      const [name, value] = values[index] ?? ['', null];
      try {
        database.prepare(`update ${table} set ${column} = ? where ${key} = ?`).run(value, found);
        return [{ key: found, name }];
      } catch {
        return [];
      }
    });
  } finally {
    database.close();
  }
}
const rowsOf = (table: string): number => {
  const database = new Database(templateOf(table), { readonly: true });
  const count = database
    .prepare(`select count(*) from ${table} where ${TABLES[table]?.rows ?? 'true'}`)
    .pluck()
    .get();
  database.close();
  return Number(count);
};

async function expectToAnswer(gateway: TestGateway, table: string, damaged: readonly unknown[]): Promise<void> {
  gateway.world.setSignIn({ available: true });
  const api: TestApi = testApi(gateway, await gateway.signIn());
  const lists = ['/api/nodes', '/api/nodes/1/pats', '/api/domains', '/api/services/http', '/api/services/tcp'] as const;
  for (const path of lists) {
    const reply = await api(`GET ${path}?limit=10`);
    expect([reply.status, path, reply.body['message']]).toEqual([200, path, undefined]);
  }
  const text = (gateway.system.ingress.served()?.files ?? []).map((file) => file.text).join('\n');
  expect(text).toContain('server_name by.example.test;');
  expect(text).toContain('127.0.0.1:9000');
  expect(text).toContain('20500 ');
  // Others can be saved.
  const made = await api('POST /api/services/1/http', {
    name: 'Later',
    domain: 'later.example.test',
    backendHost: '127.0.0.1',
    backendPort: 9001,
  });
  expect([made.status, made.body['problem']]).toEqual([200, null]);

  for (const id of damaged) await expectRowToAnswer(api, table, `${TABLES[table]?.get ?? ''}${String(id)}`, text);
  expect(gateway.errors).toEqual([]);
}

/** What was damaged is either served as it was, or says why not; and it can be deleted. */
async function expectRowToAnswer(api: TestApi, table: string, path: string, text: string): Promise<void> {
  if (!path.startsWith('/')) return;
  const { status, body } = await api(`GET ${path}` as never);
  // One whose node or place was lost is not there.
  if (status !== 200 && status !== 404) throw new Error(`${path} is answered with ${status}`);
  if (status === 200) {
    const id = path.split('/').at(-1) ?? '';
    const isServed =
      table === 'nodes' ||
      (table === 'http_services' && text.includes(`$service_id ${id};`)) ||
      text.includes(`${String(body['port'])} ${id};`) ||
      text.includes(`server_name ${String(body['domain'])};`);
    const isSilent = !isServed && body['enabled'] !== false && typeof body['problem'] !== 'string';
    if (isSilent) throw new Error(`${path} is not served and says no problem`);
  }
  const { status: deleted } = await api(`DELETE ${path}` as never);
  if (deleted !== 200 && deleted !== 404) throw new Error(`${path} cannot be deleted: ${deleted}`);
}

describe.each(Object.keys(TABLES))('damaged rows of %s', (table) => {
  it('keep no one from starting, answering and being served', { timeout: 300_000 }, async () => {
    const failures: string[] = [];
    const file = join(home, 'damaged.db');
    const atOnce = Math.min(rowsOf(table), HOSTILE.length);
    let damagedRows = 0;
    for (const column of columnsOf(table)) {
      for (let index = 0; index < HOSTILE.length; index += atOnce) {
        const damaged = damage(file, table, column, HOSTILE.slice(index, index + atOnce));
        if (damaged.length === 0) continue;
        damagedRows += damaged.length;
        try {
          const gateway = await createTestGateway({ database: file, vault });
          try {
            await expectToAnswer(
              gateway,
              table,
              damaged.map(({ key }) => key),
            );
          } finally {
            await gateway.stop();
          }
        } catch (error) {
          const message = error instanceof Error ? error.message.slice(0, 300) : String(error);
          failures.push(`${column} is ${damaged.map(({ name }) => name).join(', ')}: ${message}`);
        }
      }
    }
    expect(failures).toEqual([]);
    expect(damagedRows).toBeGreaterThan(5);
  });
});

it('a damaged administrator cannot sign in, and no one else is the worse for it', async () => {
  for (const column of ['username', 'password_hash']) {
    for (const hostile of HOSTILE) {
      const file = join(home, 'damaged.db');
      if (damage(file, 'admin', column, [hostile]).length === 0) continue;
      const gateway = await createTestGateway({ database: file, vault });
      const reply = await testApi(gateway, null)('POST /api/auth/login', TEST_ADMIN);
      expect([reply.status, column, hostile[0]]).toEqual([401, column, hostile[0]]);
      expect(gateway.errors).toEqual([]);
      expect(gateway.system.ingress.served()).not.toBeNull();
      await gateway.stop();
    }
  }
});
