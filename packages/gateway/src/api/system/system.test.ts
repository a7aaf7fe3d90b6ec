import { expect, it } from 'vitest';
import { createTestGateway } from '../../testing.ts';

it('says where other machines reach the console, on its domain once it has one', async () => {
  const gateway = await createTestGateway();
  try {
    const headers = { authorization: `Bearer ${await gateway.signIn()}` };
    const consoleUrl = async () =>
      ((await (await gateway.fetch('/api/config', { headers })).json()) as { CONSOLE_URL: unknown }).CONSOLE_URL;
    expect(await consoleUrl()).toBe('https://vpn.example.test:9443');
    const [builtin] = await gateway.store.httpServices.all({ builtin: true });
    const answer = await gateway.fetch(`/api/services/1/http/${builtin?.id}`, {
      method: 'PATCH',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ domain: 'console.example.test' }),
    });
    expect(answer.status).toBe(200);
    expect(await consoleUrl()).toBe('https://console.example.test');
  } finally {
    await gateway.stop();
  }
});
