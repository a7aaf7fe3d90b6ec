import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOCAL_URL, testHost } from '../testing/testHost.ts';

it('of a machine that is no node says how to join, or, to an operator, what looks at the gateway', async () => {
  const at = await testHost();
  // In one message.
  expect(await at.run(['status'])).toEqual({
    code: 3,
    out: '',
    err: expect.stringMatching(
      /^sallyport: This host is not a node of a gateway\. [^\n]*`sallyport join --url URL`[^\n]*\n$/,
    ),
  });
  expect((await at.run(['http', 'web', '--port', '8080'])).err).toBe((await at.run(['status'])).err);
  expect(JSON.parse((await at.run(['status', '--json'])).out)).toMatchObject({ link: 'unconfigured' });
  at.machine.missing.delete('sallyport-gateway');
  const ofGateway =
    '`sudo sallyport-gateway check` looks at it; operators sign in with `sallyport login --operator --url http://127.0.0.1:3000`.\n';
  expect((await at.run(['status'])).err).toBe(
    `sallyport: This machine is no node: it is the gateway itself. ${ofGateway}`,
  );
  expect(await at.run(['doctor'])).toMatchObject({
    code: 4,
    err: `sallyport: Profile "default" is not signed in. This machine is the gateway itself: ${ofGateway}`,
  });
  await at.login(['--operator']);
  expect(await at.run(['status'])).toMatchObject({
    code: 3,
    out: '',
    err: `sallyport: This machine is no node. You are signed in to ${LOCAL_URL} as operator: \`sallyport doctor\` looks at it.\n`,
  });
  writeFileSync(join(at.configDirectory, 'config.json'), '{');
  expect((await at.run(['status'])).code).toBe(3);
});
