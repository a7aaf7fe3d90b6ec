import { setImmediate as nextRound } from 'node:timers/promises';
import { SHARED_STREAM_PATH } from '@sallyport/sdk/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { slowBody } from '../../testing/slowBody.ts';
import { asNode, problemsIn, seededGateway, type SeededGateway, type TestApi, testApi } from '../../testing/testApi.ts';
import {
  NODE_CALLS_UNDER_WAY,
  NODE_CHANGE_EVERY_MS,
  NODE_CHANGES,
  NODE_OPENING_EVERY_MS,
  NODE_OPENINGS,
  NODE_READ_EVERY_MS,
  NODE_READS,
  NODE_REFUSAL_EVERY_MS,
  NODE_REFUSALS,
  nodeWorld,
} from './tokenLimits.ts';

// How much the access tokens of a node may take of what all nodes share.

let { gateway, admin, ids }: SeededGateway = {} as never;

beforeEach(() => start());
afterEach(async () => {
  expect(gateway.errors).toEqual([]);
  await gateway.stop();
});

async function start(nodeLimits?: { services: number; publicPorts: number; listEntries: number }): Promise<void> {
  ({ gateway, admin, ids } = await seededGateway(nodeLimits && { nodeLimits }));
}

describe('the quota', () => {
  let edge: TestApi;

  beforeEach(async () => {
    await gateway.stop();
    await start({ services: 5, publicPorts: 2, listEntries: 6 });
    edge = await asNode(gateway, admin, ids.edgeId);
  });

  const http = (name: string, more: object = {}) =>
    edge('POST /api/cli/expose/http', { name, pathLocation: `/${name}`, ...more });
  const tcp = (name: string, more: object = {}) => edge('POST /api/cli/expose/tcp', { name, backendPort: 22, ...more });
  const said = (reply: Awaited<ReturnType<TestApi>>) => [reply.status, reply.body['message']];
  const addresses = (count: number) => Array.from({ length: count }, (_, index) => `192.0.2.${index}`);

  it('refuses a token more services than its node may have, also when they are asked for at once', async () => {
    // The seed gives the node one.
    const replies = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => http(name)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 200, 200, 400, 400]);
    const full =
      'This node has 5 services, and its access tokens may not add to more than 5. Ask the administrator to delete some, or to raise SALLYPORT_NODE_SERVICES.';
    expect(said(await http('g'))).toEqual([400, full]);
    expect(said(await tcp('g'))).toEqual([400, full]);
    // What is there stays changeable, and the administrator goes on.
    expect((await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, { backendPort: 81 })).status).toBe(200);
    const more = await admin(`POST /api/services/${ids.edgeId}/http`, { name: 'h', pathLocation: '/h' });
    expect(more.status).toBe(200);
  });

  it('refuses a token more public ports than its node may have', async () => {
    const replies = await Promise.all(['a', 'b', 'c', 'd'].map((name) => tcp(name)));
    expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 200, 400, 400]);
    const full =
      'This node has 2 public ports, and its access tokens may not add to more than 2. Ask the administrator to delete some, or to raise SALLYPORT_NODE_PORTS.';
    expect(said(await tcp('e', { port: 20_500 }))).toEqual([400, full]);
    expect((await http('e')).status).toBe(200);
    expect((await admin(`POST /api/services/${ids.edgeId}/tcp`, { name: 'e', backendPort: 22 })).status).toBe(200);
  });

  it('refuses a token more entries of lists than its services may have together', async () => {
    expect((await http('a', { allowedIps: addresses(2), blockedIps: addresses(2) })).status).toBe(200);
    expect((await tcp('b', { allowedIps: addresses(2) })).status).toBe(200);
    const full =
      "This node's services would have 7 entries in their lists, and its access tokens may not add to more than 6. Shorten a list, or ask the administrator to raise SALLYPORT_NODE_LIST_ENTRIES.";
    expect(said(await http('c', { allowedIps: addresses(1) }))).toEqual([400, full]);
    expect(said(await tcp('b', { allowedIps: addresses(3) }))).toEqual([400, full]);
    expect(said(await http('a', { skipAuthRoutes: '/open' }))).toEqual([400, full]);
    expect((await tcp('b', { allowedIps: addresses(1) })).status).toBe(200);
    const all = await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, { allowedIps: addresses(9) });
    expect(all.status).toBe(200);
    // What the administrator gave does not keep the node from changing something else, or taking entries away.
    expect((await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, { backendPort: 82 })).status).toBe(200);
    const fewer = { allowedIps: addresses(8) };
    expect((await edge(`PATCH /api/cli/services/http/${ids.wikiId}`, fewer)).status).toBe(200);
  });

  it('keeps as many tokens, keys and domains as before, however often a token asks for others', async () => {
    let token = edge;
    for (let round = 0; round < 5; round += 1) {
      const { body } = await token('PATCH /api/cli/regenerate');
      token = testApi(gateway, String(body['token']));
      await token('POST /api/cli/expose/http', { name: 'roaming', domain: `d${round}.example.test` });
    }
    expect(await gateway.store.tokens.all({ nodeId: ids.edgeId })).toHaveLength(1);
    expect(await gateway.store.domains.all()).toHaveLength(2);
  });
});

describe('the pace', () => {
  it('so much at once is so much also for changes that come together', async () => {
    const api = await asNode(gateway, admin, ids.edgeId);
    const expose = (count: number) =>
      api('POST /api/cli/expose/http', { name: `S${count}`, pathLocation: `/s${count}`, backendPort: 80 });
    const answers = await Promise.all(Array.from({ length: NODE_CHANGES + 20 }, (_, count) => expose(count)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(NODE_CHANGES);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  it('the tokens of a node may change only so much at once, together', async () => {
    const [first, second] = [await asNode(gateway, admin, ids.edgeId), await asNode(gateway, admin, ids.edgeId)];
    const wiki = `/api/cli/services/http/${ids.wikiId}` as const;
    for (let count = 0; count < NODE_CHANGES; count += 1) {
      // What is refused is not counted.
      expect((await first('PATCH /api/cli/services/http/999/disable')).status).toBe(404);
      const verb = count % 4 < 2 ? 'disable' : 'enable';
      expect((await (count % 2 === 0 ? first : second)(`PATCH ${wiki}/${verb}`)).status).toBe(200);
    }
    const refused = await first(`PATCH ${wiki}/enable`);
    expect(refused).toMatchObject({
      status: 429,
      body: { message: 'This node makes changes too quickly. Try again in 10 s.' },
    });
    expect(refused.headers.get('retry-after')).toBe('10');
    // Who only reads goes on, and so do others.
    expect((await second('GET /api/cli/node')).status).toBe(200);
    expect((await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, { name: 'Renamed' })).status).toBe(200);
    const site = await asNode(gateway, admin, ids.siteId);
    const shop = { name: 'Shop', pathLocation: '/shop', backendHost: '192.0.2.7', backendPort: 80 };
    expect((await site('POST /api/cli/expose/http', shop)).status).toBe(200);

    gateway.clock.advance(NODE_CHANGE_EVERY_MS);
    expect((await first(`PATCH ${wiki}/enable`)).status).toBe(200);
    expect((await first(`PATCH ${wiki}/disable`)).status).toBe(429);
  });

  it('a change with a time to live is counted twice: it is made, and ends by itself', async () => {
    const edge = await asNode(gateway, admin, ids.edgeId);
    const brief = { name: 'x', pathLocation: '/x', backendPort: 80, ttl: '1s' };
    for (let count = 0; count < NODE_CHANGES; count += 2) {
      expect((await edge('POST /api/cli/expose/http', { ...brief, backendPort: 81 + count })).status).toBe(200);
    }
    expect(await edge('POST /api/cli/expose/http', brief)).toMatchObject({
      status: 429,
      body: { message: 'This node makes changes too quickly. Try again in 20 s.' },
    });
    // What is refused is not counted, neither once nor twice.
    gateway.clock.advance(NODE_CHANGES * NODE_CHANGE_EVERY_MS);
    for (let count = 0; count < NODE_CHANGES; count += 1) {
      expect((await edge('PATCH /api/cli/services/http/999/enable', { ttl: '1s' })).status).toBe(404);
    }
    expect((await edge('POST /api/cli/expose/http', brief)).status).toBe(200);
  });

  it('the tokens of a node may open only so many streams at once, however soon they end', async () => {
    const { body: made } = await admin(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'reader', expireAt: null });
    const open = async (token: string): Promise<Response> => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await gateway.fetch(`/api/logs/stream?type=http&id=${ids.wikiId}&lines=10000`, { headers });
      if (answer.ok) await answer.body?.cancel();
      return answer;
    };
    const edge = String(made['token']);
    for (let count = 0; count < NODE_OPENINGS; count += 1) expect((await open(edge)).status).toBe(200);
    const refused = await open(edge);
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '1',
      expect.objectContaining({ message: 'This node opens streams too quickly. Try again in 1 s.' }),
    ]);
    // Changes are counted apart, and administrators are not.
    expect((await testApi(gateway, edge)(`PATCH /api/cli/services/http/${ids.wikiId}/disable`)).status).toBe(200);
    const session = await gateway.signIn();
    for (let count = 0; count <= NODE_OPENINGS; count += 1) expect((await open(session)).status).toBe(200);

    gateway.clock.advance(NODE_OPENING_EVERY_MS);
    expect((await open(edge)).status).toBe(200);
    expect((await open(edge)).status).toBe(429);
  });

  it('the tokens of a node may read only so much at once, together', async () => {
    const [first, second] = [await asNode(gateway, admin, ids.edgeId), await asNode(gateway, admin, ids.edgeId)];
    const read = async (api: TestApi): Promise<number> => (await api('GET /api/cli/node')).status;
    for (let count = 0; count < NODE_READS; count += 2)
      expect([await read(first), await read(second)]).toEqual([200, 200]);
    expect(await first('GET /api/cli/services/http')).toMatchObject({
      status: 429,
      body: { message: 'This node asks for too much. Try again in 1 s.' },
    });
    // Changes are counted apart, and so is what others read.
    expect((await second(`PATCH /api/cli/services/http/${ids.wikiId}/disable`)).status).toBe(200);
    expect(await read(await asNode(gateway, admin, ids.siteId))).toBe(200);
    gateway.clock.advance(NODE_READ_EVERY_MS);
    expect([await read(first), await read(first)]).toEqual([200, 429]);
  });

  it('a connection for several streams is a read, also when it is refused', async () => {
    const edge = await asNode(gateway, admin, ids.edgeId);
    const open = async () => (await edge('GET /api/streams?of=x')).status;
    for (let count = 0; count < NODE_READS; count += 1) expect(await open()).toBe(422);
    expect(await open()).toBe(429);
  });

  it('a change that nginx alone refuses is counted: it was asked', async () => {
    const edge = await asNode(gateway, admin, ids.edgeId);
    gateway.system.ingress.rejectWhen((files) => {
      const isMarked = files.some(({ text }) => text.includes('/refused'));
      return isMarked ? { message: 'it cannot serve /refused' } : null;
    });
    const expose = () => edge('POST /api/cli/expose/http', { name: 'x', pathLocation: '/refused', backendPort: 80 });
    for (let count = 0; count < NODE_CHANGES; count += 1) expect((await expose()).status).toBe(400);
    expect((await expose()).status).toBe(429);
  });
});

describe('calls under way', () => {
  it('the bodies of one node are waited for only so many at once', async () => {
    const { body: made } = await admin(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'slow', expireAt: null });
    const [edge, site] = [testApi(gateway, String(made['token'])), await asNode(gateway, admin, ids.siteId)];
    const send = (body: ReadableStream) =>
      gateway.fetch('/api/cli/expose/http', {
        method: 'POST',
        headers: { authorization: `Bearer ${String(made['token'])}` },
        body,
        duplex: 'half',
      } as RequestInit);
    const slow = Array.from({ length: NODE_CALLS_UNDER_WAY }, slowBody);
    const answers = slow.map(({ body }) => send(body));
    await Promise.all(slow.map(({ asked }) => asked));

    const refused = await edge('POST /api/cli/expose/http', {});
    expect(refused).toMatchObject({
      status: 429,
      body: {
        message: 'This node has 64 changes under way, and may not have more. Wait until one of them ends.',
      },
    });
    expect(refused.headers.get('retry-after')).toBe('1');
    // Who waits so is not refused for what is sent.
    for (let count = 0; count < NODE_REFUSALS; count += 1) {
      expect((await edge('POST /api/cli/expose/http', {})).body['message']).toContain('under way');
    }
    // Who only reads goes on, and so do others.
    expect((await edge('GET /api/cli/node')).status).toBe(200);
    expect((await site('POST /api/cli/expose/http', {})).status).toBe(422);

    for (const { end } of slow) end();
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(422);
    expect((await edge('POST /api/cli/expose/http', {})).status).toBe(422);
  });

  it('answers that one node does not read are held only so often', async () => {
    const { body: made } = await admin(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'slow', expireAt: null });
    const headers = { authorization: `Bearer ${String(made['token'])}` };
    const site = await asNode(gateway, admin, ids.siteId);
    const taken: (() => void)[] = [];
    const connection = { address: '127.0.0.1', trusted: false, whenTaken: (done: () => void) => void taken.push(done) };
    const read = async () =>
      (await gateway.fetch(new Request('https://gateway.test/api/cli/node', { headers }), connection)).status;
    for (let count = 0; count < NODE_CALLS_UNDER_WAY; count += 1) expect(await read()).toBe(200);
    expect(await read()).toBe(429);
    expect((await site('GET /api/cli/node')).status).toBe(200);
    taken.pop()?.();
    expect(await read()).toBe(200);
    expect(await read()).toBe(429);
  });

  it('the tokens of a node are refused only so often, together', async () => {
    const [edge, other] = [await asNode(gateway, admin, ids.edgeId), await asNode(gateway, admin, ids.edgeId)];
    const site = await asNode(gateway, admin, ids.siteId);
    for (let count = 0; count < NODE_REFUSALS; count += 2) {
      expect((await edge('POST /api/cli/expose/http', {})).status).toBe(422);
      expect((await other('POST /api/cli/expose/tcp', {})).status).toBe(422);
    }
    const refused = await other('POST /api/cli/expose/http', {});
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '2']);
    expect((await edge('GET /api/cli/node')).status).toBe(200);
    expect((await site('POST /api/cli/expose/http', {})).status).toBe(422);
    gateway.clock.advance(NODE_REFUSAL_EVERY_MS);
    // What is done does not count.
    expect((await edge('POST /api/cli/expose/http', { name: 'a', pathLocation: '/a' })).status).toBe(200);
    expect((await edge('POST /api/cli/expose/http', {})).status).toBe(422);
    expect((await edge('POST /api/cli/expose/http', {})).status).toBe(429);
  });

  it('a body of a node’s may have 256 kB', async () => {
    const edge = await asNode(gateway, admin, ids.edgeId);
    expect((await edge('POST /api/cli/expose/http', { name: 'x'.repeat(255_000) })).status).toBe(422);
    expect((await edge('POST /api/cli/expose/http', { name: 'x'.repeat(256_000) })).status).toBe(413);
    expect((await admin('POST /api/nodes', { name: 'x'.repeat(256_000) })).status).toBe(422);
  });

  it.each([
    ['GET /api/cli/node', undefined, 200, NODE_CALLS_UNDER_WAY],
    ['POST /api/cli/expose/http', { name: 'x', backendPort: 'none' }, 422, NODE_CALLS_UNDER_WAY],
    [`GET ${SHARED_STREAM_PATH}?of=/nothing`, undefined, 422, NODE_CALLS_UNDER_WAY],
  ] as const)('calls of one node that come together (%s) let others in between', async (call, input, answer, count) => {
    const nodes = [await asNode(gateway, admin, ids.edgeId), await asNode(gateway, admin, ids.edgeId)];
    let waiting = count;
    const calls = Array.from({ length: count }, async (_, index) => {
      const reply = await nodes[index % 2]?.(call, input);
      expect(reply?.status).toBe(answer);
      waiting -= 1;
    });
    let rounds = 0;
    for (; waiting > 0; rounds += 1) await nextRound();
    await Promise.all(calls);
    // Each round of the event loop hears what has come from others.
    expect(rounds).toBeGreaterThanOrEqual(count);
  });
});

describe('what a token is told of the gateway as a whole', () => {
  let edge: TestApi;

  beforeEach(async () => {
    edge = await asNode(gateway, admin, ids.edgeId);
  });

  const off = {
    feature: 'tunnel' as const,
    reason: 'The network interface wg7 belongs to another program.',
    fix: 'Set SALLYPORT_VPN_INTERFACE.',
  };

  it('names what does not run, and nothing of why', async () => {
    gateway.world.setUnavailable([off]);
    expect((await admin('GET /api/config')).body['unavailable']).toEqual([off]);
    expect((await edge('GET /api/config')).body['unavailable']).toEqual([
      { feature: 'tunnel', reason: 'It does not run on this gateway.', fix: 'Ask its administrator.' },
    ]);
  });

  it('does not say of a service why the gateway as a whole does not serve it', async () => {
    const asAdmin = async () => (await admin(`GET /api/services/${ids.edgeId}/http/${ids.wikiId}`)).body['problem'];
    const asEdge = async () =>
      ((await edge('GET /api/cli/node')).body['httpServices'] as { problem: unknown }[])[0]?.problem;
    const ownProblem = await asEdge();
    expect(ownProblem).toBe(await asAdmin());
    gateway.system.ingress.rejectWhen(() => ({ message: 'the disk of /srv/gateway is full', environment: true }));
    expect((await admin('POST /api/domains', { domain: 'new.example.test', skipValidation: true })).status).toBe(200);
    // What is wrong with all services is told where nothing is wrong with this one.
    gateway.system.tunnel.setStatus({ available: true });
    const reason = 'nginx cannot serve: the disk of /srv/gateway is full.';
    gateway.world.setUnavailable([{ feature: 'ingress', reason, fix: 'It is tried again by itself.' }]);
    await admin(`PATCH /api/services/${ids.edgeId}/http/${ids.wikiId}`, { name: 'Renamed' });
    expect(await asAdmin()).toBe(reason);
    expect(await asEdge()).toBe('The gateway does not serve it at the moment. Ask the administrator.');
  });

  it('does not name the networks of the gateway, nor those of other nodes', () => {
    const why = 'Its subnet 192.0.2.0/24 is not reached: this machine has such a network itself, at eth0.';
    const { problem } = nodeWorld({ unavailable: () => [], problem: () => why } as never);
    expect(problem('node', ids.siteId)).toBe('Its subnet 192.0.2.0/24 is not reached. Ask the administrator.');
  });

  it('looks for no reason where nothing is told: a list has hundreds of services', () => {
    const unavailable = (): never => {
      throw new Error('The whole machine is looked at.');
    };
    expect(nodeWorld({ unavailable, problem: () => null } as never).problem('node', ids.siteId)).toBeNull();
  });

  it('does not say whose a port is', async () => {
    const port = async (wanted: number) =>
      problemsIn(await edge('POST /api/cli/expose/tcp', { name: `p${wanted}`, backendPort: 22, port: wanted }));
    await admin('POST /api/services/1/tcp', { name: 'db', backendHost: '127.0.0.1', backendPort: 5432, port: 20_001 });
    gateway.world.setPortIsFree((_proto, each) => each !== 20_002);
    const taken = { port: 'This port is not free. Choose another one.' };
    expect([await port(20_001), await port(20_002), await port(20_003)]).toEqual([taken, taken, {}]);
  });

  it('does not name the files of the gateway where the keys of the node cannot be opened', async () => {
    await gateway.store.write((tx) => tx.nodes.update(ids.edgeId, { sealedPrivateKey: 'v1:AAAA' }));
    expect(await edge('GET /api/cli/config')).toMatchObject({
      status: 400,
      body: { message: 'The configuration of this node cannot be made. Ask the administrator.' },
    });
  });
});
