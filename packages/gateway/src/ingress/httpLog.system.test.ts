import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AccessLog, openAccessLog } from '../logs/accessLog.ts';
import { pathsIn, everyLog, readLog } from '../testing/logTrial.ts';
import { expose, openReconcileTrial, type ReconcileTrial, startBackend, visit } from '../testing/reconcileTrial.ts';

const LATER = { timeout: 20_000 };
const HOST = 'cases.example.test';

let trial: ReconcileTrial;
let log: AccessLog;
const stops: (() => Promise<void>)[] = [];

beforeAll(async () => {
  trial = await openReconcileTrial();
  log = openAccessLog({
    path: trial.ingress.layout.accessLog,
    directory: join(dirname(trial.databaseFile), 'logs'),
    historyBytes: 1_000_000,
    known: everyLog(),
    reopenLogs: trial.ingress.reopenLogs,
    notices: { info: () => undefined, warn: () => undefined },
  });
});
afterAll(async () => {
  await log.close();
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

it('has a line with the service that answered it, in whatever case host and path were written', async () => {
  const ids = new Map<string, number>();
  for (const [name, pathLocation] of [
    ['all', '/'],
    ['app', '/app'],
  ] as const) {
    const { port, stop } = await startBackend((_request, response) => void response.end(name));
    stops.push(stop);
    const { value } = await expose(trial, HOST, port, { name, pathLocation });
    ids.set(name, value.id);
  }
  const answered = new Map<string, string[]>([...ids.keys()].map((name) => [name, []]));
  const paths = ['/app/1', '/APP/2', '/App/3', '/%61pp/4', '/x/../app/5', '//app/6', '/other/7'];
  for (const host of [HOST, HOST.toUpperCase(), `${HOST}.`, 'Cases.Example.Test']) {
    for (const path of paths) {
      const { status, body } = await visit(trial, HOST, { path, headers: { host } });
      if (status === 200) answered.get(body)?.push(path);
    }
  }
  expect(answered.get('app')?.length).toBeGreaterThan(0);
  expect(answered.get('all')?.length).toBeGreaterThan(0);
  for (const [name, expected] of answered) {
    const reader = await readLog(log, { kind: 'http', id: ids.get(name) ?? 0 });
    // Lines of requests that nginx refused may be there, too.
    const served = (): string[] => pathsIn(reader.texts().filter((text) => / 200 \d+ /.test(text))).toSorted();
    await expect.poll(served, LATER).toEqual(expected.toSorted());
    reader.stop();
  }
});

it('has a line of bounded length, whatever method a visitor makes up', async () => {
  const { port, stop } = await startBackend((_request, response) => void response.end());
  stops.push(stop);
  const { value } = await expose(trial, HOST, port, { name: 'made up', pathLocation: '/made-up' });
  await visit(trial, HOST, { path: '/made-up', method: 'X'.repeat(9000) });
  const reader = await readLog(log, { kind: 'http', id: value.id });
  await expect
    .poll(() => reader.texts().map((text) => [text.includes('/made-up'), text.length < 500]), LATER)
    .toEqual([[true, true]]);
  reader.stop();
});
