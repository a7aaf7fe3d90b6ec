import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { join } from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCertbot } from './certbot.ts';
import { type CertificateAuthority, forgetAccount, openCertificateAuthority } from '../testing/certificateAuthority.ts';
import { type GatewayTrial, openGatewayTrial } from '../testing/gatewayTrial.ts';
import { PORTS, startBackend } from '../testing/reconcileTrial.ts';
import { createTestClock } from '../testing/testClock.ts';

// A domain that asks for a certificate, with a real nginx, a real certbot and a real authority on loopback.

const DAY_MS = 86_400_000;
const VALID_DAYS = 90;
const clock = createTestClock(new Date());
let authority: CertificateAuthority;
let trial: GatewayTrial;

beforeAll(async () => {
  authority = await openCertificateAuthority({ httpPort: PORTS.http, validSeconds: (VALID_DAYS * DAY_MS) / 1000 });
  process.env['REQUESTS_CA_BUNDLE'] = authority.caFile;
  trial = await openGatewayTrial({
    clock,
    openIssuer: (where) =>
      createCertbot({ ...where, authority: () => ({ authority: authority.directory, email: null }) }),
  });
});
afterAll(async () => {
  await trial.stopGateway();
  await trial.close();
  await authority.close();
  delete process.env['REQUESTS_CA_BUNDLE'];
});

const add = (domain: string) => trial.api('POST /api/domains', { domain, ssl: 'certbot' });
const problemOf = async (id: unknown): Promise<unknown> =>
  (await trial.api(`GET /api/domains/${String(id)}`)).body['problem'];
const issued = (): string => join(trial.ingress.layout.directory, '../secrets/issued');
const pairs = (): string[] => readdirSync(join(issued(), 'pairs'));

/** Waits for news until the domain has no problem any more. */
async function healed(id: unknown): Promise<void> {
  while ((await problemOf(id)) !== null) {
    await new Promise<void>((resolve) => {
      const stop = trial.reconciler.onFindings(() => {
        stop();
        resolve();
      });
    });
  }
}

/** What a visitor of a name is shown; `trusted` by anyone who trusts the authority's root alone. */
async function shown(host: string): Promise<{ trusted: boolean; certificate: PeerCertificate }> {
  const ca = await authority.root().catch(() => '');
  const to = { host: '127.0.0.1', port: PORTS.https, servername: host, rejectUnauthorized: false };
  const socket = connect({ ...to, ...(ca !== '' && { ca }) });
  await once(socket, 'secureConnect');
  const seen = { trusted: socket.authorized, certificate: socket.getPeerCertificate() };
  socket.destroy();
  return seen;
}

it('serves a self-signed one and says why while the authority is away, and heals when it is back', async () => {
  const { status, body } = await add('early.example.test');
  expect(status).toBe(200);
  expect(body['problem']).toMatch(/^127\.0\.0\.1:\d+ does not answer.* so visitors get a self-signed one\./);
  expect((await shown('early.example.test')).certificate.subject.CN).toBe('early.example.test');
  await authority.start();
  clock.advance(60_000);
  await healed(body['id']);
  expect((await shown('early.example.test')).trusted).toBe(true);
});

it('answers a new domain when its certificate is served', async () => {
  const { status, body } = await add('new.example.test');
  expect([status, body['problem'], body['ssl']]).toEqual([200, null, 'certbot']);
  const { trusted, certificate } = await shown('new.example.test');
  expect(trusted).toBe(true);
  expect(certificate.subjectaltname).toBe('DNS:new.example.test');
});

it('says which name the authority does not find, and has it when the domain is saved again', async () => {
  authority.lead('lost.example.test', null);
  const { body } = await add('lost.example.test');
  expect(body['problem']).toMatch(
    /finds no address for lost\.example\.test .*Have its DNS record lead to this gateway/,
  );
  expect((await shown('lost.example.test')).trusted).toBe(false);
  expect((await shown('new.example.test')).trusted).toBe(true);
  authority.lead('lost.example.test', '127.0.0.1');
  const saved = await trial.api(`PATCH /api/domains/${String(body['id'])}`, { ssl: 'certbot' });
  expect([saved.status, saved.body['problem']]).toEqual([200, null]);
  expect((await shown('lost.example.test')).trusted).toBe(true);
});

/** What a visitor is told of HTTPS, on this page. */
async function hstsOf(host: string, path = '/'): Promise<string | null> {
  const to = { host: '127.0.0.1', port: PORTS.https, servername: host, rejectUnauthorized: false, agent: false };
  const sent = httpsRequest({ ...to, path, headers: { host } }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.headers['strict-transport-security'] ?? null;
}

it('has browsers come by HTTPS alone, but only with a certificate that they trust', async () => {
  const host = 'strict.example.test';
  const backend = await startBackend((request, response) => {
    if (request.url === '/own') response.setHeader('Strict-Transport-Security', 'max-age=5; preload');
    response.end();
  });
  const { body: made } = await add(host);
  expect(made).toMatchObject({ problem: null, hsts: true });
  const service = { domain: host, backendHost: '127.0.0.1', backendPort: backend.port };
  await trial.api('POST /api/services/1/http', { name: 'App', pathLocation: '/', ...service });
  const shutService = { name: 'Shut', pathLocation: '/shut', ...service };
  const { body: shut } = await trial.api('POST /api/services/1/http', shutService);
  await trial.api(`PATCH /api/services/1/http/${String(shut['id'])}/disable`);
  // For a day at first, without the domain's subdomains; on the gateway's own pages, too.
  expect([await hstsOf(host), await hstsOf(host, '/shut')]).toEqual(['max-age=86400', 'max-age=86400']);
  // What a backend says of itself stands alone.
  expect(await hstsOf(host, '/own')).toBe('max-age=5; preload');
  // No one vouches for these: the stand-in, a self-signed one, the server of no domain. Nor is it said over plain HTTP.
  authority.lead('bare.example.test', null);
  await add('bare.example.test');
  await trial.api('POST /api/domains', { domain: 'self.example.test', ssl: 'self-signed' });
  for (const other of ['bare.example.test', 'self.example.test', 'nobody.example.test']) {
    expect(await hstsOf(other)).toBeNull();
  }
  for (const port of [PORTS.http, PORTS.https]) {
    const plain = await fetch(`http://127.0.0.1:${port}/`, { headers: { host }, redirect: 'manual' });
    expect([plain.status, plain.headers.get('strict-transport-security')]).toEqual([308, null]);
  }
  // Turned off, browsers are told to forget it.
  const path = `PATCH /api/domains/${String(made['id'])}` as const;
  expect((await trial.api(path, { hsts: false })).body).toMatchObject({ hsts: false });
  expect([await hstsOf(host), await hstsOf(host, '/own')]).toEqual(['max-age=0', 'max-age=5; preload']);
  await trial.api(path, { hsts: true });
  expect(await hstsOf(host)).toBe('max-age=86400');
  await trial.api(`DELETE /api/domains/${String(made['id'])}`);
  await backend.stop();
});

it('has them come to a console with a domain of its own by HTTPS alone as well', async () => {
  const host = 'console.example.test';
  const { body: made } = await add(host);
  const [console] = await trial.store.httpServices.all({ builtin: true });
  const service = `PATCH /api/services/1/http/${Number(console?.id)}` as const;
  expect((await trial.api(service, { domain: host })).body).toMatchObject({ builtin: true, domain: host });
  expect([(await shown(host)).trusted, await hstsOf(host)]).toEqual([true, 'max-age=86400']);
  await trial.api(`PATCH /api/domains/${String(made['id'])}`, { hsts: false });
  expect(await hstsOf(host)).toBe('max-age=0');
  await trial.api(service, { domain: null });
  await trial.api(`DELETE /api/domains/${String(made['id'])}`);
});

it('renews it before its end, and keeps the old one when that fails', async () => {
  const [{ id } = { id: 0 }] = await trial.store.domains.all({ domain: 'new.example.test' });
  const before = (await shown('new.example.test')).certificate.fingerprint256;
  for (const domain of ['early.example.test', 'lost.example.test']) {
    const [row] = await trial.store.domains.all({ domain });
    await trial.api(`DELETE /api/domains/${String(row?.id)}`);
  }
  authority.lead('new.example.test', null);
  forgetAccount(issued());
  clock.advance((VALID_DAYS - 29) * DAY_MS);
  while ((await problemOf(id)) === null) {
    await new Promise<void>((resolve) => {
      const stop = trial.reconciler.onFindings(() => {
        stop();
        resolve();
      });
    });
  }
  expect(await problemOf(id)).toMatch(/ The domain's certificate ends on \d{4}-\d\d-\d\d and could not be renewed\./);
  expect((await shown('new.example.test')).certificate.fingerprint256).toBe(before);
  authority.lead('new.example.test', '127.0.0.1');
  clock.advance(60_000);
  await healed(id);
  const after = await shown('new.example.test');
  expect(after.trusted).toBe(true);
  expect(after.certificate.fingerprint256).not.toBe(before);
});

it('leaves no trace of it when the domain becomes self-signed, or is deleted', async () => {
  const { body } = await add('gone.example.test');
  expect(pairs().toSorted()).toEqual(['gone.example.test', 'new.example.test']);
  await trial.api(`PATCH /api/domains/${String(body['id'])}`, { ssl: 'self-signed' });
  expect(pairs()).toEqual(['new.example.test']);
  expect((await shown('gone.example.test')).trusted).toBe(false);
  const [row] = await trial.store.domains.all({ domain: 'new.example.test' });
  await trial.api(`DELETE /api/domains/${String(row?.id)}`);
  expect(pairs()).toEqual([]);
});
