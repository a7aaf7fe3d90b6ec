import { createTestGateway } from '@sallyport/gateway/testing';
import { onTestFinished } from 'vitest';
import { ADMIN_ENV, type RunOptions, GATEWAY_URL, createShell } from './shell.ts';

/** A gateway with the things of its `seed`, and a shell whose user is signed in to it. What `answer` answers it is not asked. */
export async function signedIn(answer: (request: Request) => Response | null | Promise<Response | null> = () => null) {
  const gateway = await createTestGateway();
  const ids = await gateway.seed();
  const asked: string[] = [];
  const shell = createShell(async (request) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    return (await answer(request)) ?? gateway.fetch(request);
  }, gateway.clock.now);
  onTestFinished(() => gateway.stop());
  await shell.run(['login', '--operator'], { env: { ...ADMIN_ENV, SALLYPORT_URL: GATEWAY_URL } });
  asked.length = 0;
  return {
    gateway,
    ids,
    shell,
    /** What the gateway was asked for since the sign-in, `METHOD path`. */
    asked,
    run: (line: string | readonly string[], options?: RunOptions) =>
      shell.run(typeof line === 'string' ? line.split(' ') : line, options),
    /** The `data` of a command's JSON. */
    json: async (line: string) => JSON.parse((await shell.run([...line.split(' '), '--json'])).out).data,
  };
}
