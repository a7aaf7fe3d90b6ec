import { Agent, get } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { atMost, median } from './support/figures.mjs';
import { newHome, startGateway, visit } from './support/gateway.mjs';
import { startProgram } from './support/programs.mjs';
import { placeOf, seedServices } from './support/seed.mjs';

const SIZE = { services: 2000, domains: 50 };
const STARTS = 5;
const POLL_MS = 10;
const LIMIT_MS = 30_000;
const MARK_SECONDS = 3;

/** How long a gateway takes, from nothing running to everything served. */
export default async function measure() {
  const home = await newHome();
  const opened = [];
  try {
    const backend = await startProgram('backend.mjs', []);
    opened.push(backend);
    await seedServices(home, { ...SIZE, backendPort: backend.port });
    // Makes the certificates, which stay.
    await (await startGateway(home)).stop();
    const seconds = [];
    for (let run = 0; run < STARTS; run += 1) {
      const begin = performance.now();
      const started = startGateway(home);
      opened.push({ stop: async () => (await started).stop() });
      await Promise.all([started, firstAnswer(home)]);
      seconds.push((performance.now() - begin) / 1000);
      await mustAllBeServed(home);
      await opened.pop()?.stop();
    }
    const name = `start with ${SIZE.services} services on ${SIZE.domains} domains until all are served, median`;
    return [atMost(MARK_SECONDS, { name, unit: 's', value: median(seconds) })];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    home.remove();
  }
}

/** Everything is of one generation: with one service served, all are, as `mustAllBeServed` makes sure of. */
async function firstAnswer(home) {
  const { domain, pathLocation } = placeOf(SIZE.services - 1, SIZE.domains);
  const deadline = performance.now() + LIMIT_MS;
  while ((await visit(home, domain, pathLocation)).status !== 200) {
    if (performance.now() > deadline) throw new Error(`nothing is served after ${LIMIT_MS / 1000} s`);
    await delay(POLL_MS);
  }
}

async function mustAllBeServed(home) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let index = 0; index < SIZE.services; index += 1) {
    const { domain, pathLocation } = placeOf(index, SIZE.domains);
    const status = await statusOf(agent, home.ports.https, domain, pathLocation);
    if (status !== 200) throw new Error(`https://${domain}${pathLocation} answered ${status}`);
  }
  agent.destroy();
}

/** On one connection for all, because its name counts less than that of the request. */
function statusOf(agent, port, host, path) {
  return new Promise((resolve, reject) => {
    const options = { agent, port, path, servername: 'localhost', headers: { host }, rejectUnauthorized: false };
    get({ host: '127.0.0.1', ...options }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
}
