import { once } from 'node:events';
import { createServer } from 'node:http';
import { get } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { atMost, atMostTimes } from './support/figures.mjs';
import { backendHostOf, placeOf, withGateway } from './support/gateway.mjs';
import { memoryOfAll } from './support/memory.mjs';

const EMPTY_MARK = 140;
const FULL = { nodes: 1000, services: 1000, domains: 50 };
const FULL_MARK = 180;
const SAVES = 200;
const SAVES_TIMES_MARK = 1.2;
/** The gateway gives memory back when nothing has changed for 20 seconds. */
const QUIET_MS = 25_000;
/** What a start has done is over by then. */
const STARTED_MS = 3000;

/** The memory of everything that runs, and what two hundred saves leave of it. */
async function memory() {
  return [await empty(), ...(await afterSaves()), await withOpenConnections()];
}

const empty = () =>
  withGateway({}, async ({ gateway }) => {
    await delay(STARTED_MS);
    return atMost(EMPTY_MARK, {
      name: 'memory of everything that runs, no services',
      unit: 'MB',
      value: memoryOfAll(gateway),
    });
  });

const afterSaves = () =>
  withGateway(FULL, async ({ gateway, client, backend }) => {
    await delay(STARTED_MS);
    const size = `${FULL.nodes} nodes and ${FULL.services} services`;
    const value = memoryOfAll(gateway);
    for (let turn = 0; turn < SAVES; turn += 1) await save(client, backend, FULL, FULL.services + turn);
    await delay(QUIET_MS);
    const after = memoryOfAll(gateway);
    await gateway.end('SIGINT');
    await gateway.start();
    await delay(STARTED_MS);
    return [
      atMost(FULL_MARK, { name: `memory of everything that runs, ${size}`, unit: 'MB', value }),
      atMostTimes(SAVES_TIMES_MARK, {
        name: `the same after ${SAVES} saves, next to a fresh start`,
        unit: 'MB',
        value: after,
        against: memoryOfAll(gateway),
      }),
    ];
  });

const MANY = { services: 2100, domains: 50 };
const OPEN = 20;
const OPEN_TIMES_MARK = 5;

const withOpenConnections = () =>
  withGateway(MANY, async ({ gateway, client, backend, opened }) => {
    const endless = createServer((_request, response) => response.write('x')).listen(0, '127.0.0.1');
    await once(endless, 'listening');
    opened.push({ stop: () => endless.close() });
    const place = { ...placeOf(0, MANY.domains), pathLocation: '/endless' };
    const { port: backendPort } = /** @type {import('node:net').AddressInfo} */ (endless.address());
    const body = { name: 'endless', ...place, backendHost: '127.0.0.1', backendPort };
    await client.httpService.create({ params: { nodeId: 1 }, body });
    await delay(STARTED_MS);
    const against = memoryOfAll(gateway);
    for (let turn = 0; turn < OPEN; turn += 1) {
      const request = await beginEndless(gateway.ports.https, place);
      opened.push({ stop: () => request.destroy() });
      await save(client, backend, MANY, MANY.services + turn);
    }
    const name = `memory after ${OPEN} saves, a long answer begun before each, ${MANY.services} services, next to before`;
    return atMostTimes(OPEN_TIMES_MARK, { name, unit: 'MB', value: memoryOfAll(gateway), against });
  });

async function beginEndless(port, { domain, pathLocation }) {
  const options = { host: '127.0.0.1', port, servername: domain, path: pathLocation, rejectUnauthorized: false };
  const request = get({ ...options, headers: { host: domain }, agent: false });
  const [response] = await once(request, 'response');
  await once(response, 'data');
  // It ends with the gateway.
  request.on('error', () => undefined);
  response.on('error', () => undefined);
  return request;
}

async function save(client, backend, { domains }, index) {
  const body = { name: `saved ${index}`, ...placeOf(index, domains), backendHost: backendHostOf(index) };
  await client.httpService.create({ params: { nodeId: 1 }, body: { ...body, backendPort: backend.port } });
}

export default { memory };
