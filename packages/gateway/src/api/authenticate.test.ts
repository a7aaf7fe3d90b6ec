import { text } from 'node:stream/consumers';
import { SHARED_STREAM_PATH } from '@sallyport/sdk/contract';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { slowBody } from '../testing/slowBody.ts';
import { seedEachTest, type SeededGateway, testApi } from '../testing/testApi.ts';
import { hashOfToken } from './authenticate.ts';

// A token that dies while something of it is under way.

let { gateway, admin, ids }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ gateway, admin, ids } = seeded));
/** A token of the node `edge`. */
let token: string;
let tokenId: number;

beforeEach(async () => {
  const { body } = await admin(`POST /api/nodes/${ids.edgeId}/pats`, {
    name: 'ci',
    expireAt: new Date(gateway.clock.now().getTime() + 3_600_000).toISOString(),
  });
  token = String(body['token']);
  tokenId = Number(body['id']);
});
afterEach(() => vi.restoreAllMocks());

const DISCONNECTED = 403;
const DEAD = 401;
const deaths: [how: string, die: () => unknown, status: number][] = [
  ['is revoked', () => admin(`PATCH /api/nodes/${ids.edgeId}/pats/${tokenId}/revoke`), DEAD],
  ['is deleted', () => admin(`DELETE /api/nodes/${ids.edgeId}/pats/${tokenId}`), DEAD],
  ['expires', () => gateway.clock.advance(3_600_001), DEAD],
  ['goes with its node', () => admin(`DELETE /api/nodes/${ids.edgeId}`), DEAD],
  ['belongs to a node that is disconnected', () => admin(`PATCH /api/nodes/${ids.edgeId}/disable`), DISCONNECTED],
  ['is replaced with the keys', () => testApi(gateway, token)('PATCH /api/cli/regenerate'), DEAD],
];

const request = (method: string, path: string, body?: string | ReadableStream, headers: Record<string, string> = {}) =>
  gateway.fetch(path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body, duplex: 'half' }),
  } as RequestInit);
const shop = { name: 'shop', pathLocation: '/shop', backendPort: 80 };
const servicesOf = async () => [
  ...(await gateway.store.httpServices.all({ nodeId: ids.edgeId })),
  ...(await gateway.store.tcpServices.all({ nodeId: ids.edgeId })),
];
const isShop = ({ name }: { name: string }): boolean => name === shop.name;

/** Lets the token die as soon as it has been looked up once more. */
function dieOnceLookedUp(): void {
  const { all } = gateway.store.tokens;
  vi.spyOn(gateway.store.tokens, 'all').mockImplementationOnce(async (where) => {
    const rows = await all(where);
    await gateway.store.write((tx) => tx.tokens.update(tokenId, { revoked: true }));
    return rows;
  });
}

describe.each(deaths)('a token of a node that %s', (_how, die, status) => {
  it('does not carry out what it is still sending', async () => {
    const slow = slowBody();
    const reply = request('POST', '/api/cli/expose/http', slow.body);
    await slow.asked;
    await die();
    slow.end(JSON.stringify(shop));
    expect((await reply).status).toBe(status);
    expect((await servicesOf()).some(isShop)).toBe(false);
  });

  it('does not write what waits for something else', async () => {
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<boolean>();
    gateway.world.setPortIsFree(() => {
      asked.resolve();
      return answer.promise;
    });
    const reply = testApi(gateway, token)('POST /api/cli/expose/tcp', { name: 'shop', backendPort: 22 });
    await asked.promise;
    await die();
    answer.resolve(true);
    expect((await reply).status).toBe(status);
    expect((await servicesOf()).some(isShop)).toBe(false);
  });

  it('is not told again what a call came to', async () => {
    const key = { 'idempotency-key': 'key-1' };
    expect((await request('POST', '/api/cli/expose/http', JSON.stringify(shop), key)).status).toBe(200);
    const slow = slowBody();
    const reply = request('POST', '/api/cli/expose/http', slow.body, key);
    await slow.asked;
    await die();
    slow.end(JSON.stringify(shop));
    expect(await (await reply).json()).not.toHaveProperty('id');
    expect((await reply).status).toBe(status);
  });

  it('reads no log any more, whether it waits for lines or leaves them unread', async () => {
    const log = `/api/logs/stream?type=http&id=${ids.wikiId}`;
    const key = { kind: 'http', id: ids.wikiId } as const;
    const shared = `${SHARED_STREAM_PATH}?of=${encodeURIComponent(log)}`;
    const [reading, unread, unreadShared] = [
      await request('GET', log),
      await request('GET', log),
      await request('GET', shared),
    ];
    const reader = (reading.body as ReadableStream).getReader();
    await reader.read();
    gateway.system.logs.push(key, ['before']);
    await reader.read();
    await die();
    gateway.system.logs.push(key, ['after']);
    expect(await reader.read()).toMatchObject({ done: true });
    for (const response of [unread, unreadShared]) {
      expect(await response.text().catch(() => 'cut off')).not.toContain('after');
    }
    expect(gateway.watchers()).toBe(0);
    expect((await request('GET', log)).status).toBe(status);
  });
});

describe('a token that dies just after it was looked up', () => {
  it.each([
    ['GET', '/api/cli/node'],
    ['GET', '/api/cli/wgconfig'],
    ['PATCH', '/api/cli/services/http/WIKI/disable'],
    ['GET', '/api/logs/stream?type=http&id=WIKI'],
  ])('gets no answer to %s %s', async (method, path) => {
    // Its first use is noted down, which is a call of its own.
    await request('GET', '/api/cli/node');
    dieOnceLookedUp();
    const reply = await request(method, path.replace('WIKI', String(ids.wikiId)));
    expect([reply.status, reply.headers.get('content-type')]).toEqual([DEAD, 'application/json']);
    expect(gateway.watchers()).toBe(0);
  });

  it('opens no stream of a shared connection', async () => {
    dieOnceLookedUp();
    const log = encodeURIComponent(`/api/logs/stream?type=http&id=${ids.wikiId}`);
    const reply = await request('GET', `${SHARED_STREAM_PATH}?of=${log}`);
    expect(await reply.text()).toContain('"status":401');
    expect(gateway.watchers()).toBe(0);
  });
});

it('a call that ended its token, and is repeated, does nothing once what it came to is forgotten', async () => {
  const key = { 'idempotency-key': 'key-1' };
  expect((await request('PATCH', '/api/cli/regenerate', undefined, key)).status).toBe(200);
  const [made] = await gateway.store.tokens.all({ nodeId: ids.edgeId });
  const slow = slowBody();
  const reply = request('PATCH', '/api/cli/regenerate', slow.body, key);
  await slow.asked;
  await admin(`DELETE /api/nodes/${ids.edgeId}/pats/${String(made?.id)}`);
  gateway.clock.advance(24 * 3_600_000);
  slow.end();
  expect((await reply).status).toBe(DEAD);
  expect(await gateway.store.tokens.all({ nodeId: ids.edgeId })).toEqual([]);
});

describe('a session', () => {
  let session: string;
  beforeEach(async () => {
    session = await gateway.signIn();
  });
  const ends: [how: string, die: () => unknown][] = [
    ['is signed out', () => testApi(gateway, session)('POST /api/auth/logout')],
    ['expires', () => gateway.clock.advance(12 * 3_600_000)],
  ];

  it.each(ends)('that %s does not carry out what it is still sending', async (_how, die) => {
    const slow = slowBody();
    const reply = request('POST', '/api/nodes', slow.body, { authorization: `Bearer ${session}` });
    await slow.asked;
    await die();
    slow.end('{"name":"printer"}');
    expect((await reply).status).toBe(DEAD);
    expect((await gateway.store.nodes.all()).some(({ name }) => name === 'printer')).toBe(false);
  });

  it('that a full disk did not take can still change what makes room', async () => {
    const unsaved = 'sps_unsaved';
    const tokenHash = hashOfToken(unsaved);
    gateway.store.unsavedSessions.create({ tokenHash, keyThumbprint: null, expiresAt: '2026-11-22T00:00:00.000Z' });
    expect((await testApi(gateway, unsaved)(`DELETE /api/nodes/${ids.edgeId}`)).status).toBe(200);
  });
});

it('a disconnected node’s token reads what is its node’s, and changes nothing', async () => {
  await admin(`PATCH /api/nodes/${ids.edgeId}/disable`);
  const edge = testApi(gateway, token);
  expect((await edge('GET /api/cli/node')).body).toMatchObject({ enabled: false });
  for (const call of ['POST /api/cli/expose/http', 'PATCH /api/cli/regenerate'] as const) {
    expect(await edge(call, call.startsWith('POST') ? shop : undefined)).toMatchObject({
      status: DISCONNECTED,
      body: { message: 'This node is disconnected. The administrator can connect it again.' },
    });
  }
  await admin(`PATCH /api/nodes/${ids.edgeId}/enable`);
  expect((await edge('POST /api/cli/expose/http', shop)).status).toBe(200);
});

describe('a log that a token reads', () => {
  it.each([
    ['is deleted', () => admin(`DELETE /api/services/${ids.edgeId}/http/${ids.wikiId}`)],
    [
      'becomes another node’s',
      () => gateway.store.write((tx) => tx.httpServices.update(ids.wikiId, { nodeId: ids.siteId })),
    ],
  ])('ends when the service %s, also just after it was looked up', async (_how, change) => {
    const log = `/api/logs/stream?type=http&id=${ids.wikiId}`;
    const open = await request('GET', log);
    const { get } = gateway.store.httpServices;
    vi.spyOn(gateway.store.httpServices, 'get').mockImplementationOnce(async (id) => {
      const row = await get(id);
      await change();
      return row;
    });
    const late = await request('GET', log);
    for (const { body } of [open, late]) {
      const read = text(body as ReadableStream);
      await vi.waitFor(() => expect(gateway.watchers()).toBe(0));
      gateway.system.logs.push({ kind: 'http', id: ids.wikiId }, ['of the next owner']);
      expect(await read).not.toContain('next owner');
    }
  });
});
