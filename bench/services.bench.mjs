import { Agent } from 'node:https';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { startBareNginx } from '../e2e/support/nginx.ts';
import { visit } from '../e2e/support/visit.ts';
import {
  atLeast,
  atMost,
  atMostTimes,
  explained,
  inTurns,
  median,
  millisecondsOf,
  percentile,
} from './support/figures.mjs';
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

const SAVED_TURNS = { warmUp: 3, turns: 40 };
const SAVED_TIMES_MARK = 1.5;
const SAVED_MARK_MS = 300;
const SAVED_REASON =
  'nginx reads its whole configuration for each change, 2000 locations among them, which takes 100 million instructions of its own and 76 of the kernel; the gateway adds 150 million, most of them to read the rows, to write the text and to collect garbage';

/** How long it takes until a service that is saved can be visited, next to what nginx alone needs. */
const saved = () =>
  withGateway(SIZE, async ({ gateway, client, backend, opened }) => {
    const reference = await startBareNginx(gateway);
    opened.push({ stop: reference.close });
    const save = async (turn) => {
      const index = SIZE.services + turn;
      const place = placeOf(index, SIZE.domains);
      const body = { name: `saved ${turn}`, ...place, backendHost: backendHostOf(index), backendPort: backend.port };
      await client.httpService.create({ params: { nodeId: 1 }, body });
      await mustBeServed(gateway, index);
    };
    const alone = async () => {
      await reference.test();
      await reference.reload();
    };
    const times = await inTurns(SAVED_TURNS, {
      saved: (turn) => millisecondsOf(() => save(turn)),
      alone: () => millisecondsOf(alone),
    });
    const [value, against] = [percentile(times.saved, 0.95), percentile(times.alone, 0.95)];
    const name = `a service saved until it is reached, of ${SIZE.services} on ${SIZE.domains} domains, 95th percentile`;
    return [
      atMostTimes(SAVED_TIMES_MARK, { name: `${name}, next to nginx -t and a reload`, unit: 'ms', value, against }),
      explained(atMost(SAVED_MARK_MS, { name, unit: 'ms', value }), SAVED_REASON),
    ];
  });

async function mustBeServed(gateway, index) {
  const { status } = await visitService(gateway, index, SIZE.domains);
  if (status !== 200) throw new Error(`service ${index} answered ${status} although it was made`);
}

const CLIENTS = 64;
const CREATES = CLIENTS * 20;
/** One in so many is visited as soon as it is answered: looking at each would measure the visitor. */
const VISITED_ONE_IN = 16;
const CREATES_MARK = 200;
const CREATES_REASON =
  'a create takes about 5 million instructions in the gateway, 4 in nginx and 5 in the clients next to it, on the same two cores; not every crowd of 64 is complete when its generation is made';

/** How many services a second 64 clients can make, each one on disk and served before its answer. */
const creates = () =>
  withGateway({}, async ({ gateway, client, backend }) => {
    // A domain's key and certificate are made by openssl, which is not what is measured.
    for (let index = 0; index < SIZE.domains; index += 1) {
      await client.domain.create({ body: { domain: placeOf(index, SIZE.domains).domain, skipValidation: true } });
    }
    let next = 0;
    const begin = performance.now();
    const work = async () => {
      for (let index = next++; index < CREATES; index = next++) {
        const place = placeOf(index, SIZE.domains);
        const backendAt = { backendHost: backendHostOf(index), backendPort: backend.port };
        await client.httpService.create({
          params: { nodeId: 1 },
          body: { name: `service ${index}`, ...place, ...backendAt },
        });
        if (index % VISITED_ONE_IN === 0) await mustBeServed(gateway, index);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    const value = CREATES / ((performance.now() - begin) / 1000);
    // What is there after a kill was there when it was answered.
    await gateway.end('SIGKILL');
    const database = new Sqlite(join(gateway.data, 'sallyport.db'));
    const found = database.prepare('select count(*) from http_services where not builtin').pluck().get();
    database.close();
    if (found !== CREATES) throw new Error(`${CREATES} services were made and ${found} are in the database`);
    const name = `services made by ${CLIENTS} clients at once, each on disk and served`;
    return [explained(atLeast(CREATES_MARK, { name, unit: 'creates/s', value }), CREATES_REASON)];
  });

export default { start, saved, creates };
