import { type Endpoint, type EndpointName, endpoints, hasRight, type Right, rights } from '@sallyport/sdk/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seededGateway, type SeededGateway } from '../testing/testApi.ts';

// Every endpoint of the contract, asked with API tokens of every scope, and with tokens for another node: nothing that a
// token has no right to is told, and nothing of it is changed.

/** Stands in everything that belongs to the node that the limited token is not for, and is not sent by this test. */
const FOREIGN = 'classified';
const ALL: readonly Right[] = rights;
const NO_DOMAINS = rights.filter((right) => !right.startsWith('domains:'));

let { gateway, admin, ids }: SeededGateway = {} as never;
let foreign: { node: number; http: number; tcp: number; token: number };
let edgeAddress: string | undefined;

beforeAll(async () => {
  ({ gateway, admin, ids } = await seededGateway());
  const create = async (path: `/${string}`, body: object): Promise<number> =>
    Number((await admin(`POST ${path}`, body)).body['id']);
  const node = await create('/api/nodes', { name: `${FOREIGN}-node`, isGateway: true, gatewayNetwork: '10.5.0.0/16' });
  const behind = { name: `${FOREIGN}-service`, backendHost: '10.5.0.9', backendPort: 80 };
  foreign = {
    node,
    http: await create(`/api/services/${node}/http`, { ...behind, domain: `web.${FOREIGN}.test` }),
    tcp: await create(`/api/services/${node}/tcp`, { ...behind, port: 20_900, domain: `tcp.${FOREIGN}.test` }),
    token: Number((await gateway.store.tokens.all({ nodeId: node }))[0]?.id),
  };
  await create(`/api/services/${ids.edgeId}/tcp`, { name: 'own', backendPort: 22 });
  edgeAddress = (await gateway.store.nodes.get(ids.edgeId))?.address;
});
afterAll(() => gateway.stop());
afterEach(() => expect(gateway.errors).toEqual([]));

async function tokenWith(scope: readonly Right[], more: { nodes?: number[] } = {}): Promise<string> {
  const { body } = await admin('POST /api/tokens', { name: 'sweep', scope, ...more });
  return String(body['token']);
}

type Answer = { status: number; text: string };

async function ask(token: string, endpoint: Endpoint, path: string, body?: object): Promise<Answer> {
  const response = await gateway.fetch(path, {
    method: endpoint.method,
    headers: { authorization: `Bearer ${token}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.headers.get('content-type') !== 'text/event-stream') {
    return { status: response.status, text: await response.text() };
  }
  const reader = response.body?.getReader();
  const first = await reader?.read();
  await reader?.cancel();
  return { status: response.status, text: new TextDecoder().decode(first?.value) };
}

/** All that the database holds, but for when tokens were used. */
async function everything(): Promise<string> {
  const { store } = gateway;
  const unused = (rows: readonly object[]) => rows.map((row) => ({ ...row, lastUsedAt: null }));
  return JSON.stringify([
    await store.desired(),
    unused(await store.tokens.all()),
    unused(await store.apiTokens.all()),
    unused(await store.sessions.living()),
    await store.admin.get(),
  ]);
}

/** A path with ids that no one has: what is refused there is refused for everything, and what is let in changes nothing. */
const unknownPath = ({ path }: Endpoint): string => path.replaceAll(/\{\w+\}/g, '987654');

const closed = endpoints.filter(({ endpoint }) => endpoint.access !== 'open');
const scopes: { label: string; scope: readonly Right[] }[] = [
  ...ALL.map((right) => ({ label: right, scope: [right] })),
  { label: 'everything', scope: ALL },
  ...ALL.map((right) => ({ label: `everything but ${right}`, scope: without(right) })),
];

/** All rights but one; to take `read` away takes `write`, too. */
function without(right: Right): Right[] {
  const kind = right.split(':')[0];
  return ALL.filter((each) => each !== right && !(right.endsWith(':read') && each === `${kind}:write`));
}

describe.each(scopes)('an API token for $label', ({ scope }) => {
  let token: string;
  beforeAll(async () => (token = await tokenWith(scope)));

  it('makes the calls that its scope has all rights for, and no others', async () => {
    const before = await everything();
    for (const { name, endpoint } of closed) {
      const isAllowed = endpoint.rights?.every((right) => hasRight(scope, right)) ?? false;
      const { status, text } = await ask(token, endpoint, unknownPath(endpoint), wrongBody(endpoint));
      expect(status === 403, `${name}: ${status} ${text}`).toBe(!isAllowed);
      expect(status, `${name}: ${text}`).not.toBe(401);
      expect(isAllowed ? '' : text, name).not.toContain(FOREIGN);
    }
    expect(await everything()).toBe(before);
  });
});

/** A body that nothing can be made of: a call that is let in answers 422. */
const wrongBody = (endpoint: Endpoint): object | undefined =>
  endpoint.method === 'GET' ? undefined : { nonsense: true };

describe('the calls that no API token may make', () => {
  it('are those about sessions, the password, API tokens, settings, the public address and backups, and those of a node’s own token', () => {
    const refused = closed.filter(({ endpoint }) => endpoint.rights === undefined).map(({ name }) => name);
    const expected = endpoints
      .map(({ name }) => name)
      .filter((name) => /^(?:(?:session|apiToken|settings|publicAddress|cli)\.|system\.backup$)/.test(name))
      .filter((name) => name !== 'session.me' && name !== 'session.login');
    expect(refused.toSorted()).toEqual(expected.toSorted());
  });

  it('need a right to write where they change something, or answer a secret', () => {
    const secret: EndpointName[] = ['node.config', 'node.download'];
    for (const { name, endpoint } of closed) {
      if (endpoint.rights === undefined || endpoint.rights.length === 0) continue;
      const writes = endpoint.method !== 'GET' || secret.includes(name);
      expect(
        endpoint.rights.some((right) => right.endsWith(':write')),
        name,
      ).toBe(writes);
    }
  });
});

/** Paths, queries and bodies that lead to the node that the token is not for, and to its own. */
function foreignPaths({ path }: Endpoint): string[] {
  const service = path.includes('/tcp') ? foreign.tcp : foreign.http;
  const fill = (nodeId: number) =>
    path
      .replace('{nodeId}', String(nodeId))
      .replace('{tokenId}', String(foreign.token))
      .replace('{id}', String(path.startsWith('/api/services') ? service : nodeId));
  return [fill(foreign.node), ...(path.includes('{') ? [fill(ids.edgeId)] : [])];
}
const foreignQueries = ({ path, query }: Endpoint): string[] => {
  if (query === undefined) return [''];
  if (path === '/api/logs/stream') {
    return [`?domain=web.${FOREIGN}.test`, `?type=http&id=${foreign.http}`, `?type=tcp&id=${foreign.tcp}`];
  }
  return ['', `?nodeId=${foreign.node}`, `?id=${foreign.node}`, `?search=${FOREIGN}`, '?limit=100&page=1'];
};
const grabs = (): object[] => [
  {},
  { name: 'mine', domain: `web.${FOREIGN}.test`, pathLocation: '/mine', backendPort: 80 },
  { name: 'mine', domain: `tcp.${FOREIGN}.test`, backendPort: 80, ssl: true },
  { name: 'mine', domain: 'app.example.test', pathLocation: '/mine', backendPort: 80 },
  { name: 'mine', domain: 'new.example.test', pathLocation: '/mine', backendPort: 80 },
  { name: 'mine', backendPort: 80, port: 20_900 },
  { name: 'mine', allowAnyDomain: true },
  { name: 'mine', allowedNetworks: ['0.0.0.0/1'] },
  { name: 'mine', isGateway: true, gatewayNetwork: '10.5.0.0/16' },
  { name: 'mine', allowInternet: true },
  { name: 'mine', address: '10.88.77.77' },
  { name: 'mine', scope: ['nodes:write'] },
  ...(['disable', 'enable', 'remove'] as const).map((action) => ({ action, items: foreignServices() })),
  { action: 'limit', ttl: '1h', items: foreignServices() },
  { action: 'tag', addTags: ['mine'], items: foreignServices() },
];
const foreignServices = (): object[] => [
  { type: 'http', id: foreign.http },
  { type: 'tcp', id: foreign.tcp },
];

/** What is not of the node `edge`. */
async function others(): Promise<string> {
  const { nodes, domains, httpServices, tcpServices } = await gateway.store.desired();
  const isForeign = ({ nodeId }: { nodeId: number }) => nodeId !== ids.edgeId;
  const edge = nodes.find(({ id }) => id === ids.edgeId);
  const granted = edge && [
    edge.allowAnyDomain,
    edge.allowedNetworks,
    edge.allowInternet,
    edge.isGateway,
    edge.address === edgeAddress,
    edge.gatewayNetworks,
  ];
  const foreignNodes = nodes.filter(({ id }) => id !== ids.edgeId);
  return JSON.stringify([
    foreignNodes,
    granted ?? [false, null, false, false, true, null],
    domains,
    httpServices.filter(isForeign),
    tcpServices.filter(isForeign),
    (await gateway.store.tokens.all()).filter(isForeign),
    (await gateway.store.apiTokens.all()).map(({ id }) => id),
    await gateway.store.admin.get(),
  ]);
}

describe('an API token for one node', () => {
  let token: string;
  beforeAll(async () => (token = await tokenWith(NO_DOMAINS, { nodes: [ids.edgeId] })));

  // Its own node goes last, with all that it may delete.
  const inOrder = closed.toSorted((a, b) => Number(a.name === 'node.remove') - Number(b.name === 'node.remove'));
  it.each(inOrder)('neither learns nor changes anything of others by $name', async ({ endpoint }) => {
    const before = await others();
    const bodies = endpoint.method === 'GET' ? [undefined] : grabs();
    for (const path of foreignPaths(endpoint)) {
      for (const query of foreignQueries(endpoint)) {
        for (const body of bodies) {
          const { status, text } = await ask(token, endpoint, path + query, body);
          const about = `${endpoint.method} ${path}${query} ${JSON.stringify(body)} ${status} ${text}`;
          expect(status, about).toBeLessThan(500);
          expect(status, about).not.toBe(401);
          // What it sent itself may come back to it, in what is wrong with that.
          const isEcho = status >= 400 && JSON.stringify(body ?? '').includes(FOREIGN);
          expect(isEcho ? '' : text, about).not.toContain(FOREIGN);
        }
      }
    }
    expect(await others()).toBe(before);
  });
});
