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

const HOSTILE: [name: string, value: unknown][] = [
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

/** What each row that is damaged is called here, and how it is read by itself. */
const TABLES: Record<string, { where: string; get: string | null }> = {
  nodes: { where: 'id = 3', get: '/api/nodes/3' },
  'nodes as n': { where: 'id = 1', get: null },
  'http_services as h': { where: 'id = 1', get: null },
  domains: { where: 'id = 1', get: '/api/domains/1' },
  http_services: { where: 'id = 2', get: '/api/services/1/http/2' },
  tcp_services: { where: 'id = 1', get: '/api/services/1/tcp/1' },
  node_tokens: { where: 'id = 1', get: null },
  sessions: { where: 'id = 1', get: null },
  visitor_sessions: { where: '1 = 1', get: null },
  node_traffic: { where: '1 = 1', get: null },
  settings: { where: "key like 'serverP%'", get: null },
};
const UNTOUCHED = new Set(['id', 'key']);

let home: string;
let template: string;
const vault = createMemoryVault();

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sallyport-damaged-'));
  template = join(home, 'template.db');
  const gateway = await createTestGateway({ database: template, vault });
  gateway.world.setSignIn({ available: true });
  await gateway.seed();
  const api = testApi(gateway, await gateway.signIn());
  await api('PATCH /api/domains/1', { authentication: true, allowedEmails: ['ann@example.test'] });
  await api('PATCH /api/services/1/http/2', {
    requireAuth: true,
    skipAuthRoutes: '/open\n^/assets/',
    allowedIps: ['192.0.2.0/24'],
  });
  const backend = { backendHost: '127.0.0.1', backendPort: 9000 };
  await api('POST /api/services/1/tcp', { name: 'Db', ...backend });
  await api('POST /api/services/1/http', { name: 'Bystander', domain: 'by.example.test', ...backend });
  await api('POST /api/services/1/tcp', { name: 'Bystander', ...backend, port: 20_500 });
  await gateway.store.write(async (tx) => {
    const expiresAt = '2099-01-01T00:00:00.000Z';
    const visitor = { tokenHash: 'h', domainId: 1, email: 'ann@example.test', subject: 'ann', expiresAt };
    await tx.visitorSessions.create(visitor);
    const counts = { totalRx: 1, totalTx: 2, counterRx: 1, counterTx: 2, endpoint: null, handshakeAt: null };
    await tx.nodeTraffic.save([{ nodeId: 3, publicKey: 'k', ...counts }]);
  });
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
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

const columnsOf = (table: string): string[] => {
  const database = new Database(template, { readonly: true });
  const [plain] = table.split(' ');
  const columns = database.prepare('select name from pragma_table_info(?)').pluck().all(plain) as string[];
  database.close();
  return columns.filter((name) => !UNTOUCHED.has(name));
};

/** Null: no database can hold that. */
async function startWith(table: string, column: string, value: unknown): Promise<TestGateway | null> {
  const file = join(home, 'damaged.db');
  for (const suffix of ['', '-wal', '-shm']) rmSync(file + suffix, { force: true });
  copyFileSync(template, file);
  const database = new Database(file);
  database.pragma('foreign_keys = off');
  database.pragma('ignore_check_constraints = on');
  try {
    database.prepare(`update ${table} set ${column} = ? where ${TABLES[table]?.where ?? '1 = 1'}`).run(value);
  } catch {
    return null;
  } finally {
    database.close();
  }
  return createTestGateway({ database: file, vault });
}

async function expectToAnswer(gateway: TestGateway, table: string): Promise<void> {
  gateway.world.setSignIn({ available: true });
  const api: TestApi = testApi(gateway, await gateway.signIn());
  const lists = ['/api/nodes', '/api/nodes/3/pats', '/api/domains', '/api/services/http', '/api/services/tcp'] as const;
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

  const get = TABLES[table]?.get;
  if (get) {
    const { status, body } = await api(`GET ${get}` as never);
    // One whose node or place was lost is not there.
    if (status !== 200 && status !== 404) throw new Error(`it is answered with ${status}`);
    if (status === 200) {
      // What was damaged is either served as it was, or says why not.
      const isServed =
        table === 'nodes' ||
        (table === 'http_services' && text.includes('$service_id 2;')) ||
        text.includes(`${String(body['port'])} 1;`) ||
        text.includes(`server_name ${String(body['domain'])};`);
      const isSilent = !isServed && body['enabled'] !== false && typeof body['problem'] !== 'string';
      if (isSilent) throw new Error('it is not served and says no problem');
    }
    const { status: deleted } = await api(`DELETE ${get}` as never);
    if (deleted !== 200 && deleted !== 404) throw new Error(`it cannot be deleted: ${deleted}`);
  }
  expect(gateway.errors).toEqual([]);
}

describe.each(Object.keys(TABLES))('a damaged row of %s', (table) => {
  it('keeps no one from starting, answering and being served', { timeout: 300_000 }, async () => {
    const failures: string[] = [];
    let started = 0;
    for (const column of columnsOf(table)) {
      for (const [name, value] of HOSTILE) {
        try {
          const gateway = await startWith(table, column, value);
          if (gateway === null) continue;
          started += 1;
          try {
            await expectToAnswer(gateway, table);
          } finally {
            await gateway.stop();
          }
        } catch (error) {
          failures.push(
            `${column} is ${name}: ${error instanceof Error ? error.message.slice(0, 300) : String(error)}`,
          );
        }
      }
    }
    expect(failures).toEqual([]);
    expect(started).toBeGreaterThan(5);
  });
});

it('a damaged administrator cannot sign in, and no one else is the worse for it', async () => {
  for (const column of ['username', 'password_hash']) {
    for (const [name, value] of HOSTILE) {
      const gateway = await startWith('admin', column, value);
      if (gateway === null) continue;
      const reply = await testApi(gateway, null)('POST /api/auth/login', TEST_ADMIN);
      expect([reply.status, column, name]).toEqual([401, column, name]);
      expect(gateway.errors).toEqual([]);
      expect(gateway.system.ingress.served()).not.toBeNull();
      await gateway.stop();
    }
  }
});
