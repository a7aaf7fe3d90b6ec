import { setTimeout as delay } from 'node:timers/promises';
import { rmSync } from 'node:fs';
import { namespacesProblem, openNamespaces } from '../e2e/support/namespaces.ts';
import { uapiPath } from '../packages/gateway/src/tunnel/wireguard/uapi.ts';
import { atMost, notMeasured, percentile } from './support/figures.mjs';
import { newHome, startGateway } from './support/gateway.mjs';
import { processorMilliseconds } from './support/processes.mjs';
import { startAsked } from './support/programs.mjs';
import { seedNodes } from './support/seed.mjs';
import { ROUND } from './support/wireguardDouble.mjs';

const NODES = 1000;
const MARKS = { delayMs: 250, percent: 2 };
const NAMES = {
  delay: `stream of ${NODES} nodes that change each second, 50 watchers: change to message, 95th percentile`,
  dropped: `stream of ${NODES} nodes that change each second, 50 watchers: messages dropped`,
  poll: `poll of ${NODES} nodes each second, one watcher: processor`,
};
/** Readers of equal pages share a watch, so most of these are others: pages, orders that SQLite cannot make, a search. */
const QUERIES = [
  ...Array.from({ length: 30 }, () => 'limit=10'),
  ...Array.from({ length: 12 }, (_, index) => `limit=10&page=${index + 2}`),
  'limit=100',
  'limit=50&page=3',
  'limit=10&search=node-7',
  'limit=25&orderBy=name,desc',
  'limit=10&orderBy=transferRx,desc',
  'limit=10&orderBy=transferTx,asc&page=2',
  'limit=10&orderBy=status,asc',
  'limit=10&orderBy=latestHandshakeTimestamp,desc',
];
const ROUNDS_MS = 12_000;
/** What the streams have left behind is not what the poll needs. */
const SETTLE_MS = 3000;
const IDLE_MS = 20_000;

/**
 * What it takes to know of 1000 nodes each second, and to tell it. The nodes are made up, by `wireguardDouble.mjs`; whom
 * the gateway asks and how, and everything behind it, is as with `wireguard-go`.
 */
export default async function measure() {
  const reason = await namespacesProblem();
  if (reason !== null) {
    return [
      notMeasured(MARKS.delayMs, { name: NAMES.delay, unit: 'ms', reason }),
      notMeasured(0, { name: NAMES.dropped, unit: 'messages', reason }),
      notMeasured(MARKS.percent, { name: NAMES.poll, unit: '% of a core', reason }),
    ];
  }
  const spaces = openNamespaces();
  const opened = [];
  const homes = [];
  const opening = async (count) => {
    const home = await newHome();
    homes.push(home);
    if (count > 0) await seedNodes(home, count);
    const namespace = await spaces.add(`nodes${count}`);
    const tunnel = spaces.uniqueName();
    // An interface that is there and up; what is sent into it goes nowhere.
    await spaces.link([namespace, tunnel, null], [namespace, tunnel.replace('sp', 'pe'), null]);
    const double = await startAsked('wireguardDouble.mjs', [tunnel]);
    opened.push({ stop: () => rmSync(uapiPath(tunnel), { force: true }) }, double);
    const gateway = await startGateway(home, { namespace, tunnel });
    opened.push(gateway);
    const watch = async (queries) => {
      const watchers = await startAsked('nodeWatchers.mjs', [home.url, ...queries], namespace);
      opened.push(watchers);
      return watchers;
    };
    return { double, gateway, watch };
  };
  try {
    const [many, none] = await Promise.all([opening(NODES), opening(0)]);
    return [...(await streamed(many)), await polled(many, none)];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    await spaces.close();
    for (const home of homes) home.remove();
  }
}

async function streamed({ double, watch }) {
  await double.ask('busy');
  const watchers = await watch(QUERIES);
  // What they saw first is not a change.
  await delay(1500);
  const from = Date.now();
  await delay(ROUNDS_MS);
  const until = Date.now();
  // What was told last has arrived, too.
  await delay(1500);
  const seen = await watchers.ask('what was seen');
  await watchers.stop();
  const moments = await double.ask('quiet');
  const rounds = moments.flatMap((moment, round) => (moment > from && moment < until ? [round] : []));
  const delays = [];
  let dropped = 0;
  for (const one of seen) {
    const arrived = new Map(one.map(([counter, at]) => [Math.floor(counter / ROUND), at]));
    for (const round of rounds) {
      const at = arrived.get(round);
      if (at === undefined) dropped += 1;
      else delays.push(at - moments[round]);
    }
  }
  if (delays.length < rounds.length || rounds.length < 5)
    throw new Error(`${delays.length} messages in ${rounds.length} rounds`);
  return [
    atMost(MARKS.delayMs, { name: NAMES.delay, unit: 'ms', value: percentile(delays, 0.95) }),
    atMost(0, { name: NAMES.dropped, unit: 'messages', value: dropped }),
  ];
}

async function polled(many, none) {
  const both = [many, none];
  for (const { watch } of both) await watch(['limit=10']);
  await delay(SETTLE_MS);
  const used = () => both.map(({ gateway }) => processorMilliseconds(gateway.pid));
  const before = used();
  await delay(IDLE_MS);
  const [value = 0, against = 0] = used().map((ms, index) => ((ms - (before[index] ?? 0)) / IDLE_MS) * 100);
  return atMost(MARKS.percent, { name: NAMES.poll, unit: '% of a core', value, against });
}
