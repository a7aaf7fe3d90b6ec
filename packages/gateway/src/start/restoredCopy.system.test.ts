import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProgramTrial, type ProgramTrial } from '../testing/programTrial.ts';

// An older copy of the data directory is put back while nginx, which outlives the gateway, serves what was made since:
// its numbers, names and networks are given away a second time.

let trial: ProgramTrial;
let copy: string;
let backend: Server;

beforeEach(async () => {
  trial = await openProgramTrial();
  copy = `${trial.data}.copy`;
  backend = createServer((_, response) => response.end('backend')).listen(0, '127.0.0.1');
  await once(backend, 'listening');
});
afterEach(async () => {
  await trial.close();
  backend.close();
  rmSync(copy, { recursive: true, force: true });
});

/** The number of the new service. */
async function expose(domain: string): Promise<number> {
  const { port: backendPort } = backend.address() as AddressInfo;
  const { status, body } = await trial.call('POST', '/api/services/1/http', {
    name: domain,
    domain,
    backendHost: '127.0.0.1',
    backendPort,
  });
  expect(status).toBe(200);
  return Number(body['id']);
}

/** A visitor who has begun to ask. */
async function begin(domain: string): Promise<TLSSocket> {
  const visitor = connect({
    port: trial.ports.https,
    host: '127.0.0.1',
    servername: domain,
    rejectUnauthorized: false,
  });
  visitor.on('error', () => undefined);
  await once(visitor, 'secureConnect');
  visitor.write(`GET / HTTP/1.1\r\nHost: ${domain}\r\nConnection: close\r\n`);
  return visitor;
}

async function answerOf(visitor: TLSSocket): Promise<string> {
  visitor.write('\r\n');
  return (await text(visitor).catch(() => '')).split('\r\n\r\n').at(-1) ?? '';
}

const cp = (...words: string[]): void => void execFileSync('cp', ['--archive', ...words]);

const RESTORED: [string, () => void][] = [
  ['the database alone', () => cp(join(copy, 'sallyport.db'), join(trial.data, 'sallyport.db'))],
  ['the directory, over what is there', () => cp(`${copy}/.`, trial.data)],
  [
    'the directory, in place of what is there',
    () => {
      rmSync(trial.data, { recursive: true });
      cp(copy, trial.data);
    },
  ],
];

it.each(RESTORED)(
  'ends what nginx has open when an older copy was put back: %s',
  { timeout: 300_000 },
  async (_, restore) => {
    const first = await trial.start();
    const { body: session } = await trial.signIn();
    await expose('early.example.test');
    await first.end('SIGTERM');
    cp(trial.data, copy);
    const second = await trial.start();
    await trial.signIn();
    const late = await expose('late.example.test');
    expect(await trial.visit('late.example.test')).toBe('backend');
    const visitor = await begin('late.example.test');
    await second.end('SIGTERM');
    restore();

    const third = await trial.start();
    expect(third.code).toBeNull();
    // It may have been signed out since.
    const { status, body } = await trial.call('GET', '/api/auth/me', undefined, String(session['token']));
    expect(status).toBe(401);
    expect(body['message']).toContain('copy of the database');
    expect(await answerOf(visitor)).toBe('');
    expect(await trial.visit('early.example.test')).toBe('backend');
    await trial.signIn();
    // Else it would have the lines of the other's log that were not read yet, and its marks in the kernel.
    expect(await expose('other.example.test')).toBeGreaterThan(late);
    expect(await trial.visit('other.example.test')).toBe('backend');
  },
);

it(
  'takes what was made of a copy for none of its own when the newer database comes back',
  { timeout: 300_000 },
  async () => {
    const database = join(trial.data, 'sallyport.db');
    const first = await trial.start();
    await trial.signIn();
    await expose('early.example.test');
    await first.end('SIGTERM');
    cp(database, copy);
    const second = await trial.start();
    await trial.signIn();
    const ids = [await expose('one.example.test'), await expose('two.example.test')];
    await second.end('SIGTERM');
    cp(database, `${copy}.newer`);
    cp(copy, database);

    const third = await trial.start();
    await trial.signIn();
    ids.push(await expose('three.example.test'));
    const visitor = await begin('three.example.test');
    await third.end('SIGTERM');
    cp(`${copy}.newer`, database);
    rmSync(`${copy}.newer`);
    await trial.start();
    expect(await answerOf(visitor)).toBe('');
    await trial.signIn();
    ids.push(await expose('four.example.test'));
    expect(new Set(ids).size).toBe(ids.length);
  },
);

it.each(RESTORED.slice(0, 2))(
  'gives no number of a node twice, of which nginx was never told: %s',
  { timeout: 300_000 },
  async (_, restore) => {
    const addNode = async (name: string): Promise<number> => {
      const { status, body } = await trial.call('POST', '/api/nodes', { name });
      expect(status).toBe(200);
      return Number(body['id']);
    };
    const first = await trial.start();
    await trial.signIn();
    await expose('early.example.test');
    await first.end('SIGTERM');
    cp(trial.data, copy);
    const second = await trial.start();
    await trial.signIn();
    const late = await addNode('late');
    await second.end('SIGTERM');
    restore();
    await trial.start();
    await trial.signIn();
    expect(await addNode('other')).toBeGreaterThan(late);
  },
);

it(
  'leaves open what nginx has open when a database of an earlier version is started twice',
  { timeout: 300_000 },
  async () => {
    const first = await trial.start();
    await trial.signIn();
    await expose('early.example.test');
    await first.end('SIGTERM');
    const database = new Sqlite(join(trial.data, 'sallyport.db'));
    database.exec("delete from settings where key = 'history'");
    database.close();
    rmSync(join(trial.data, 'ingress', 'current', 'origin'));
    const second = await trial.start();
    const visitor = await begin('early.example.test');
    await second.end('SIGTERM');
    await trial.start();
    expect(await answerOf(visitor)).toBe('backend');
  },
);

it('leaves open what nginx has open when nothing was put back', { timeout: 300_000 }, async () => {
  const first = await trial.start();
  await trial.signIn();
  await expose('early.example.test');
  const visitor = await begin('early.example.test');
  await first.end('SIGKILL');
  await trial.start();
  expect(await answerOf(visitor)).toBe('backend');
});
