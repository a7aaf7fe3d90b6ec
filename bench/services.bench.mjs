import { Agent } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { startBareNginx } from '../e2e/support/nginx.ts';
import { visit } from '../e2e/support/visit.ts';
import { atMost, atMostTimes, inTurns, median, millisecondsOf, percentile } from './support/figures.mjs';
import { backendHostOf, placeOf, visitService, withGateway } from './support/gateway.mjs';

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

export default { start, saved };
