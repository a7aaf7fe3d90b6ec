import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { startBareNginx } from '../e2e/support/nginx.ts';
import { visit } from '../e2e/support/visit.ts';
import {
  atLeastTimes,
  atMost,
  atMostTimes,
  inTurns,
  median,
  middleTurn,
  millisecondsOf,
  notMeasured,
  percentile,
} from './support/figures.mjs';
import { backendHostOf, placeOf, visitService, withGateway } from './support/gateway.mjs';
import { hasWrk } from './support/load.mjs';

const SIZE = { services: 2000, domains: 50 };

const STARTS = 5;
const POLL_MS = 10;
const LIMIT_MS = 30_000;
const START_MARK_SECONDS = 3;

/** How long a gateway takes, from nothing running to everything served. */
const start = () =>
  withGateway(SIZE, async ({ gateway }) => {
    const seconds = [];
    for (let run = 0; run < STARTS; run += 1) {
      await gateway.end('SIGINT');
      const begin = performance.now();
      await Promise.all([gateway.start(), firstAnswer(gateway)]);
      seconds.push((performance.now() - begin) / 1000);
      await mustAllBeServed(gateway);
    }
    const name = `start with ${SIZE.services} services on ${SIZE.domains} domains until all are served, median`;
    return [atMost(START_MARK_SECONDS, { name, unit: 's', value: median(seconds) })];
  });

/** Everything is of one generation: with one service served, all are, as `mustAllBeServed` makes sure of. */
async function firstAnswer(gateway) {
  const deadline = performance.now() + LIMIT_MS;
  while ((await visitService(gateway, SIZE.services - 1, SIZE.domains)).status !== 200) {
    if (performance.now() > deadline) throw new Error(`nothing is served after ${LIMIT_MS / 1000} s`);
    await delay(POLL_MS);
  }
}

async function mustAllBeServed({ ports }) {
  for (let index = 0; index < SIZE.domains; index += 1) {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let service = index; service < SIZE.services; service += SIZE.domains) {
      const { domain, pathLocation } = placeOf(service, SIZE.domains);
      const { status } = await visit(ports.https, `https://${domain}${pathLocation}`, agent);
      if (status !== 200) throw new Error(`https://${domain}${pathLocation} answered ${status}`);
    }
    agent.destroy();
  }
}

/** How many times as long as `nginx -t` on the same configuration a save may take. */
const SAVED = [
  { services: 10, domains: 5, times: 4.5, turns: 40 },
  { services: 200, domains: 20, times: 3.5, turns: 40 },
  { services: 2000, domains: 50, times: 3, turns: 40 },
  { services: 5000, domains: 50, times: 2, turns: 20 },
];
const MOST = { services: 10_000, domains: 100, turns: 20 };
const MOST_TIMES_MARK = 2.1;
const SAVED_WARM_UP = 3;

/** How long it takes until a service that is saved can be visited, next to what nginx needs to read its configuration. */
async function saved() {
  const figures = [];
  let fewer = 0;
  for (const { times, ...size } of SAVED) {
    const { value, against } = await savesOf(size);
    figures.push(atMostTimes(times, { name: `${savedName(size)}, next to nginx -t`, unit: 'ms', value, against }));
    fewer = value;
  }
  const { value } = await savesOf(MOST);
  const name = `${savedName(MOST)}, next to ${SAVED.at(-1)?.services}`;
  return [...figures, atMostTimes(MOST_TIMES_MARK, { name, unit: 'ms', value, against: fewer })];
}

const savedName = ({ services, domains }) =>
  `a service saved until it is reached, of ${services} on ${domains} domains, 95th percentile`;

const savesOf = ({ services, domains, turns }) =>
  withGateway({ services, domains }, async ({ gateway, client, backend, opened }) => {
    const reference = await startBareNginx(gateway);
    opened.push({ stop: reference.close });
    const save = async (turn) => {
      const index = services + turn;
      const body = { name: `saved ${turn}`, ...placeOf(index, domains), backendHost: backendHostOf(index) };
      await client.httpService.create({ params: { nodeId: 1 }, body: { ...body, backendPort: backend.port } });
      await mustBeServed(gateway, index, domains);
    };
    const times = await inTurns(
      { warmUp: SAVED_WARM_UP, turns },
      { saved: (turn) => millisecondsOf(() => save(turn)), alone: () => millisecondsOf(reference.test) },
    );
    return { value: percentile(times.saved, 0.95), against: percentile(times.alone, 0.95) };
  });

async function mustBeServed(gateway, index, domains) {
  const { status } = await visitService(gateway, index, domains);
  if (status !== 200) throw new Error(`service ${index} answered ${status} although it was made`);
}

const SAVING = { warmUp: 1, turns: 5 };
const SAVING_SECONDS = 10;
const SAVED_EVERY_MS = 1000;
const SAVING_TIMES_MARK = 0.95;
const VISITORS = 16;

/** What visitors notice of an administrator who saves once a second, next to the same configuration that is reloaded by hand as often. */
const saving = () =>
  withGateway(SIZE, async ({ gateway, client, opened }) => {
    const name = `while saving once a second, ${SIZE.services} services`;
    if (!hasWrk()) return [notMeasured(0, { name: `requests ${name}`, unit: 'a second', reason: 'wrk is missing' })];
    const reference = await startBareNginx(gateway);
    opened.push({ stop: reference.close });
    const { data } = await client.httpService.listAll({ query: { limit: 1, search: 'service 0' } });
    const id = data[0]?.id ?? 0;
    let saves = 0;
    const save = async () => {
      saves += 1;
      const body = { blockedIps: [`192.0.2.${saves % 250}`] };
      await client.httpService.update({ params: { nodeId: 1, id }, body });
    };
    /** @type {Record<'saved' | 'reloaded', { p99: number, failed: number }[]>} */
    const noticed = { saved: [], reloaded: [] };
    const load = (of, port, change) => async () => {
      const { perSecond, ...more } = await visitWhile(port, change);
      of.push(more);
      return perSecond;
    };
    const rates = await inTurns(SAVING, {
      saved: load(noticed.saved, gateway.ports.https, save),
      reloaded: load(noticed.reloaded, reference.httpsPort, reference.reload),
    });
    const of = (which, key) => noticed[which].slice(SAVING.warmUp).map((one) => one[key]);
    const slowest = middleTurn(of('saved', 'p99'), of('reloaded', 'p99'));
    const failed = middleTurn(of('saved', 'failed'), of('reloaded', 'failed'));
    return [
      atLeastTimes(SAVING_TIMES_MARK, {
        name: `requests ${name}`,
        unit: 'a second',
        ...middleTurn(rates.saved, rates.reloaded),
      }),
      atMostTimes(1 / SAVING_TIMES_MARK, { name: `requests ${name}, 99th percentile`, unit: 'ms', ...slowest }),
      atMost(failed.against, { name: `requests ${name}, failed`, unit: '', ...failed }),
    ];
  });

/** What a load gets for some seconds while something is changed over and over. */
async function visitWhile(port, change) {
  const { domain, pathLocation } = placeOf(SIZE.services - 1, SIZE.domains);
  const url = `https://127.0.0.1:${port}${pathLocation}`;
  const args = ['-t1', `-c${VISITORS}`, `-d${SAVING_SECONDS}s`, '--latency', '-H', `Host: ${domain}`, url];
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (output += part));
  const ended = once(child, 'close');
  const from = performance.now();
  while (child.exitCode === null && performance.now() - from < SAVING_SECONDS * 1000 - SAVED_EVERY_MS) {
    const begin = performance.now();
    await change();
    await delay(Math.max(0, SAVED_EVERY_MS - (performance.now() - begin)));
  }
  await ended;
  const [, p99 = '', unit] = /^ *99% +([\d.]+)(us|ms|s)$/m.exec(output) ?? [];
  const errors = /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output) ?? [];
  const others = Number(/Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1] ?? 0);
  return {
    perSecond: Number(/Requests\/sec: +([\d.]+)/.exec(output)?.[1]),
    p99: Number(p99) * ({ us: 0.001, s: 1000 }[unit ?? 'ms'] ?? 1),
    failed: errors.slice(1).reduce((sum, count) => sum + Number(count), others),
  };
}

export default { start, saved, saving };
