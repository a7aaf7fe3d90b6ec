import { expect, it } from 'vitest';
import { seedEachTest, type SeededGateway } from '../../testing/testApi.ts';

let { admin }: SeededGateway = {} as never;
seedEachTest((seeded) => ({ admin } = seeded));

it('says where other machines reach the console, on its domain once it has one', async () => {
  const consoleUrl = async () => (await admin('GET /api/config')).body['CONSOLE_URL'];
  expect(await consoleUrl()).toBe('https://vpn.example.test:9443');
  expect((await admin('PATCH /api/services/1/http/1', { domain: 'console.example.test' })).status).toBe(200);
  expect(await consoleUrl()).toBe('https://console.example.test');
});
