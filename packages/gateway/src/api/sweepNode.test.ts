import { type Endpoint, type EndpointName, endpoints } from '@sallyport/sdk/contract';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { seededGateway, type SeededGateway } from '../testing/testApi.ts';

// Every endpoint of the contract, asked with the access token of a node for what belongs to another node or to the
// administrator: nothing of it is told, and nothing of it is changed.

/** Stands in everything that the token has no business with, and is not sent by this test. */
const FOREIGN = 'classified';

let { gateway, admin, ids }: SeededGateway = {} as never;
/** An access token of the node `edge`. */
let token: string;
let foreign: { http: number[]; tcp: number[]; nodes: number[]; domains: number[]; tokens: number[] };
let own: { http: number; tcp: number };

beforeAll(async () => {
  ({ gateway, admin, ids } = await seededGateway());
  gateway.world.setSignIn({ available: true });
  const off = { reason: `The node ${FOREIGN} has the network.`, fix: `Delete ${FOREIGN}.` };
  gateway.system.tunnel.setStatus({ available: false, failed: true, ...off });
  gateway.world.setUnavailable([{ feature: 'tunnel', ...off }]);
  const create = async (path: `/${string}`, body: object): Promise<number> => {
    const reply = await admin(`POST ${path}`, body);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return Number(reply.body['id']);
  };
  const other = await create('/api/nodes', { name: `${FOREIGN}-node`, isGateway: true, gatewayNetwork: '10.5.0.0/16' });
  const behind = { backendHost: '10.5.0.9', backendPort: 80 };
  const named = (kind: string) => ({ name: `${FOREIGN}-${kind}`, ...behind });
  const members = { domain: `members.${FOREIGN}.test`, skipValidation: true, authentication: true };
  foreign = {
    nodes: [1, other, ids.siteId],
    domains: [
      ids.domainId,
      await create('/api/domains', members),
      await create('/api/domains', { domain: `empty.${FOREIGN}.test`, skipValidation: true }),
    ],
    http: [
      ids.appId,
      await create(`/api/services/${other}/http`, { ...named('web'), domain: `web.${FOREIGN}.test` }),
      await create(`/api/services/${other}/http`, { ...named('members'), domain: members.domain, requireAuth: true }),
      await create(`/api/services/${other}/http`, { ...named('path'), pathLocation: `/${FOREIGN}` }),
    ],
    tcp: [await create(`/api/services/${other}/tcp`, { ...named('tcp'), port: 20_900, domain: `tcp.${FOREIGN}.test` })],
    tokens: (await gateway.store.tokens.all({ nodeId: other })).map(({ id }) => id),
  };
  own = { http: ids.wikiId, tcp: await create(`/api/services/${ids.edgeId}/tcp`, { name: 'own', backendPort: 22 }) };
  await newToken();
});
afterAll(() => gateway.stop());
afterEach(() => expect(gateway.errors).toEqual([]));

async function newToken(): Promise<void> {
  token = String((await admin(`POST /api/nodes/${ids.edgeId}/pats`, { name: 'sweep' })).body['token']);
}

/** Everything in the database that is not the node's own. */
async function others(): Promise<string> {
  const { nodes, domains, httpServices, tcpServices } = await gateway.store.desired();
  const isForeign = ({ nodeId }: { nodeId: number }) => nodeId !== ids.edgeId;
  const mine = new Set([...httpServices, ...tcpServices].filter((row) => !isForeign(row)).map(({ domain }) => domain));
  return JSON.stringify([
    nodes.filter(({ id }) => id !== ids.edgeId),
    domains.filter(({ id, domain }) => foreign.domains.includes(id) || !mine.has(domain)),
    httpServices.filter(isForeign),
    tcpServices.filter(isForeign),
    (await gateway.store.tokens.all()).filter(isForeign),
    await gateway.store.admin.get(),
  ]);
}

const foreignNames = [
  'app.example.test',
  ...['web', 'members', 'empty', 'tcp'].map((label) => `${label}.${FOREIGN}.test`),
];

/** A foreign name as a user may write it. */
const spellings = (name: string): string[] => [
  name,
  name.toUpperCase(),
  ` ${name} `,
  `${name}.`,
  `${name}.`.toUpperCase(),
];

/** Bodies that name something of others, by the endpoints that take a body. */
function bodiesOf(name: EndpointName): object[] {
  const isTcp = name.endsWith('Tcp');
  const base = { name: `mine-${name}`, backendPort: 8080 };
  const mine = (more: object): object => ({ ...base, ...more });
  if (name === 'cli.gateway') {
    return ['10.5.0.0/16', '10.5.1.0/24', '10.0.0.0/8', '0.0.0.0/0', '8.0.0.0/8', '10.88.0.0/16'].flatMap((subnet) => [
      { gatewayNetwork: subnet },
      { gatewayNetwork: subnet, gatewayNetworks: [{ interface: 'eth0', subnet }] },
      { gatewayNetwork: subnet, id: foreign.nodes[1] },
    ]);
  }
  if (name.startsWith('cli.enable')) return [{ ttl: '1h' }, { nodeId: foreign.nodes[1] }, {}];
  const paths = ['/', '/login', `/${FOREIGN}`, `/${FOREIGN}/`, `/${FOREIGN}/login`, `/${FOREIGN.toUpperCase()}/../x`];
  const places = isTcp
    ? foreignNames.flatMap((domain) => spellings(domain).map((each) => ({ domain: each, ssl: true })))
    : foreignNames.flatMap((domain) =>
        spellings(domain).flatMap((each) => paths.slice(0, 2).map((path) => ({ domain: each, pathLocation: path }))),
      );
  return [
    ...places.map(mine),
    ...(isTcp ? [] : paths.slice(2).map((pathLocation) => mine({ pathLocation }))),
    ...(isTcp ? [{ ...base, port: 20_900 }] : []),
    ...foreignNames.map((domain) => ({
      ...base,
      domain,
      requireAuth: true,
      allowedNodes: [ids.edgeId],
      reserved: false,
    })),
    { ...base, id: foreign.http[1] },
    { ...base, nodeId: foreign.nodes[1] },
    { ...base, backendHost: '10.5.0.9' },
    { ...base, backendHost: '127.0.0.1' },
    { ...base, builtin: true, enabled: false, publish: true },
  ];
}

/** Values for the places of a path: ids of others, and of the node itself. */
function pathsOf({ path }: Endpoint): string[] {
  const http = path.includes('tcp') ? [...foreign.tcp, own.tcp] : [...foreign.http, own.http];
  const values: Record<string, (string | number)[]> = {
    nodeId: [...foreign.nodes, ids.edgeId],
    tokenId: [...foreign.tokens, 1],
    id: path.includes('/services/')
      ? http
      : path.includes('/domains')
        ? foreign.domains
        : [...foreign.nodes, ids.edgeId],
  };
  return [...path.matchAll(/\{(\w+)\}/g)].reduce<string[]>(
    (all, [place, name = '']) => all.flatMap((each) => (values[name] ?? []).map((v) => each.replace(place, String(v)))),
    [path],
  );
}

const queriesOf = ({ path, query }: Endpoint): string[] => {
  if (query === undefined) return [''];
  if (path === '/api/logs/stream') {
    return [
      ...foreignNames.map((domain) => `?domain=${domain}`),
      ...foreign.http.map((id) => `?type=http&id=${id}`),
      ...foreign.tcp.map((id) => `?type=tcp&id=${id}`),
    ];
  }
  return [
    '',
    ...foreign.nodes.map((id) => `?nodeId=${id}`),
    `?search=${FOREIGN}`,
    '?limit=100&page=1&orderBy=domain,desc',
    ...foreignNames.map((domain) => `?domain=${domain}`),
    ...foreign.nodes.map((id) => `?id=${id}`),
  ];
};

type Answer = { status: number; text: string };

async function ask(endpoint: Endpoint, path: string, body: object | undefined): Promise<Answer> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await gateway.fetch(path, {
    method: endpoint.method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (response.headers.get('content-type') === 'text/event-stream') {
    await response.body?.cancel();
    return { status: response.status, text: 'a stream' };
  }
  return { status: response.status, text: await response.text() };
}

describe('the token of a node', () => {
  it.each(endpoints.filter(({ endpoint }) => endpoint.access === 'admin'))(
    'is none for $name, whatever is asked for',
    async ({ endpoint }) => {
      const before = await others();
      for (const path of pathsOf(endpoint)) {
        for (const query of queriesOf(endpoint)) {
          const { status, text } = await ask(endpoint, path + query, endpoint.method === 'GET' ? undefined : {});
          expect(status).toBe(403);
          expect(text).not.toContain(FOREIGN);
        }
      }
      expect(await others()).toBe(before);
    },
  );

  it.each(endpoints.filter(({ endpoint }) => endpoint.access === 'node' || endpoint.access === 'any'))(
    'neither learns nor changes anything of others by $name',
    async ({ name, endpoint }) => {
      const before = await others();
      const bodies = endpoint.kind === 'call' && endpoint.body !== undefined ? bodiesOf(name) : [undefined];
      for (const path of pathsOf(endpoint)) {
        for (const query of queriesOf(endpoint)) {
          for (const body of bodies) {
            const { status, text } = await ask(endpoint, path + query, body);
            const about = `${endpoint.method} ${path}${query} ${JSON.stringify(body)} ${status} ${text}`;
            expect(status, about).toBeLessThan(500);
            // What it sent itself may come back to it: a name of a domain, in what is wrong with that.
            const isEcho = status >= 400 && JSON.stringify(body ?? '').includes(FOREIGN);
            expect(isEcho ? '' : text, about).not.toContain(FOREIGN);
            if (text === 'a stream') throw new Error(`It was let in: ${about}`);
            if (name === 'cli.regenerate') await newToken();
          }
        }
      }
      expect(await others()).toBe(before);
    },
  );
});
