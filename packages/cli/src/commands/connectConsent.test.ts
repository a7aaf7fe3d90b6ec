import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { createFakeMachine } from '../testing/fakeMachine.ts';
import { createShell } from '../testing/shell.ts';

it('goes on with all traffic on a host that version 0.1.0 has joined so', async () => {
  const gateway = await createTestGateway();
  onTestFinished(gateway.stop);
  const machine = createFakeMachine(gateway.clock.now);
  const shell = createShell(gateway.fetch, gateway.clock.now, machine);
  const env = {
    SALLYPORT_URL: 'http://127.0.0.1:1',
    SALLYPORT_USERNAME: TEST_ADMIN.username,
    SALLYPORT_PASSWORD: TEST_ADMIN.password,
  };
  const stored = () => JSON.parse(readFileSync(shell.hostFile, 'utf8'));
  expect((await shell.run(['login', '--allow-internet'], { env })).code).toBe(0);
  const { allowInternet, allowDns, ...before } = stored();
  expect([allowInternet, allowDns]).toEqual([true, false]);
  writeFileSync(shell.hostFile, JSON.stringify(before));
  expect(await shell.run(['connect'])).toMatchObject({ code: 0, err: 'Node "web-1" is connected already.\n' });
  expect(stored().allowInternet).toBe(true);
  expect(machine.up.get('sallyport')).toContain('AllowedIPs = 0.0.0.0/0, ::/0');
});
