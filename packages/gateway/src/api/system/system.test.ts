import { expect, it } from 'vitest';
import { createTestGateway } from '../../testing.ts';
import { seedNodesEachTest, type SeededNodes, testApi } from '../../testing/testApi.ts';

let { gateway, admin, edge }: SeededNodes = {} as never;
seedNodesEachTest((seeded) => ({ gateway, admin, edge } = seeded));

it('says where other machines reach the console, on its domain once it has one', async () => {
  const consoleUrl = async () => (await admin('GET /api/config')).body['CONSOLE_URL'];
  expect(await consoleUrl()).toBe('https://vpn.example.test:9443');
  expect((await admin('PATCH /api/services/1/http/1', { domain: 'console.example.test' })).status).toBe(200);
  expect(await consoleUrl()).toBe('https://console.example.test');
});

it('says of no place where it does not know a name that others find, until the console has a domain', async () => {
  const unnamed = await createTestGateway({ isHostKnown: false });
  const api = testApi(unnamed, await unnamed.signIn());
  const consoleUrl = async () => (await api('GET /api/config')).body['CONSOLE_URL'];
  expect(await consoleUrl()).toBeNull();
  await api('PATCH /api/services/1/http/1', { domain: 'console.example.test' });
  expect(await consoleUrl()).toBe('https://console.example.test');
  await unnamed.stop();
});

it('says at which port visitors reach services, and takes their names as people write them', async () => {
  const port = Number((await admin('GET /api/config')).body['PUBLIC_HTTPS_PORT']);
  const body = { name: 'Shop', domain: 'Bücher.example', backendHost: '127.0.0.1' };
  const { publicAccess } = (await admin('POST /api/services/1/http', body)).body;
  const { host } = new URL(`https://xn--bcher-kva.example:${port}`);
  expect(publicAccess).toBe(`https://${host}/`);
});

it('says when it was last backed up, to the administrator alone', async () => {
  const read = async () => (await admin('GET /api/backup')).body['last'];
  expect(await read()).toBeNull();
  const last = { at: '2026-11-20T02:30:00.000Z', file: '/var/backups/sallyport/gateway.backup', isOld: false };
  gateway.world.setLastBackup(last);
  expect(await read()).toEqual(last);
  expect((await edge('GET /api/backup')).status).toBe(403);
});

it('is not well while the tunnel is down', async () => {
  gateway.system.tunnel.setStatus({ available: false, failed: true, reason: 'It broke.', fix: 'Wait.' });
  await admin('POST /api/nodes', { name: 'another' });
  const { status, body } = await testApi(gateway, null)('GET /healthz');
  expect([status, body]).toEqual([503, expect.objectContaining({ status: 'degraded', tunnel: 'down' })]);
});
