import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createMemoryVault } from '../vault/keyVault.ts';
import { createTestGateway, TEST_ADMIN, TEST_URL, type TestGateway } from '../testing.ts';
import { createProofKey } from '../testing/proofKey.ts';
import { testApi } from '../testing/testApi.ts';

// A damaged column of what decides who may come in never lets in more than the sound one.

const ME = `${TEST_URL}/api/auth/me`;
const vault = createMemoryVault();
let home: string;
let key: ReturnType<typeof createProofKey>;
const tokens = { bound: '', bearer: '', node: '', revoked: '' };

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sallyport-credentials-'));
  const gateway = await createTestGateway({ database: join(home, 'template.db'), vault });
  const { edgeId } = await gateway.seed();
  key = createProofKey(gateway.clock.now);
  const login = { ...TEST_ADMIN, publicKey: key.publicKey };
  tokens.bound = String((await testApi(gateway, null)('POST /api/auth/login', login)).body['token']);
  tokens.bearer = await gateway.signIn();
  const api = testApi(gateway, tokens.bearer);
  const tokenOf = async (name: string) => (await api(`POST /api/nodes/${edgeId}/pats`, { name })).body;
  tokens.node = String((await tokenOf('Sound'))['token']);
  const revoked = await tokenOf('Revoked');
  tokens.revoked = String(revoked['token']);
  await api(`PATCH /api/nodes/${edgeId}/pats/${String(revoked['id'])}/revoke`);
  await gateway.stop();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A gateway on a copy of the database in which that column was written by hand. */
async function startWith(table: string, column: string, value: unknown): Promise<TestGateway> {
  const file = join(mkdtempSync(join(home, 'copy-')), 'gateway.db');
  copyFileSync(join(home, 'template.db'), file);
  const database = new Database(file);
  database.unsafeMode();
  database.pragma('ignore_check_constraints = on');
  database.pragma('writable_schema = on');
  // So that null can be written everywhere.
  const whatever = `update sqlite_schema set sql = replace(sql, ' not null', '') where name = ?`;
  database.prepare(whatever).run(table);
  database.pragma('writable_schema = reset');
  database.close();
  const byHand = new Database(file);
  byHand.prepare(`update ${table} set ${column} = ?`).run(value);
  byHand.close();
  const gateway = await createTestGateway({ database: file, vault });
  onTestFinished(() => gateway.stop());
  return gateway;
}

const me = async (gateway: TestGateway, token: string, dpop?: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, ...(dpop !== undefined && { dpop }) };
  return (await gateway.fetch(new Request(ME, { headers }))).status;
};

const DAMAGED: [name: string, value: unknown][] = [
  ['an empty text', ''],
  ['a blank', ' '],
  ['a word', 'null'],
  ['a number', 0],
  ['a fraction', 7.5],
  ['bytes', Buffer.from([0, 255])],
  ['no bytes', Buffer.alloc(0)],
];

it('the sound ones work, and no other', async () => {
  const sound = await startWith('sessions', 'ended', null);
  expect(await me(sound, tokens.bound)).toBe(401);
  expect(await me(sound, tokens.bound, key.proof('GET', ME, tokens.bound))).toBe(200);
  expect(await me(sound, tokens.bearer)).toBe(200);
  expect(await me(sound, tokens.node)).toBe(200);
  expect(await me(sound, tokens.revoked)).toBe(401);
});

describe.each(DAMAGED)('%s', (_, value) => {
  it('for the key of a session refuses it, with and without a proof', async () => {
    const gateway = await startWith('sessions', 'key_thumbprint', value);
    for (const token of [tokens.bound, tokens.bearer]) {
      expect(await me(gateway, token)).toBe(401);
      expect(await me(gateway, token, key.proof('GET', ME, token))).toBe(401);
    }
    expect(gateway.errors).toEqual([]);
  });

  it('for the end of a session ends it', async () => {
    for (const column of ['ended', 'expires_at']) {
      expect([column, await me(await startWith('sessions', column, value), tokens.bearer)]).toEqual([column, 401]);
    }
  });

  it('for what ends an access token ends it', async () => {
    const gateway = await startWith('node_tokens', 'revoked', value === 0 ? 2 : value);
    expect([await me(gateway, tokens.revoked), await me(gateway, tokens.node)]).toEqual([401, 401]);
    expect(await me(await startWith('node_tokens', 'expire_at', value), tokens.node)).toBe(401);
  });

  it('for the flags of a node connects none and grants nothing', async () => {
    const gateway = await startWith('nodes', 'enabled', value);
    const [, edge] = await gateway.store.nodes.all();
    expect(edge?.enabled).toBe(false);
    const other = await startWith('nodes', 'allow_any_domain', value);
    expect((await other.store.nodes.all()).map((row) => row.allowAnyDomain)).not.toContain(true);
    expect((await other.store.nodes.all()).every((row) => !row.allowAnyDomain)).toBe(true);
  });

  it('for whether a domain is the administrator’s makes it that', async () => {
    const gateway = await startWith('domains', 'reserved', value === 0 ? 2 : value);
    expect((await gateway.store.domains.all()).map((row) => row.reserved)).not.toContain(false);
    expect((await gateway.store.domains.all()).every((row) => row.reserved)).toBe(true);
  });
});

it('no value at all for a flag counts as its safe side, too', async () => {
  expect(await me(await startWith('node_tokens', 'revoked', null), tokens.revoked)).toBe(401);
  expect((await (await startWith('domains', 'reserved', null)).store.domains.all())[0]?.reserved).toBe(true);
});
