import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { namespacesProblem } from '../e2e/support/namespaces.ts';
import { openTunnelScene } from '../e2e/support/tunnelScene.ts';
import { atLeastTimes, explained, middleTurn, notMeasured } from './support/figures.mjs';
import { placeOf, visitService, withGateway } from './support/gateway.mjs';
import { hasWrk, requestsPerSecond } from './support/load.mjs';
import { startFastBackend, startHandwritten } from './support/nginx.mjs';
import { readLog } from './support/programs.mjs';

const UNIT = 'requests/s';
/** Longer than nginx keeps lines before it writes them. */
const LOG_FLUSH_MS = 400;
const LOGGED_MAX_MS = 10_000;
const INGRESS_TIMES_MARK = 0.95;
const INGRESS_REASON =
  'of 35 microseconds for a request, 1.6 are more than by hand: 0.9 in nginx (the port, the upgrade, the cookie of the console, secrets in the address), 0.4 in the backend, which is told of the visitor in six headers, 0.3 for the log that the gateway reads';

/** Requests a second that get through the ingress, next to an nginx that an engineer configured by hand for speed. */
async function ingress() {
  return [
    ...(await nextToHandwritten('1 service', 1, 1)),
    ...(await nextToHandwritten('2000 services on 50 domains', 2000, 50)),
  ];
}

async function nextToHandwritten(what, services, domains) {
  const name = `HTTPS through the ingress, 1 kB, keep-alive, ${what}`;
  if (!hasWrk()) return [notMeasured(INGRESS_TIMES_MARK, { name, unit: UNIT, reason: 'wrk is missing' })];
  return withGateway({ services, domains }, async ({ gateway, backend, opened }) => {
    const { domain: host, pathLocation: path } = placeOf(services - 1, domains);
    const certificate = join(gateway.data, 'secrets', 'certificates', host, 'pair.pem');
    const handwritten = await startHandwritten({ backendPort: backend.port, certificate });
    opened.push(handwritten);
    const target = { host, path, backend };
    const rates = await requestsPerSecond({
      handwritten: { ...target, port: handwritten.port, data: handwritten.data },
      gateway: { ...target, port: gateway.ports.https, data: gateway.data },
    });
    await mustBeLogged(gateway, services, domains);
    const figure = { name, unit: UNIT, ...middleTurn(rates.gateway, rates.handwritten) };
    return [explained(atLeastTimes(INGRESS_TIMES_MARK, figure), INGRESS_REASON)];
  });
}

/**
 * A visit's line in the log names a domain and a service, so the requests really went the way of a service. It is made
 * again: so many requests fill a log, and the next one begins empty.
 */
async function mustBeLogged(gateway, services, domains) {
  const log = join(gateway.data, 'ingress', 'logs', 'access.log');
  const limit = performance.now() + LOGGED_MAX_MS;
  let line = '';
  do {
    if (performance.now() > limit) throw new Error('nginx wrote no line of a visit');
    await visitService(gateway, services - 1, domains);
    await delay(LOG_FLUSH_MS);
    line = readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  } while (line === '');
  const { d: domain, s: service } = JSON.parse(line);
  // The console's own service is the first.
  if (Number(domain) < 1 || Number(service) !== services + 1) throw new Error(`the log says ${line}`);
}

const NETWORKS = 1000;
const GUARDED_TIMES_MARK = 0.9;
const GUARDED_REASON =
  'the list alone costs 2 in a hundred, and each line on its way to the reader, who shares the processors with nginx, 5; one turn differs from the next by as much';
const PLAIN = 'plain.example.test';
const GUARDED = 'guarded.example.test';

/** What it costs a service that its visitors are checked against a long list and that its log is watched. */
async function guarded() {
  if (!hasWrk()) {
    const name = 'HTTPS with a block list and its log watched';
    return [notMeasured(GUARDED_TIMES_MARK, { name, unit: UNIT, reason: 'wrk is missing' })];
  }
  return withGateway({}, async ({ gateway, client, token, backend, opened }) => {
    const create = async (domain, more) => {
      const body = { name: domain, domain, backendHost: '127.0.0.1', backendPort: backend.port, ...more };
      return (await client.httpService.create({ params: { nodeId: 1 }, body })).id;
    };
    await create(PLAIN, {});
    const reader = await readLog(gateway, token, await create(GUARDED, { blockedIps: networks() }));
    opened.push(reader);
    const target = { port: gateway.ports.https, data: gateway.data, path: '/', backend };
    // The reader reads the guarded service alone: when it is the other's turn, it has nothing to do.
    const rates = await requestsPerSecond({
      plain: { ...target, host: PLAIN },
      guarded: { ...target, host: GUARDED },
    });
    if ((await reader.count()) === 0) throw new Error('the reader of the log got nothing');
    const name = `HTTPS with a block list of ${NETWORKS} networks and its log watched, next to the same without`;
    const figure = { name, unit: UNIT, ...middleTurn(rates.guarded, rates.plain) };
    return [explained(atLeastTimes(GUARDED_TIMES_MARK, figure), GUARDED_REASON)];
  });
}

/** None of them is the visitor's, so all are looked at. */
const networks = () =>
  Array.from({ length: NETWORKS }, (_, index) => `198.${18 + Math.floor(index / 256)}.${index % 256}.0/24`);

const TUNNEL_TIMES_MARK = 0.95;
const NAME = 'HTTPS through ingress and tunnel, 1 kB, keep-alive';
const DOMAIN = 'tunnel.example.test';
const PATH = '/far';

/**
 * Requests a second that get through the ingress to a backend behind the tunnel, next to an nginx that an engineer configured
 * by hand for speed, which goes through the same tunnel to the same backend. All in networks of their own.
 */
async function tunnelIngress() {
  const reason = hasWrk() ? await namespacesProblem() : 'wrk is missing';
  if (reason !== null) return [notMeasured(TUNNEL_TIMES_MARK, { name: NAME, unit: UNIT, reason })];
  const scene = await openTunnelScene();
  const opened = [];
  try {
    const far = await scene.host('node', '198.18.0.20');
    const { id, address } = await made(scene, 'POST /api/nodes', { name: 'far' });
    const { down } = await scene.join(far, Number(id));
    opened.push({ stop: down });
    const backend = await startFastBackend({ address, namespace: far });
    opened.push(backend);
    await made(scene, 'POST /api/domains', { domain: DOMAIN, skipValidation: true });
    const service = { name: 'far', domain: DOMAIN, pathLocation: PATH, backendPort: backend.port };
    await made(scene, `POST /api/services/${id}/http`, service);
    const namespace = scene.home;
    const handwritten = await startHandwritten({
      backendHost: address,
      backendPort: backend.port,
      certificate: join(scene.gateway.data, 'secrets', 'certificates', DOMAIN, 'pair.pem'),
      namespace,
    });
    opened.push(handwritten);
    const target = { host: DOMAIN, path: PATH, backend, namespace };
    const rates = await requestsPerSecond({
      handwritten: { ...target, port: handwritten.port, data: handwritten.data },
      gateway: { ...target, port: scene.gateway.ports.https, data: scene.gateway.data },
    });
    return [
      atLeastTimes(TUNNEL_TIMES_MARK, { name: NAME, unit: UNIT, ...middleTurn(rates.gateway, rates.handwritten) }),
    ];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    await scene.close();
  }
}

async function made(scene, call, body) {
  const reply = await scene.api(call, body);
  if (reply.status >= 300) throw new Error(`${call} answered ${reply.status}: ${JSON.stringify(reply.body)}`);
  return reply.body;
}

export default { ingress, guarded, tunnelIngress };
