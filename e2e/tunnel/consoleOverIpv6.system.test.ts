import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { namespacesProblem } from '../support/namespaces.ts';
import { openTunnelScene, startScript, type TunnelScene } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
if (problem !== null) process.stdout.write(`The console over IPv6 is not tried: ${problem}.\n`);

const GATEWAY_V6 = '2001:db8:18::1';
const VISITORS = Array.from({ length: 8 }, (_, index) => `2001:db8:18::9${index}`);
const REQUESTS = 16;
/** Half as many more than one address may have in all workers of nginx. */
const SESSIONS = Math.ceil((availableParallelism() * 128 * 1.5) / REQUESTS / VISITORS.length);

describe.skipIf(problem !== null)('the console over IPv6', () => {
  let scene: TunnelScene;
  beforeAll(async () => {
    scene = await openTunnelScene();
    await scene.home.exec('ip', 'address', 'add', `${GATEWAY_V6}/64`, 'dev', 'eth0', 'nodad');
    for (const address of VISITORS) {
      await scene.outside.exec('ip', 'address', 'add', `${address}/64`, 'dev', 'eth0', 'nodad');
    }
  }, 300_000);
  afterAll(() => scene?.close(), 60_000);

  // Each of them has as much as it likes of such a network.
  it('refuses one network of 64 bits as it does one address', async () => {
    const visitors = startScript(
      scene.outside,
      `const [tls, http2] = [require('node:tls'), require('node:http2')];
       for (const localAddress of ${JSON.stringify(VISITORS)}) {
         for (let session = 0; session < ${SESSIONS}; session += 1) {
           const options = { host: '${GATEWAY_V6}', port: ${scene.gateway.ports.console}, localAddress, rejectUnauthorized: false, ALPNProtocols: ['h2'] };
           const visitor = http2.connect('https://gateway.test', { createConnection: () => tls.connect(options) });
           visitor.on('error', () => undefined);
           for (let count = 0; count < ${REQUESTS}; count += 1) {
             const request = visitor.request({ ':method': 'POST', ':path': '/api/auth/login' }, { endStream: false });
             request.on('error', () => undefined);
             request.on('response', (headers) => headers[':status'] === 503 && process.stdout.write('refused\\n'));
           }
         }
       }`,
    );
    await visitors.hear('refused\n');
    expect(visitors.said()).toContain('refused');
  });
});
