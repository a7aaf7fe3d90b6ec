import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openReconcileTrial, PORTS, type ReconcileTrial } from '../testing/reconcileTrial.ts';

// What visitors get who do not speak HTTPS.

let trial: ReconcileTrial;
const domain = 'plain.example.test';

beforeAll(async () => {
  trial = await openReconcileTrial();
});
afterAll(() => trial.close());

async function ask(path: string, host: string, how: { method?: string; port?: number } = {}): Promise<IncomingMessage> {
  const { method = 'GET', port = PORTS.http } = how;
  const sent = request({ host: '127.0.0.1', port, path, method, headers: { host }, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** Where it leads. 308: a browser repeats the method and the body there. */
async function target(path: string, host: string, how: { method?: string; port?: number } = {}): Promise<string> {
  const { statusCode, headers } = await ask(path, host, how);
  expect(statusCode).toBe(308);
  return headers.location ?? '';
}
const https = `https://${domain}:${PORTS.https}`;

it('leads to HTTPS on its port, with the path and the query as they were', async () => {
  expect(await target('/', domain)).toBe(`${https}/`);
  expect(await target('/a?b=1&c=%2F%20;d', `${domain}:${PORTS.http}`)).toBe(`${https}/a?b=1&c=%2F%20;d`);
  expect(await target('/a%2Fb//c/../d', domain)).toBe(`${https}/a%2Fb//c/../d`);
  expect(await target('//evil.test/x', domain)).toBe(`${https}//evil.test/x`);
  expect(await target('/', `${domain.toUpperCase()}.`)).toBe(`${https}/`);
  expect(await target('/', '[::1]:80')).toBe(`https://[::1]:${PORTS.https}/`);
});

it.each(['POST', 'PUT', 'DELETE', 'HEAD'])('lets %s stay what it is', async (method) => {
  expect(await target('/api/x?y=1', domain, { method })).toBe(`${https}/api/x?y=1`);
});

it('leads nowhere that the request makes up', async () => {
  expect(await target(`http://${domain}/x`, 'evil.test')).toBe(`${https}/x`);
  for (const host of ['user@evil.test', 'evil.test/..', 'a b']) {
    expect((await ask('/', host)).headers.location).toBeUndefined();
  }
});

it('does the same for who speaks plain HTTP to the port of HTTPS', async () => {
  expect(await target('/a?b=1', `${domain}:${PORTS.https}`, { port: PORTS.https, method: 'POST' })).toBe(
    `${https}/a?b=1`,
  );
});

it('answers the challenges of certificate authorities itself', async () => {
  const challenges = join(trial.ingress.layout.acme, '.well-known', 'acme-challenge');
  mkdirSync(challenges, { recursive: true });
  writeFileSync(join(challenges, 'token'), 'proof');
  const proof = await ask('/.well-known/acme-challenge/token', domain);
  expect([proof.statusCode, await text(proof)]).toEqual([200, 'proof']);
  expect((await ask('/.well-known/acme-challenge/none', domain)).statusCode).toBe(404);
  expect((await ask('/.well-known/acme-challenge/../../../secrets/vault.key', domain)).statusCode).toBe(400);
  expect(await target('/.well-known/acme-challengex', domain)).toBe(`${https}/.well-known/acme-challengex`);
});
