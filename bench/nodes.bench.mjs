import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startGateway } from '../e2e/support/gateway.ts';
import { namespacesProblem, openNamespaces } from '../e2e/support/namespaces.ts';
import { uapiPath } from '../packages/gateway/src/tunnel/wireguard/uapi.ts';
import { atMost, notMeasured, percentile } from './support/figures.mjs';
import { seed, withGateway } from './support/gateway.mjs';
import { startProgram } from './support/programs.mjs';
import { ROUND } from './support/wireguardDouble.mjs';

const NODES = 1000;

/** What the start itself needs is not what the gateway needs when nothing happens. */
const START_MS = 10_000;
/** Backends are looked at every 30 s. */
const IDLE_MS = 30_000;
const PROCESSOR_MARK_PERCENT = 2;

/** What a gateway uses when nothing happens. Its memory is a row of `memory`. */
const idle = () =>
  withGateway({ nodes: NODES, services: 1000, domains: 50 }, async ({ gateway }) => {
    const pid = gateway.child().pid ?? 0;
    await delay(START_MS);
    const before = processorMilliseconds(pid);
    await delay(IDLE_MS);
    const value = ((processorMilliseconds(pid) - before) / IDLE_MS) * 100;
    const name = `idle with ${NODES} nodes and 1000 services: processor`;
    return [atMost(PROCESSOR_MARK_PERCENT, { name, unit: '% of a core', value })];
  });

/** Of Linux's clock ticks, as /proc counts them. */
const TICK_MS = 10;

/** The processor time that a process has used so far, in milliseconds, with that of its children that have ended. */
function processorMilliseconds(pid) {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name may hold spaces and brackets; the fields begin behind its last bracket.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const times = fields.slice(11, 15).map(Number);
  return times.reduce((sum, ticks) => sum + ticks, 0) * TICK_MS;
}

/** How many nodes there are, and what it may take to know of them. */
const TUNNELS = [
  { nodes: NODES, delayMs: 250, percent: 2 },
  // Nobody is known to have so many: ten times as much for ten times as many.
  { nodes: 10 * NODES, delayMs: 2500, percent: 20 },
];
const namesOf = (nodes) => ({
  delay: `stream of ${nodes} nodes that change each second, 50 watchers: change to message, 95th percentile`,
  dropped: `stream of ${nodes} nodes that change each second, 50 watchers: messages dropped`,
  poll: `poll of ${nodes} nodes each second, one watcher: processor`,
});
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
const POLLED_MS = 20_000;

/**
 * What it takes to know of all nodes each second, and to tell it. The nodes are made up, by `wireguardDouble.mjs`; whom
 * the gateway asks and how, and everything behind it, is as with `wireguard-go`.
 */
async function tunnelNodes() {
  const reason = await namespacesProblem();
  const figures = [];
  for (const size of TUNNELS) {
    const names = namesOf(size.nodes);
    if (reason === null) figures.push(...(await tunnelOf(size, names)));
    else {
      figures.push(
        notMeasured(size.delayMs, { name: names.delay, unit: 'ms', reason }),
        notMeasured(0, { name: names.dropped, unit: 'messages', reason }),
        notMeasured(size.percent, { name: names.poll, unit: '% of a core', reason }),
      );
    }
  }
  return figures;
}

async function tunnelOf(size, names) {
  const spaces = openNamespaces();
  const opened = [];
  const opening = async (count) => {
    const namespace = await spaces.add(`nodes${count}`);
    const tunnel = spaces.uniqueName();
    // An interface that is there and up; what is sent into it goes nowhere.
    await spaces.link([namespace, tunnel, null], [namespace, tunnel.replace('sp', 'pe'), null]);
    const double = await startProgram('wireguardDouble.mjs', [tunnel]);
    opened.push({ stop: () => rmSync(uapiPath(tunnel), { force: true }) }, double);
    const gateway = await startGateway({
      namespace,
      env: { SALLYPORT_TUNNEL: 'on', SALLYPORT_VPN_INTERFACE: tunnel },
    });
    opened.push({ stop: gateway.close });
    if (count > 0) await seed(gateway, { nodes: count, services: 0, domains: 0, backendPort: 0 });
    const watch = async (queries) => {
      const { apiUrl, username, password } = gateway;
      const watchers = await startProgram('nodeWatchers.mjs', [apiUrl, username, password, ...queries], namespace);
      opened.push(watchers);
      return watchers;
    };
    return { double, gateway, watch };
  };
  try {
    const [many, none] = await Promise.all([opening(size.nodes), opening(0)]);
    return [...(await streamed(many, size, names)), await polled(many, none, size, names)];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    await spaces.close();
  }
}

async function streamed({ double, watch }, { delayMs }, names) {
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
    atMost(delayMs, { name: names.delay, unit: 'ms', value: percentile(delays, 0.95) }),
    atMost(0, { name: names.dropped, unit: 'messages', value: dropped }),
  ];
}

async function polled(many, none, { percent }, names) {
  const both = [many, none];
  for (const { watch } of both) await watch(['limit=10']);
  await delay(SETTLE_MS);
  const used = () => both.map(({ gateway }) => processorMilliseconds(gateway.child().pid));
  const before = used();
  await delay(POLLED_MS);
  const [value = 0, against = 0] = used().map((ms, index) => ((ms - (before[index] ?? 0)) / POLLED_MS) * 100);
  return atMost(percent, { name: names.poll, unit: '% of a core', value, against });
}

export default { idle, tunnelNodes };
