import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect, type PeerCertificate } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gatewayCommand } from '../../scripts/gatewayCommand.mjs';
import { domainOf, openScene, type Scene } from '../support/scene.ts';
import { report } from '../support/fault.ts';

const CLOCK = path.resolve(import.meta.dirname, '../support/jumpingClock.mjs');
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** What the gateway asks openssl for, and what counts as about to end. */
const [VALID_DAYS, SOON_DAYS] = [825, 30];

let base: string;
let scene: Scene;
let token: string;
let env: Record<string, string>;

beforeEach(async () => {
  base = mkdtempSync(path.join(tmpdir(), 'sallyport-1970-'));
  const isSet = path.join(base, 'clock-is-set');
  const openssl = execFileSync('/bin/sh', ['-c', 'command -v openssl'], { encoding: 'utf8' }).trim();
  // It has this machine's clock: what it certifies before the clock is set is of no more use afterwards, either.
  const script = `#!/bin/sh
[ -e ${isSet} ] || for word; do shift; [ "$word" = ${VALID_DAYS} ] && word=1; set -- "$@" "$word"; done
exec ${openssl} "$@"
`;
  writeFileSync(path.join(base, 'openssl'), script);
  chmodSync(path.join(base, 'openssl'), 0o755);
  env = { CLOCK_AHEAD_MS: String(-Date.now()), PATH: `${base}:${process.env['PATH'] ?? ''}` };
  scene = await openScene({ nodeArguments: ['--import', CLOCK], ipc: true, env });
  ({ token } = scene);
});
afterEach(async () => {
  await scene?.close();
  rmSync(base, { recursive: true, force: true });
});

async function ask(call: string, body?: object, bearer = token): Promise<{ status: number; body: Answer }> {
  const [method = '', target = ''] = call.split(' ');
  const response = await fetch(`${scene.gateway.apiUrl}/api${target}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: (text.startsWith('{') ? JSON.parse(text) : { text }) as Answer };
}
type Answer = Record<string, unknown>;

async function certificate(port: number, name: string): Promise<PeerCertificate & { daysLeft: number }> {
  const socket = connect({ host: '127.0.0.1', port, servername: name, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const found = socket.getPeerCertificate();
  socket.destroy();
  return { ...found, daysLeft: (Date.parse(found.valid_to) - Date.now()) / DAY_MS };
}

async function setClock(): Promise<void> {
  writeFileSync(path.join(base, 'clock-is-set'), '');
  const gateway = scene.gateway.child();
  const jumped = once(gateway, 'message');
  gateway.send(-Number(env['CLOCK_AHEAD_MS']));
  const [now] = (await jumped) as [number];
  expect(Math.abs(now - Date.now())).toBeLessThan(DAY_MS);
}

/** What `sallyport-gateway check` finds of the clock. */
function checked(more: Record<string, string> = {}): Promise<{ state: string; text: string; fix: string | null }> {
  const [node, ...words] = gatewayCommand;
  const settings = {
    SALLYPORT_DATA: scene.gateway.data,
    SALLYPORT_TUNNEL: 'off',
    SALLYPORT_DNS_SERVERS: '127.0.0.1:1',
  };
  const found = Promise.withResolvers<Awaited<ReturnType<typeof checked>>>();
  const how = { env: { ...process.env, ...settings, ...more } };
  execFile(node, ['--import', CLOCK, ...words, 'check', '--json'], how, (_, out) => {
    found.resolve((JSON.parse(out) as { what: string }[]).find(({ what }) => what === 'clock') as never);
  });
  return found.promise;
}

test('a gateway that starts in 1970 serves, and all of it goes on when the clock is set', async () => {
  expect(scene.gateway.output()).toMatch(/ {2}Clock {5}it is set to 1970-01-01T00:0.*timedatectl set-ntp true/);
  expect(await checked(env)).toMatchObject({
    state: 'failed',
    text: expect.stringMatching(/^it is set to 1970-01-01T/) as string,
    fix: 'Set it: timedatectl set-ntp true',
  });
  expect(await checked()).toMatchObject({ state: 'ok', fix: null });

  // A host joins, and publishes something for a while.
  const node = (await ask('POST /nodes', { name: 'host' })).body;
  const made = (await ask(`POST /nodes/${String(node['id'])}/pats`, { name: 'its token' })).body;
  const nodeToken = String(made['token']);
  expect((await ask('GET /cli/node', undefined, nodeToken)).status).toBe(200);
  const { id: steady } = await scene.expose('steady');
  const brief = {
    name: 'brief',
    domain: domainOf('brief'),
    backendHost: '127.0.0.1',
    backendPort: scene.backends.a.port,
  };
  const { id } = (await ask('POST /services/1/http', { ...brief, ttl: '1h' })).body;
  expect((await scene.visit('steady')).body).toBe('a /');

  const { console: consolePort, https } = scene.gateway.ports;
  const places = [
    [consolePort, 'localhost'],
    [https, domainOf('steady')],
  ] as const;
  const certificates = () => Promise.all(places.map(([port, name]) => certificate(port, name)));
  const before = await certificates();
  expect(before.map(({ daysLeft }) => daysLeft < SOON_DAYS)).toEqual([true, true]);

  await setClock();
  const service = async () => (await ask(`GET /services/1/http/${String(id)}`)).body;
  await expect.poll(async () => Date.parse(String((await service())['expiresAt']))).toBeGreaterThan(Date.now());
  expect(Date.parse(String((await service())['expiresAt']))).toBeLessThan(Date.now() + HOUR_MS);
  expect(await service()).toMatchObject({ enabled: true, problem: null });
  const me = (await ask('GET /auth/me')).body;
  expect(Number(me['exp']) * 1000 - Date.now()).toBeGreaterThan(11 * HOUR_MS);
  expect(Number(me['exp']) * 1000 - Date.now()).toBeLessThan(12 * HOUR_MS);
  expect((await ask('GET /cli/node', undefined, nodeToken)).status).toBe(200);
  await expect.poll(async () => (await certificates()).every(({ daysLeft }) => daysLeft > VALID_DAYS - 2)).toBe(true);
  const after = await certificates();
  // Hosts have pinned the key.
  expect(after.map(({ pubkey }) => pubkey)).toEqual(before.map(({ pubkey }) => pubkey));
  for (const name of ['steady', 'brief']) expect((await scene.visit(name)).body).toBe('a /');

  // The next start comes before the clock is set once more: nothing that is in force is replaced, or ends.
  await scene.gateway.end('SIGKILL');
  await scene.gateway.start();
  expect((await certificates()).map(({ fingerprint256 }) => fingerprint256)).toEqual(
    after.map(({ fingerprint256 }) => fingerprint256),
  );
  expect((await ask('GET /auth/me')).status).toBe(200);
  await setClock();
  expect((await ask(`GET /services/1/http/${steady}`)).body).toMatchObject({ enabled: true });
  expect(await service()).toMatchObject({ enabled: true });
  expect((await ask('GET /auth/me')).body['exp']).toBe(me['exp']);
  for (const name of ['steady', 'brief']) expect((await scene.visit(name)).body).toBe('a /');
  report('the clock of 1970', 'two starts in 1970, each of which was set to today', 'nothing');
});
