import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_ADMIN, createTestGateway } from '@sallyport/gateway/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startPiped } from './testing/process.ts';
import { type Served, serve } from './testing/serve.ts';

const LINE = '2026-11-21T12:00:00.123Z INFO 198.51.100.7 "GET / HTTP/1.1" 200 512 3ms 127.0.0.1:8080';

let base: string;
let gateway: Awaited<ReturnType<typeof createTestGateway>>;
let server: Served;
let certificate: string;
let asked: string[];
let env: Record<string, string>;

beforeAll(async () => {
  gateway = await createTestGateway({ now: new Date() });
  base = mkdtempSync(join(tmpdir(), 'sallyport-cli-'));
  const [key, cert] = [join(base, 'key.pem'), join(base, 'cert.pem')];
  // For another name than the address it is reached by, as a gateway's own certificate may be.
  const subject = ['-subj', '/CN=gateway.example.test', '-days', '2'];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      ...subject,
    ],
    { stdio: 'pipe' },
  );
  certificate = readFileSync(cert, 'utf8');
  const tls = { key: readFileSync(key, 'utf8'), cert: certificate };
  server = await serve((request) => {
    asked.push(new URL(request.url).pathname);
    return gateway.fetch(request);
  }, tls);
});
afterAll(async () => {
  await server.close();
  await gateway.stop();
  rmSync(base, { recursive: true });
});
beforeEach(() => {
  asked = [];
  env = { SALLYPORT_CONFIG_DIR: mkdtempSync(join(base, 'config-')), SALLYPORT_URL: server.url };
});

const login = (...more: string[]) =>
  startPiped(['login', '--operator', ...more], {
    ...env,
    SALLYPORT_USERNAME: TEST_ADMIN.username,
    SALLYPORT_PASSWORD: TEST_ADMIN.password,
  }).ended;

it('a certificate that nobody vouches for is refused, with the way to trust it', async () => {
  const { code, err } = await login();
  expect(code).toBe(6);
  expect(err).toContain('--pin');
  expect(asked).toEqual([]);
});

it('the pinned certificate is trusted from then on, for calls and for streams', async () => {
  const { appId } = await gateway.seed();
  gateway.system.logs.push({ kind: 'http', id: appId }, [LINE]);
  expect(await login('--pin', new X509Certificate(certificate).fingerprint256)).toMatchObject({ code: 0 });
  expect((await startPiped(['node', 'list'], env).ended).out).toContain('edge');
  expect((await startPiped(['logs', '--service', 'App'], env).ended).out).toBe(`${LINE}\n`);
  expect((await startPiped(['logout'], env).ended).code).toBe(0);
});

it('any other certificate is refused before anything is sent', async () => {
  const { code, err } = await login('--pin', 'AB'.repeat(32));
  expect(code).toBe(6);
  expect(err).toContain('is not the one that was pinned');
  expect(asked).toEqual([]);
});
