import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { duration, extent, report, until } from '../support/fault.ts';
import { domainOf, openScene, type Scene } from '../support/scene.ts';

const REQUESTS = extent(40, 400);
const LINES_LIMIT_MS = 5000;
const HEALED_LIMIT_MS = 10_000;

let scene: Scene;
let accessLog: string;

beforeAll(async () => {
  scene = await openScene();
  accessLog = path.join(scene.gateway.data, 'ingress/logs/access.log');
  await scene.expose('steady');
});
afterAll(() => scene?.close());

/** The pages that a reader of the domain's log has seen, from its beginning on. */
function readLog() {
  const seen = new Set<string>();
  const end = new AbortController();
  const stream = scene.client.log.watch({ query: { domain: domainOf('steady'), lines: 1000 } }, { signal: end.signal });
  const reading = (async () => {
    for await (const lines of stream) {
      for (const line of lines) for (const [page] of line.matchAll(/\/page\d+/g)) seen.add(page);
    }
  })();
  return {
    seen,
    async stop() {
      end.abort();
      await reading;
    },
  };
}

test('the access log deleted under nginx', async () => {
  const pages: string[] = [];
  const ask = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index += 1) {
      const page = `/page${pages.length}`;
      expect(await scene.visit('steady', page)).toMatchObject({ status: 200, body: `a ${page}` });
      pages.push(page);
    }
  };
  const missing = (seen: ReadonlySet<string>) => pages.filter((page) => !seen.has(page));

  const reader = readLog();
  await ask(REQUESTS / 4);
  await until('the first lines are read', LINES_LIMIT_MS, () => missing(reader.seen).length === 0);
  await rm(accessLog);
  const isThere = until('there is a log again', HEALED_LIMIT_MS, () =>
    stat(accessLog).then(
      () => true,
      () => false,
    ),
  );
  const [healed] = await Promise.all([isThere, ask(REQUESTS / 4)]);
  await ask(REQUESTS / 4);
  await until('all lines are read', LINES_LIMIT_MS, () => missing(reader.seen).length === 0);
  await reader.stop();

  // What came before, while the log had no name and after it is there after a restart, too.
  await scene.gateway.end('SIGKILL');
  await ask(REQUESTS / 4);
  await scene.gateway.start();
  const later = readLog();
  await until('all lines are read again', LINES_LIMIT_MS, () => missing(later.seen).length === 0).catch(
    () => undefined,
  );
  await later.stop();
  const lost = missing(later.seen);
  report(
    'access log deleted',
    `between ${pages.length} requests; there again after ${duration(healed)}`,
    `of the lines that a reader saw live none, after a restart ${lost.length} of ${pages.length}`,
  );
  expect(lost).toEqual([]);
});
