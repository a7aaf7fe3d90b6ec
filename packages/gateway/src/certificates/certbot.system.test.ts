import { X509Certificate } from 'node:crypto';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { certbotsWith, createCertbot } from './certbot.ts';
import { describeIssuer } from './certificateIssuer.contract.ts';
import { type CertificateAuthority, forgetAccount, openCertificateAuthority } from '../testing/certificateAuthority.ts';
import { freePorts } from '../testing/freePorts.ts';

let authority: CertificateAuthority;
let server: Server;
let base: string;
let webroot: string;
const started: ChildProcess[] = [];
const never = new AbortController().signal;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-certbot-'));
  webroot = join(base, 'webroot');
  mkdirSync(webroot);
  const [httpPort = 0] = await freePorts(1);
  server = createServer((request, response) => {
    const file = join(webroot, new URL(request.url ?? '/', 'http://a.test').pathname);
    response.statusCode = existsSync(file) ? 200 : 404;
    response.end(existsSync(file) ? readFileSync(file) : '');
  }).listen(httpPort, '127.0.0.1');
  authority = await openCertificateAuthority({ httpPort });
  await authority.start();
  process.env['REQUESTS_CA_BUNDLE'] = authority.caFile;
});
afterEach(() => vi.unstubAllEnvs());
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL');
  delete process.env['REQUESTS_CA_BUNDLE'];
  server.close();
  await authority.close();
  rmSync(base, { recursive: true, force: true });
});

const open = (directory: string) =>
  createCertbot({
    directory,
    webroot,
    authority: () => ({ authority: authority.directory, email: 'admin@example.com' }),
  });

describeIssuer('certbot', () => {
  const directory = mkdtempSync(join(base, 'issued-'));
  return Promise.resolve({
    issuer: open(directory),
    loseName(domain) {
      authority.lead(domain, null);
      forgetAccount(directory);
    },
    findName: (domain) => authority.lead(domain, '127.0.0.1'),
    close: () => Promise.resolve(),
  });
});

it('leaves nothing but the pair, readable by its owner alone, and its account', async () => {
  const directory = mkdtempSync(join(base, 'issued-'));
  const pair = await open(directory).issue('app.example.test', never);
  expect(readdirSync(directory).toSorted()).toEqual(['certbot', 'pairs']);
  expect(readdirSync(join(directory, 'pairs', 'app.example.test'))).toEqual(['pair.pem']);
  expect(statSync(pair.key).mode & 0o777).toBe(0o600);
  expect(readdirSync(webroot)).toEqual([]);
  const certificate = new X509Certificate(readFileSync(pair.certificate));
  expect(certificate.checkHost('app.example.test')).toBeDefined();
  expect(certificate.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
});

it('tells what the authority found from what keeps it from being asked', async () => {
  const issuer = open(mkdtempSync(join(base, 'issued-')));
  const kindOf = async (domain: string): Promise<unknown> =>
    issuer.issue(domain, never).catch((error: { fault: unknown }) => error.fault);
  authority.lead('nowhere.example.test', '127.0.0.2');
  expect(await kindOf('nowhere.example.test')).toMatchObject({ kind: 'unreachable' });
  const stranger = createServer((_request, response) => response.end('another web server'));
  stranger.listen((server.address() as { port: number }).port, '127.0.0.3');
  await once(stranger, 'listening');
  authority.lead('stranger.example.test', '127.0.0.3');
  expect(await kindOf('stranger.example.test')).toMatchObject({ kind: 'elsewhere' });
  stranger.close();
  const [closedPort = 0] = await freePorts(1);
  const deaf = createCertbot({
    directory: mkdtempSync(join(base, 'issued-')),
    webroot,
    authority: () => ({ authority: `https://127.0.0.1:${closedPort}/dir`, email: null }),
  });
  await expect(deaf.issue('a.example.test', never)).rejects.toMatchObject({ fault: { kind: 'authority' } });
  delete process.env['REQUESTS_CA_BUNDLE'];
  expect(await kindOf('a.example.test')).toMatchObject({ kind: 'untrusted' });
  process.env['REQUESTS_CA_BUNDLE'] = authority.caFile;
});

it('makes another account at the next attempt when the authority does not know its own any more', async () => {
  const directory = mkdtempSync(join(base, 'issued-'));
  const issuer = open(directory);
  await issuer.issue('app.example.test', never);
  const accounts = join(directory, 'certbot', 'config', 'accounts');
  expect(existsSync(accounts)).toBe(true);
  // Debian's certbot cannot tell this fault from others, so another program says it in its place.
  const programs = mkdtempSync(join(base, 'programs-'));
  const words = 'urn:ietf:params:acme:error:accountDoesNotExist :: unknown account';
  writeFileSync(join(programs, 'certbot'), `#!/bin/sh\necho '${words}'\nexit 1\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
  await expect(issuer.issue('app.example.test', never)).rejects.toMatchObject({ fault: { kind: 'account' } });
  expect(existsSync(accounts)).toBe(false);
  vi.unstubAllEnvs();
  expect((await issuer.issue('app.example.test', never)).notAfter.getTime()).toBeGreaterThan(Date.now());
});

it('ends its certbot at once when it is called off', async () => {
  const directory = mkdtempSync(join(base, 'issued-'));
  const [begun, done] = [join(directory, 'begun'), join(directory, 'done')];
  const slow = `#!/bin/sh\ntouch ${begun}\nsleep 3 > /dev/null 2>&1\ntouch ${done}\n`;
  writeFileSync(join(directory, 'certbot'), slow, { mode: 0o700 });
  vi.stubEnv('PATH', `${directory}:${process.env['PATH']}`);
  const off = new AbortController();
  const called = open(join(directory, 'pairs')).issue('a.example.test', off.signal);
  await vi.waitFor(() => expect(existsSync(begun)).toBe(true), 20_000);
  off.abort();
  await expect(called).rejects.toThrow(/abort/i);
  expect(existsSync(done)).toBe(false);
});

it('ends a certbot that a killed gateway left behind, and takes its place', async () => {
  const directory = mkdtempSync(join(base, 'issued-'));
  const option = `--config-dir=${join(directory, 'certbot', 'config')}`;
  // It waits for an answer on its terminal for ever, and holds its locks.
  const left = spawn(
    'certbot',
    ['certonly', '--manual', '-d', 'a.example.test', '--agree-tos', option].concat([
      '--register-unsafely-without-email',
      `--work-dir=${join(directory, 'certbot', 'work')}`,
      `--logs-dir=${join(directory, 'certbot', 'logs')}`,
      `--server=${authority.directory}`,
    ]),
    { stdio: ['pipe', 'pipe', 'ignore'] },
  );
  started.push(left);
  const ended = once(left, 'exit');
  await once(left.stdout, 'data');
  expect(certbotsWith(option, directory)).toEqual([left.pid]);
  mkdirSync(join(directory, 'making-old'));
  const pair = await open(directory).issue('a.example.test', never);
  expect(pair.notAfter.getTime()).toBeGreaterThan(Date.now());
  expect((await ended)[1]).toBe('SIGKILL');
  expect(readdirSync(directory).toSorted()).toEqual(['certbot', 'pairs']);
});
