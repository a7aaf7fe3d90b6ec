import { setTimeout as delay } from 'node:timers/promises';
import { startBareNginx } from '../e2e/support/nginx.ts';
import { atMost, atMostTimes, inTurns, median, millisecondsOf, percentile } from './support/figures.mjs';
import { visitService, withGateway } from './support/gateway.mjs';
import { memoryOfAll } from './support/memory.mjs';

const LARGE = { nodes: 10_000, services: 10_000, domains: 100 };
const TENTH = { nodes: 1000, services: 1000, domains: 100 };
const STARTED_MS = 3000;
const STARTS = { warmUp: 0, turns: 3 };
/** The gateway reads and writes for each service, and nginx loads what it wrote. */
const START_TIMES_MARK = 4;
const PAGES = { warmUp: 3, turns: 20 };
/** A page of a list is as long as before; what is counted and sorted for it is not. */
const PAGE_TIMES_MARK = 10;
const CHANGES = 5;
const TOLD_MARK_MS = 2000;
const MEMORY_TIMES_MARK = 10;

/** Ten times as much as anyone is known to have: what still works, and how well. How long a save takes is in `saved`. */
const large = () =>
  withGateway(LARGE, async (all) =>
    withGateway(TENTH, async (tenth) => {
      const { gateway, client, opened } = all;
      const size = `${LARGE.nodes} nodes and ${LARGE.services} services`;
      await delay(STARTED_MS);
      const memory = { value: memoryOfAll(gateway), against: memoryOfAll(tenth.gateway) };
      const pages = await inTurns(PAGES, {
        nodes: () => millisecondsOf(() => pageOf(client.node.list, LARGE.nodes)),
        tenthOfNodes: () => millisecondsOf(() => pageOf(tenth.client.node.list, TENTH.nodes)),
        services: () => millisecondsOf(() => pageOf(client.httpService.listAll, LARGE.services)),
        tenthOfServices: () => millisecondsOf(() => pageOf(tenth.client.httpService.listAll, TENTH.services)),
      });
      const p95 = (name) => percentile(pages[name], 0.95);
      const told = await toldOf(all);
      const reference = await startBareNginx(gateway);
      opened.push({ stop: reference.close });
      const starts = await inTurns(STARTS, {
        start: async () => {
          await gateway.end('SIGINT');
          return millisecondsOf(() => gateway.start());
        },
        alone: () => millisecondsOf(reference.test),
      });
      const { status } = await visitService(gateway, LARGE.services - 1, LARGE.domains);
      if (status !== 200) throw new Error(`the last of ${LARGE.services} services answered ${status}`);
      const list = (what, value, against) =>
        atMostTimes(PAGE_TIMES_MARK, {
          name: `a page of ${what}, next to a tenth of them`,
          unit: 'ms',
          value,
          against,
        });
      return [
        atMostTimes(START_TIMES_MARK, {
          name: `start with ${size}, next to nginx -t`,
          unit: 'ms',
          value: median(starts.start),
          against: median(starts.alone),
        }),
        list(`${LARGE.nodes} nodes`, p95('nodes'), p95('tenthOfNodes')),
        list(`${LARGE.services} services`, p95('services'), p95('tenthOfServices')),
        atMost(TOLD_MARK_MS, {
          name: `a change of one of ${LARGE.nodes} nodes until a page is told`,
          unit: 'ms',
          value: told,
        }),
        atMostTimes(MEMORY_TIMES_MARK, { name: `memory, ${size}, next to a tenth`, unit: 'MB', ...memory }),
      ];
    }),
  );

/** A page from the middle. */
const pageOf = (list, rows) => list({ query: { limit: 10, page: rows / 20 } });

/** How long it takes from a change until someone who looks at a page with it sees it, in the middle of some. */
async function toldOf({ gateway, client, token }) {
  const stopped = new AbortController();
  const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' };
  const page = await fetch(`${gateway.apiUrl}/api/nodes/stream?limit=10`, { headers, signal: stopped.signal });
  const told = page.body?.pipeThrough(new TextDecoderStream()).values();
  const times = [];
  for (let turn = 0; turn < CHANGES; turn += 1) {
    const from = performance.now();
    const change = client.node.update({ params: { id: 2 }, body: { name: `renamed-${turn}` } });
    for (let text = ''; !text.includes(`renamed-${turn}"`);) text += (await told?.next())?.value;
    times.push(performance.now() - from);
    await change;
  }
  stopped.abort();
  return median(times);
}

export default { large };
