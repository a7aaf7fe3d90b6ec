import { type Endpoint, type EndpointName, endpoints, IDEMPOTENCY_HEADER, isRepeatable } from '@sallyport/sdk/contract';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { TEST_ADMIN } from '../testing.ts';
import { eventReader } from '../testing/eventReader.ts';
import { seedEachTest, type SeededGateway } from '../testing/testApi.ts';

// Every endpoint of the contract that is not for administrators alone, asked by a node's access token, by a host that joins
// or by anyone, until it answers, and changes again with the same key: what is the administrator's of the node itself is not told.

/** Stands in the node's tags and notes, and in why its subnet is not reached. */
const SECRET = 'classified';
const notes = { tags: [SECRET], notes: `The key is ${SECRET}.` };

let { gateway, admin, ids }: SeededGateway = {} as never;
let token: string;
let code: string;
let own: { http: number; tcp: number };
seedEachTest((seeded) => ({ gateway, admin, ids } = seeded));
beforeEach(async () => {
  const { tunnel } = gateway.system;
  const { apply } = tunnel;
  vi.spyOn(tunnel, 'apply').mockImplementation(async (plan) => ({
    ...(await apply(plan)),
    refusedSubnets: new Map(plan.subnets.map((subnet) => [subnet, `it contains the address of ${SECRET}`])),
  }));
  tunnel.setStatus({ available: true });
  const make = async (path: string, body: object) => (await admin(`POST /api/${path}`, body)).body;
  const { siteId } = ids;
  const behind = { name: 'Own', backendHost: '192.0.2.9', backendPort: 8080 };
  own = {
    http: Number((await make(`services/${siteId}/http`, { ...behind, pathLocation: '/own' }))['id']),
    tcp: Number((await make(`services/${siteId}/tcp`, behind))['id']),
  };
  token = String((await make(`nodes/${siteId}/pats`, { name: 'host' }))['token']);
  code = String((await make('join-keys', { name: 'host', nodeId: siteId }))['code']);
  expect((await admin(`PATCH /api/nodes/${siteId}`, notes)).status).toBe(200);
});

const added = { name: 'New', backendHost: '192.0.2.9', backendPort: 22 };
const bodies: Partial<Record<EndpointName, () => object>> = {
  'session.login': () => TEST_ADMIN,
  'joinKey.redeem': () => ({ code, claim: 'claim-of-the-first-host' }),
  'cli.gateway': () => ({ gatewayNetwork: '10.1.0.0/24' }),
  'cli.exposeHttp': () => ({ ...added, pathLocation: '/new' }),
  'cli.exposeTcp': () => added,
  'cli.updateHttp': () => ({ name: 'Other' }),
  'cli.updateTcp': () => ({ name: 'Other' }),
};

/** What is answered, or the first event of a stream. */
async function ask(name: EndpointName, endpoint: Endpoint): Promise<Response & { said: string }> {
  const { method, access, kind } = endpoint;
  const path = endpoint.path.replace('{id}', String(endpoint.path.includes('/tcp/') ? own.tcp : own.http));
  const response = await gateway.fetch(name === 'log.watch' ? `${path}?type=http&id=${own.http}` : path, {
    method,
    headers: { [IDEMPOTENCY_HEADER]: 'key-1', ...(access !== 'open' && { authorization: `Bearer ${token}` }) },
    ...(bodies[name] !== undefined && { body: JSON.stringify(bodies[name]()) }),
  });
  if (kind !== 'stream') return Object.assign(response, { said: await response.text() });
  const reader = eventReader(response);
  const said = await reader.next();
  await reader.cancel();
  return Object.assign(response, { said: said ?? '' });
}

describe('of a node', () => {
  it('administrators are told what they noted, and why its subnet is not reached', async () => {
    const { body } = await admin(`GET /api/nodes/${ids.siteId}`);
    expect(body).toMatchObject(notes);
    expect(body['problem']).toContain(SECRET);
  });

  it.each(endpoints.filter(({ endpoint }) => endpoint.access !== 'admin'))(
    '$name tells its host none of that, the second time neither',
    async ({ name, endpoint }) => {
      const first = await ask(name, endpoint);
      const again = await ask(name, endpoint);
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.headers.has('idempotency-replayed')).toBe(isRepeatable(endpoint));
      for (const { said } of [first, again]) expect(said).not.toContain(SECRET);
    },
  );
});
