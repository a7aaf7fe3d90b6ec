import { expect, it } from 'vitest';
import { testHost } from '../testing/testHost.ts';

it('says which address is taken, and names the flags that give another', async () => {
  const { run, login } = await testHost();
  expect((await login()).code).toBe(0);
  await run(['http', 'web', '--port', '8080']);
  const next = 'Give another --path, or another --domain.\n';
  expect(await run(['http', 'other', '--port', '8081'])).toEqual({
    code: 2,
    out: '',
    err: expect.stringContaining(
      `sallyport: The path / of the gateway's own address has another service already. ${next}`,
    ),
  });
  await run(['http', 'shop', '--port', '8082', '--domain', 'app.example.test']);
  const taken = await run(['http', 'more', '--port', '8083', '--domain', 'app.example.test']);
  expect(taken.err).toContain(`sallyport: The path / of app.example.test has another service already. ${next}`);
});
