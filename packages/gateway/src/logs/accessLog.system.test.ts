import { existsSync, readdirSync, rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type AccessLog, openAccessLog } from './accessLog.ts';
import { everyLog, killIngest, pathsIn, readLog } from '../testing/logTrial.ts';
import type { LineKey } from '../world.ts';
import { type NginxTrial, openNginxTrial, visit } from '../testing/nginxTrial.ts';
import { freePorts } from '../testing/freePorts.ts';

const [PORT = 0] = await freePorts(1);
const KEY = { kind: 'http', id: 5 } as const;
const DOMAIN = { kind: 'domain', id: 2 } as const;
const LATER = { timeout: 20_000 };
const VISITORS = 8;
/** A few hundred lines: nginx's log is moved away again and again. */
const ROTATE_BYTES = 50_000;

let trial: NginxTrial;
let directory: string;
let log: AccessLog | null;
beforeEach(async () => {
  trial = await openNginxTrial(PORT);
  directory = join(trial.data.path, 'logs');
  open();
  await trial.ingress.apply(trial.serving('hello'));
  // It has opened nginx's log by then.
  await log?.caughtUp();
});
afterEach(async () => {
  await log?.close();
  await trial.close();
});

function open(): void {
  log = openAccessLog({
    path: trial.ingress.layout.accessLog,
    directory,
    historyBytes: 10_000_000,
    known: everyLog(),
    reopenLogs: trial.ingress.reopenLogs,
    notices: { info: () => undefined, warn: () => undefined },
    rotateBytes: ROTATE_BYTES,
  });
}

/** Visits `/FROM` to `/TO` from several sides at once; fulfilled with the paths that were answered. */
async function visitAll(from: number, to: number): Promise<string[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: VISITORS });
  const left = Array.from({ length: to - from }, (_, index) => `/${from + index}`);
  const answered: string[] = [];
  const visitor = async (): Promise<void> => {
    for (let path = left.pop(); path !== undefined; path = left.pop()) {
      // A reload may close a connection that was just about to be used again.
      if ((await visit(PORT, path, agent)) !== null) answered.push(path);
    }
  };
  await Promise.all(Array.from({ length: VISITORS }, visitor));
  agent.destroy();
  expect(answered.length).toBeGreaterThan((to - from) * 0.9);
  return answered;
}

/** The history comes to hold exactly these, in whatever order. */
async function keeps(paths: readonly string[]): Promise<boolean> {
  const sorted = paths.toSorted();
  for (const key of [KEY, DOMAIN]) {
    // Only their number at first: to compare thousands again and again takes the processor from the rest.
    await expect.poll(async () => (await stored(key)).length, LATER).toBeGreaterThanOrEqual(paths.length);
    expect((await stored(key)).toSorted()).toEqual(sorted);
  }
  return true;
}

async function stored(key: LineKey): Promise<string[]> {
  const reader = await readLog(log as AccessLog, key);
  await expect.poll(() => reader.batches.length, LATER).toBeGreaterThan(0);
  reader.stop();
  return pathsIn(reader.texts());
}

it('shows a request to a real nginx', async () => {
  const reader = await readLog(log as AccessLog, DOMAIN);
  await visit(PORT, '/some/page?x=%1b%5b31m&y="é');
  await expect.poll(() => reader.texts().length, LATER).toBe(1);
  expect(reader.texts()[0]).toMatch(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO 127\.0\.0\.1 "GET \/some\/page\?x=%1b%5b31m&y=\\x22.* HTTP\/1\.1" 200 \d+ \d+ms -$/,
  );
});

it('loses and doubles nothing while the log is moved away under load and nginx is reloaded', async () => {
  const reader = await readLog(log as AccessLog, KEY);
  const visits = visitAll(0, 4000);
  for (const word of ['one', 'two', 'three']) await trial.ingress.apply(trial.serving(word));
  const paths = await visits;
  expect(await keeps(paths)).toBe(true);
  await expect.poll(() => reader.texts().length, LATER).toBeGreaterThanOrEqual(paths.length);
  expect(pathsIn(reader.texts()).toSorted()).toEqual(paths.toSorted());
  const files = (): string[] => readdirSync(trial.ingress.layout.logs).filter((name) => name.startsWith('access'));
  await expect.poll(files, LATER).toEqual(['access.log']);
});

it('loses nothing when the log is deleted under nginx', async () => {
  const { accessLog } = trial.ingress.layout;
  const before = await visitAll(0, 200);
  rmSync(accessLog);
  const after = await visitAll(200, 1000);
  await expect.poll(() => existsSync(accessLog), LATER).toBe(true);
  expect(await keeps([...before, ...after])).toBe(true);
});

it('has everything once when the process that stores it is killed under load', async () => {
  const visits = visitAll(0, 1000);
  await expect.poll(async () => (await stored(KEY)).length, LATER).toBeGreaterThan(0);
  killIngest(log as AccessLog);
  const paths = await visits;
  expect(await keeps(paths)).toBe(true);
});
