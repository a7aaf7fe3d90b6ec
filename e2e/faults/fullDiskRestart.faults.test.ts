import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openProgramTrial, type ProgramTrial } from '../../packages/gateway/src/testing/programTrial.ts';
import { IS_FULL } from '../support/fault.ts';
import { mountTmpfs, type Tmpfs } from '../support/tmpfs.ts';

const DISK_MEGABYTES = 24;

const trialDisk = await mountTmpfs(1);
await trialDisk?.unmount();
const problem = trialDisk === null ? 'only root can mount a disk to be filled, and not in every container' : null;
if (problem !== null) process.stdout.write(`A start on a full disk is not tried: ${problem}.\n`);

let disk: Tmpfs;
let trial: ProgramTrial;
let backend: Server;

beforeEach(async () => {
  const mounted = await mountTmpfs(DISK_MEGABYTES);
  if (mounted === null) throw new Error('The disk cannot be mounted a second time.');
  disk = mounted;
  backend = createServer((_, response) => response.end('backend')).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  trial = await openProgramTrial(path.join(disk.directory, 'data'));
});
afterEach(async () => {
  await disk.empty();
  await trial.close();
  backend.close();
  await disk.unmount();
});

async function expose(name: string, more: object = {}): Promise<number> {
  const { port: backendPort } = backend.address() as { port: number };
  const service = { name, domain: `${name}.example.test`, backendHost: '127.0.0.1', backendPort, ...more };
  const { status, body } = await trial.call('POST', '/api/services/1/http', service);
  expect(status).toBe(200);
  return Number(body['id']);
}

test.skipIf(problem !== null).each([
  ['nginx served on', 'SIGTERM'],
  ['everything was ended', 'SIGINT'],
  ['the gateway was killed', 'SIGKILL'],
] as const)('a start on a full disk serves what was served when %s', { timeout: 240_000 }, async (_, signal) => {
  const first = await trial.start();
  await trial.signIn();
  const id = await expose('steady');
  const nginx = trial.nginx();
  if (signal === 'SIGTERM') await disk.fill();
  await first.end(signal);
  await disk.fill();
  expect(trial.nginx() === nginx).toBe(signal !== 'SIGINT');

  const second = await trial.start();
  expect([second.code, second.err.split('\n').filter((line) => !line.startsWith('{') && line !== '')]).toEqual([
    null,
    [],
  ]);
  expect(await trial.visit('steady.example.test')).toBe('backend');
  // Anyone who is to make room can sign in, see what there is, and delete something.
  expect((await trial.signIn()).status).toBe(200);
  expect((await trial.call('GET', '/api/auth/me')).status).toBe(200);
  expect((await trial.call('GET', '/api/services/http?search=steady')).body).toHaveLength(1);
  expect((await trial.call('DELETE', `/api/services/1/http/${id}`)).status).toBe(200);
  expect((await trial.call('POST', '/api/auth/logout')).status).toBe(200);
  expect((await trial.call('GET', '/api/auth/me')).status).toBe(401);

  // Once there is room, all of it is saved.
  if (signal !== 'SIGINT' && !IS_FULL) return;
  await disk.empty();
  expect((await trial.signIn()).status).toBe(200);
  await expect.poll(async () => (await trial.call('GET', '/healthz')).status, { timeout: 40_000 }).toBe(200);
  await expose('healed');
  await second.end('SIGKILL');
  await trial.start();
  expect((await trial.call('GET', '/api/auth/me')).status).toBe(200);
  expect((await trial.call('GET', '/api/services/http?search=example.test')).body).toHaveLength(1);
});

test.skipIf(problem !== null)('no client is kept from signing in or out while the disk is full', async () => {
  await trial.start();
  await trial.signIn();
  await disk.fill();
  expect((await trial.call('POST', '/api/auth/logout')).status).toBe(200);
  expect((await trial.call('GET', '/api/auth/me')).status).toBe(401);
  for (let turn = 0; turn < 3; turn += 1) expect((await trial.signIn()).status).toBe(200);
  expect((await trial.call('GET', '/api/nodes')).status).toBe(200);
});

test.skipIf(problem !== null)('a start serves also where what was kept back for a full disk is used up', async () => {
  const first = await trial.start();
  await trial.signIn();
  await expose('steady');
  await first.end('SIGTERM');
  // nginx is there already: to start one takes a few bytes.
  for (let turn = 0; turn < 2; turn += 1) {
    await rm(path.join(trial.data, 'reserve'), { force: true });
    await disk.fill();
    const next = await trial.start();
    expect(next.code).toBeNull();
    expect(await trial.visit('steady.example.test')).toBe('backend');
    expect((await trial.signIn()).status).toBe(200);
    expect((await trial.call('GET', '/api/services/http?search=steady')).body).toHaveLength(1);
    await next.end('SIGTERM');
  }
});

/** Has nginx write so many megabytes of lines at least, over connections of a thousand requests each. */
async function writeLines(domain: string, megabytes: number): Promise<void> {
  const LINE_BYTES = 1000;
  const REQUESTS = 1000;
  const request = `GET /${'x'.repeat(LINE_BYTES / 2)}?${'x='.repeat(LINE_BYTES / 4)} HTTP/1.1\r\nHost: ${domain}\r\n`;
  for (let connection = 0; connection * REQUESTS * LINE_BYTES < megabytes * 1e6; connection += 1) {
    const socket = connect({ port: trial.ports.https, servername: domain, rejectUnauthorized: false });
    socket.resume().write(`${`${request}\r\n`.repeat(REQUESTS - 1)}${request}Connection: close\r\n\r\n`);
    await once(socket, 'end', { signal: AbortSignal.timeout(30_000) });
    socket.destroy();
  }
}

/** The process in which a gateway reads nginx's log. */
async function readerOfLog(gateway: number): Promise<number> {
  const children = (await readFile(`/proc/${gateway}/task/${gateway}/children`, 'utf8')).trim().split(' ').map(Number);
  for (const child of children) {
    if ((await readFile(`/proc/${child}/cmdline`, 'utf8')).includes('ingestProcess')) return child;
  }
  throw new Error('No process reads the log.');
}

test.skipIf(problem !== null)('log lines that fill the disk keep nobody from making changes, and go', async () => {
  const first = await trial.start();
  await trial.signIn();
  const id = await expose('steady');
  await expose('refused', { allowedIps: ['203.0.113.1'] });
  await first.end('SIGKILL');
  await writeLines('refused.example.test', DISK_MEGABYTES);
  expect(await disk.freeBytes()).toBeLessThan(1e6);

  const second = await trial.start();
  expect(second.code).toBeNull();
  expect((await trial.signIn()).status).toBe(200);
  expect((await trial.call('DELETE', `/api/services/1/http/${id}`)).status).toBe(200);
  await expect.poll(disk.freeBytes, { timeout: 20_000 }).toBeGreaterThan(8e6);
  // The gateway reads them now, and the disk does not stay full.
  await writeLines('refused.example.test', DISK_MEGABYTES);
  await expose('later');
  expect(await trial.visit('later.example.test')).toBe('backend');
  // Nor has a change to wait for what reads them, which comes last on a busy machine.
  const reader = await readerOfLog(second.pid);
  process.kill(reader, 'SIGSTOP');
  try {
    await writeLines('refused.example.test', DISK_MEGABYTES);
    expect(await disk.freeBytes()).toBeLessThan(1e6);
    await expose('last');
    expect(await trial.visit('last.example.test')).toBe('backend');
  } finally {
    process.kill(reader, 'SIGCONT');
  }
});
