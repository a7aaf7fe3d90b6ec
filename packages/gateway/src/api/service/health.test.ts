import { createClient, type Client } from '@sallyport/sdk';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createTestGateway, TEST_URL, type TestGateway } from '../../testing.ts';

const REFUSED = 'Nothing listens on 127.0.0.1:9090. Start the service, or correct the port.';
const DOWN = { health: 'down', healthReason: REFUSED };
const UP = { health: 'up', healthReason: null };
const UNKNOWN = { health: 'unknown', healthReason: null };
const body = { name: 'Web', pathLocation: '/web', backendHost: '127.0.0.1', backendPort: 9090 };

let gateway: TestGateway;
let client: Client;

beforeEach(async () => {
  gateway = await createTestGateway();
  const token = await gateway.signIn();
  client = createClient({ baseUrl: TEST_URL, token: () => token, fetch: gateway.fetch });
  gateway.backends.set('127.0.0.1:9090', REFUSED);
});
afterEach(() => gateway.stop());

it('is in the answer to every write that opens a service, and saving does not depend on it', async () => {
  const made = await client.httpService.create({ params: { nodeId: 1 }, body });
  expect(made).toMatchObject({ enabled: true, ...DOWN });
  const params = { nodeId: 1, id: made.id };
  expect(await client.httpService.update({ params, body: { backendPort: 9191 } })).toMatchObject(UP);
  expect(await client.httpService.disable({ params })).toMatchObject({ enabled: false, ...UNKNOWN });
  gateway.backends.set('127.0.0.1:9191', 'Gone.');
  expect(await client.httpService.enable({ params })).toMatchObject({ enabled: true, health: 'down' });
  expect(await client.httpService.get({ params })).toMatchObject({ health: 'down', healthReason: 'Gone.' });
});

it('is told of TCP services too, and of UDP services nothing', async () => {
  const create = (proto: 'tcp' | 'udp') =>
    client.tcpService.create({
      params: { nodeId: 1 },
      body: { name: proto, proto, backendHost: '127.0.0.1', backendPort: 9090 },
    });
  expect(await create('tcp')).toMatchObject(DOWN);
  expect(await create('udp')).toMatchObject(UNKNOWN);
  expect(gateway.backends.asked).toEqual(['tcp 127.0.0.1:9090']);
});

it('is down for the reason of the tunnel while there is none, and nothing is sent to the node', async () => {
  const { id: nodeId } = await client.node.create({ body: { name: 'edge' } });
  const made = await client.httpService.create({ params: { nodeId }, body: { name: 'Wiki', pathLocation: '/wiki' } });
  expect(made).toMatchObject({ health: 'down', healthReason: made.problem });
  expect(made.problem).toContain('The tunnel is off');
  expect(gateway.backends.asked).toEqual([]);
});

it('comes with the stream of the page that is asked for, without another call', async () => {
  const made = await client.httpService.create({ params: { nodeId: 1 }, body });
  await client.httpService.create({ params: { nodeId: 1 }, body: { ...body, name: 'Other', pathLocation: '/o' } });
  const events = client.httpService.watch({ query: { nodeId: 1, search: 'Web', page: 1, limit: 5 } });
  const next = async () => (await events.next()).value?.data.map(({ id, health }) => ({ id, health }));
  expect(await next()).toEqual([{ id: made.id, health: 'down' }]);
  gateway.backends.set('127.0.0.1:9090', null);
  gateway.clock.advance(10_000);
  expect(await next()).toEqual([{ id: made.id, health: 'up' }]);
  await client.httpService.remove({ params: { nodeId: 1, id: made.id } });
  expect(await next()).toEqual([]);
  await events.return?.();
});

it('comes with the stream of TCP services', async () => {
  const of = { params: { nodeId: 1 } };
  await client.tcpService.create({ ...of, body: { name: 'db', backendHost: '127.0.0.1', backendPort: 9090 } });
  const events = client.tcpService.watch({ query: { limit: 5 } });
  expect((await events.next()).value).toMatchObject({ total: 1, data: [{ name: 'db', ...DOWN }] });
  await events.return?.();
});
