import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openProgramTrial, PASSWORD, type ProgramTrial } from '../testing/programTrial.ts';

// The database of a gateway is deleted or emptied, before a start and while it runs; its other files are there.

/** Several starts of the program fit into it, also on a busy machine. */
const STARTS = { timeout: 300_000 };

let trial: ProgramTrial;
let database: string;

beforeEach(async () => {
  trial = await openProgramTrial();
  database = join(trial.data, 'sallyport.db');
});
afterEach(() => trial.close());

const databaseFiles = (): string[] => ['', '-wal', '-shm'].map((end) => `${database}${end}`);
const removeDatabase = (): void => databaseFiles().forEach((file) => rmSync(file, { force: true }));

const LOST: Record<string, () => void> = {
  'was deleted': removeDatabase,
  'was deleted but for its newest changes': () => rmSync(database),
  'is empty': () => {
    removeDatabase();
    writeFileSync(database, '');
  },
  'has no tables': () => {
    removeDatabase();
    const empty = new Sqlite(database);
    empty.pragma('journal_mode = WAL');
    empty.close();
  },
  'has no rows': () => {
    const emptied = new Sqlite(database);
    emptied.exec('delete from http_services; delete from nodes; delete from admin; delete from settings');
    emptied.close();
  },
};

it(
  'does not begin a new gateway over the files of another whose database was lost, in whatever way',
  STARTS,
  async () => {
    const first = await trial.start();
    await first.end('SIGKILL');
    const nginx = trial.nginx();
    const key = readFileSync(join(trial.data, 'secrets', 'vault.key'), 'utf8');
    const kept = databaseFiles().filter((file) => existsSync(file));
    for (const file of kept) copyFileSync(file, `${file}.kept`);
    for (const [how, lose] of Object.entries(LOST)) {
      lose();
      const { code, err } = await trial.start();
      expect([how, code, err]).toEqual([how, 1, expect.stringContaining(database)]);
      expect(err).toMatch(/secrets\/vault\.key.*ingress\/generations/);
      expect(err).toMatch(/Put the database back.*restore a backup.*new gateway.*SALLYPORT_DATA/);
      removeDatabase();
      for (const file of kept) copyFileSync(`${file}.kept`, file);
    }
    expect([nginx, trial.nginx()]).toEqual([expect.any(Number), nginx]);
    expect(readFileSync(join(trial.data, 'secrets', 'vault.key'), 'utf8')).toBe(key);
  },
);

it('starts again after a first start that was cut off, wherever that was', STARTS, async () => {
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

/** What requests of all kinds are answered with. */
async function answers(): Promise<unknown[]> {
  const said: unknown[] = [];
  for (const [method, path, body] of [
    ['GET', '/api/nodes'],
    ['GET', '/api/auth/me'],
    ['POST', '/api/nodes', { name: 'lost' }],
    ['POST', '/api/auth/logout'],
    ['POST', '/api/auth/login', { username: 'admin', password: PASSWORD }],
  ] as const) {
    const { status, body: reply } = await trial.call(method, path, body);
    said.push([status, reply['message']]);
  }
  const { status, body } = await trial.call('GET', '/healthz', undefined, null);
  return [...said, [status, body['database']], trial.nginx() !== null];
}
const cause = [503, expect.stringMatching(/^The database was deleted or replaced while .*restore a backup/)];
const LOST_ANSWERS = [cause, cause, cause, cause, cause, [503, 'down'], true];

it('names the real cause to everybody when the database is moved away or deleted while it runs', async () => {
  await trial.start();
  await trial.signIn();
  renameSync(database, `${database}.away`);
  expect(await answers()).toEqual(LOST_ANSWERS);
  renameSync(`${database}.away`, database);
  expect((await trial.call('GET', '/api/nodes')).status).toBe(200);
  expect((await trial.call('GET', '/healthz', undefined, null)).status).toBe(200);
  removeDatabase();
  expect(await answers()).toEqual(LOST_ANSWERS);
});

it('names the real cause to everybody when the database is emptied while it runs', async () => {
  await trial.start();
  await trial.signIn();
  truncateSync(database);
  expect(await answers()).toEqual(LOST_ANSWERS);
});
