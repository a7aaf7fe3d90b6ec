import { readFileSync } from 'node:fs';
import { createTestGateway } from '@sallyport/gateway/testing';
import { onTestFinished } from 'vitest';
import { createFakeMachine } from './fakeMachine.ts';
import { ADMIN_ENV, type RunOptions, createShell } from './shell.ts';

/** By plain HTTP to loopback no certificate is asked for. */
export const LOCAL_URL = 'http://127.0.0.1:1';

/** A host on which nothing is real, and a gateway in this process, which it has not joined yet; for one test. */
export async function testHost() {
  const gateway = await createTestGateway();
  onTestFinished(() => gateway.stop());
  const machine = createFakeMachine(gateway.clock.now);
  const shell = createShell((request) => host.answer(request), gateway.clock.now, machine);
  const host = {
    gateway,
    machine,
    hostFile: shell.hostFile,
    configDirectory: shell.configDirectory,
    /** What answers a request: the gateway, unless a test says otherwise. */
    answer: (request: Request): Promise<Response> => gateway.fetch(request),
    run: (argv: string[], options: RunOptions = {}) => shell.run(argv, options),
    /** Signs in by this command. */
    login: (flags: string[] = [], { env, ...options }: RunOptions = {}) =>
      shell.run(['login', ...flags], { ...options, env: { SALLYPORT_URL: LOCAL_URL, ...ADMIN_ENV, ...env } }),
    /** The configuration of the host. */
    stored: () => JSON.parse(readFileSync(shell.hostFile, 'utf8')),
    /** A token for a node, as the console's administrator gets it. */
    async newToken(nodeId: number): Promise<string> {
      const reply = await gateway.fetch(`/api/nodes/${nodeId}/pats`, {
        method: 'POST',
        headers: { authorization: `Bearer ${await gateway.signIn()}`, 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'test' }),
      });
      return ((await reply.json()) as { token: string }).token;
    },
  };
  return host;
}
