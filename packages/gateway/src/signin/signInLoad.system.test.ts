import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { visit } from '../testing/reconcileTrial.ts';
import { openSignInTrial, type SignInTrial } from '../testing/signInTrial.ts';

const HOST = 'busy.example.test';
const AT_ONCE = 48;
const ROUNDS = 6;

let scene: SignInTrial;

beforeAll(async () => {
  scene = await openSignInTrial([HOST]);
  await scene.addDomain(HOST);
  await scene.expose(HOST, { requireAuth: true });
}, 60_000);
afterAll(() => scene?.close());

it('asks about many visitors at once over connections that are kept', async () => {
  let opened = 0;
  let asking: ServerResponse[] = [];
  const gateway = createServer((_question, answer) => {
    asking.push(answer);
    if (asking.length < AT_ONCE) return;
    for (const each of asking) each.writeHead(204, { 'x-auth-email': 'ann@example.test' }).end();
    asking = [];
  });
  gateway.on('connection', () => (opened += 1));
  await scene.closeSocket();
  const { gatewaySocket } = scene.trial.ingress.layout;
  await once(gateway.listen(gatewaySocket), 'listening');
  chmodSync(gatewaySocket, 0o666);
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const pages = await Promise.all(Array.from({ length: AT_ONCE }, () => visit(scene.trial, HOST)));
      expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
    }
    // Each of two workers or more may have come to have as many as all of them once needed.
    expect(opened).toBeLessThanOrEqual(2.5 * AT_ONCE);
  } finally {
    gateway.closeAllConnections();
    gateway.close();
  }
});
