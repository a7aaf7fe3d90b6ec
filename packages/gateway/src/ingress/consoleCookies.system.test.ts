import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { domainRow, PORTS, save } from '../testing/reconcileTrial.ts';
import { openSignInTrial, type SignInTrial } from '../testing/signInTrial.ts';

// Cookies know no ports: any page on the gateway's name can fill the browser's cookies for the console.

let scene: SignInTrial;

beforeAll(async () => {
  scene = await openSignInTrial([]);
});
afterAll(async () => {
  await scene.close();
});

/** As browsers send them over HTTP/2: each cookie in a field of its own. */
async function statusWith(cookies: readonly string[], host: string, port: number): Promise<number> {
  const session = connectHttp2(`https://${host}:${port}`, {
    createConnection: () =>
      connect({ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false, ALPNProtocols: ['h2'] }),
    // Node would send no more than 64 kB.
    maxSendHeaderBlockLength: 2_000_000,
  });
  // The stream says so, too.
  session.on('error', () => undefined);
  const stream = session.request({ ':path': '/api/openapi.json', cookie: [...cookies] });
  const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
  session.destroy();
  return headers[':status'];
}

/** The most that browsers keep for a site: 180 cookies of 4096 characters. */
const MOST = Array.from({ length: 180 }, (_, index) => `c${index}=`.padEnd(4096, 'x'));

it.each([['few'], ['as many as a browser keeps']])('lock no browser out of the console: %s', async (how) => {
  const cookies = how === 'few' ? MOST.slice(0, 6) : MOST;
  expect(await statusWith(cookies, 'gateway.test', PORTS.console)).toBe(200);
});

it('lock no browser out of a console with a domain', async () => {
  const host = 'console.example.test';
  await save(scene.trial, async (tx) => {
    await tx.domains.create(domainRow(host));
    const console = (await tx.httpServices.all()).find(({ builtin }) => builtin);
    await tx.httpServices.update(Number(console?.id), { domain: host });
  });
  expect(await statusWith(MOST, host, PORTS.https)).toBe(200);
});
