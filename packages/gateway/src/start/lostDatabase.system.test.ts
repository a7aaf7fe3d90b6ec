import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProgramTrial, PASSWORD, type ProgramTrial } from '../testing/programTrial.ts';

// The database of a gateway is deleted or emptied, before a start and while it runs; its other files are there.

let trial: ProgramTrial;
let database: string;

beforeEach(async () => {
  trial = await openProgramTrial();
  database = join(trial.data, 'sallyport.db');
});
afterEach(() => trial.close());

const removeDatabase = (): void => {
  for (const end of ['', '-wal', '-shm']) rmSync(`${database}${end}`, { force: true });
};

it.each<[string, () => void]>([
  ['was deleted', removeDatabase],
  ['was deleted but for its newest changes', () => rmSync(database)],
  [
    'is empty',
    () => {
      removeDatabase();
      writeFileSync(database, '');
    },
  ],
  [
    'has no tables',
    () => {
      removeDatabase();
      const empty = new Sqlite(database);
      empty.pragma('journal_mode = WAL');
      empty.close();
    },
  ],
  [
    'has no rows',
    () => {
      const emptied = new Sqlite(database);
      emptied.exec('delete from http_services; delete from nodes; delete from admin; delete from settings');
      emptied.close();
    },
  ],
])('does not begin a new gateway over the files of another when the database %s', async (_, lose) => {
  const first = await trial.start();
  await first.end('SIGKILL');
  const nginx = trial.nginx();
  const key = readFileSync(join(trial.data, 'secrets', 'vault.key'), 'utf8');
  lose();
  const second = await trial.start();
  expect(second.code).toBe(1);
  expect(second.err).toContain(database);
  expect(second.err).toMatch(/secrets\/vault\.key.*ingress\/generations/);
  expect(second.err).toMatch(/Put the database back.*restore a backup.*new gateway.*SALLYPORT_DATA/);
  expect([nginx, trial.nginx()]).toEqual([expect.any(Number), nginx]);
  expect(readFileSync(join(trial.data, 'secrets', 'vault.key'), 'utf8')).toBe(key);
});

it('starts again after a first start that was cut off, wherever that was', async () => {
  // Directories and the lock are there, and nothing else.
  mkdirSync(trial.data, { mode: 0o711 });
  writeFileSync(join(trial.data, 'gateway.lock'), '');
  const first = await trial.start();
  expect(first.code).toBeNull();
  await first.end('SIGKILL');
  // The key was made, and nothing was sealed with it yet; the administrator comes last.
  const cut = new Sqlite(database);
  cut.exec(`delete from admin; delete from settings`);
  cut.close();
  const second = await trial.start({ SALLYPORT_ADMIN_PASSWORD: PASSWORD });
  expect(second.code).toBeNull();
  expect((await trial.signIn()).status).toBe(200);
});

it.each<[string, () => void, (() => void) | null]>([
  ['deleted', removeDatabase, null],
  ['moved away', () => renameSync(database, `${database}.away`), () => renameSync(`${database}.away`, database)],
  ['emptied', () => truncateSync(database), null],
])('names the real cause to everybody when the database is %s while it runs', async (_, lose, fix) => {
  await trial.start();
  await trial.signIn();
  const nginx = trial.nginx();
  lose();
  const said: [number, unknown][] = [];
  for (const [method, path, body] of [
    ['GET', '/api/nodes'],
    ['GET', '/api/auth/me'],
    ['POST', '/api/nodes', { name: 'lost' }],
    ['POST', '/api/auth/logout'],
  ] as const) {
    const { status, body: reply } = await trial.call(method, path, body);
    said.push([status, reply['message']]);
  }
  const { status, body } = await trial.signIn();
  said.push([status, body['message']]);
  const cause = expect.stringMatching(/^The database was deleted or replaced while .*restore a backup/);
  expect(said).toEqual(said.map(() => [503, cause]));
  const health = await trial.call('GET', '/healthz', undefined, null);
  expect([health.status, health.body]).toEqual([
    503,
    expect.objectContaining({ status: 'degraded', database: 'down' }),
  ]);
  expect(trial.nginx()).toBe(nginx);
  if (fix === null) return;
  fix();
  expect((await trial.call('GET', '/api/nodes')).status).toBe(200);
  expect((await trial.call('GET', '/healthz', undefined, null)).status).toBe(200);
});
