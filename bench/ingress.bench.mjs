import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startHandwritten, startFastBackend } from './support/handwritten.mjs';
import { atLeastTimes, explained, middleTurn, notMeasured } from './support/figures.mjs';
import { newHome, nginxPidFile, startGateway, visit } from './support/gateway.mjs';
import { placeOf, seedServices } from './support/seed.mjs';
import { hasWrk, requestsPerSecond } from './support/wrk.mjs';

const SIZES = { one: { services: 1, domains: 1 }, many: { services: 2000, domains: 50 } };
const TIMES_MARK = 0.95;
/** Longer than nginx keeps lines before it writes them. */
const LOG_FLUSH_MS = 400;
const LOGGED_MAX_MS = 10_000;

const REASON =
  'of 35 microseconds for a request, 1.6 are more than by hand: 0.9 in nginx (the port, the upgrade, the cookie of the console, secrets in the address), 0.4 in the backend, which is told of the visitor in six headers, 0.3 for the log that the gateway reads';

/** Requests a second that get through the ingress, next to an nginx that somebody configured by hand for speed. */
export default async function measure() {
  if (!hasWrk()) {
    const name = 'HTTPS through the ingress, 1 kB, keep-alive';
    return [notMeasured(TIMES_MARK, { name, unit: 'requests/s', reason: 'wrk is missing' })];
  }
  const homes = { one: await newHome(), many: await newHome() };
  const opened = [];
  try {
    // All of loopback: each service has a backend of its own there.
    const backend = await startFastBackend({ address: '0.0.0.0' });
    opened.push(backend);
    for (const [name, home] of Object.entries(homes)) {
      await seedServices(home, { ...SIZES[name], backendPort: backend.port });
      opened.push(await startGateway(home));
    }
    const { domain, pathLocation } = placeOf(0, 1);
    const certificate = join(homes.one.data, 'secrets', 'certificates', domain, 'pair.pem');
    const handwritten = await startHandwritten({ backendPort: backend.port, certificate });
    opened.push(handwritten);
    const last = placeOf(SIZES.many.services - 1, SIZES.many.domains);
    const [first, end] = [
      { host: domain, path: pathLocation, backend },
      { host: last.domain, path: last.pathLocation, backend },
    ];
    const rates = await requestsPerSecond({
      handwritten: { ...first, port: handwritten.port, pidFile: handwritten.pidFile },
      one: { ...first, port: homes.one.ports.https, pidFile: nginxPidFile(homes.one) },
      many: { ...end, port: homes.many.ports.https, pidFile: nginxPidFile(homes.many) },
    });
    await mustBeLogged(homes.one, SIZES.one, { host: domain, path: pathLocation });
    await mustBeLogged(homes.many, SIZES.many, { host: last.domain, path: last.pathLocation });
    const figureOf = (services, all) => {
      const name = `HTTPS through the ingress, 1 kB, keep-alive, ${services}`;
      return explained(
        atLeastTimes(TIMES_MARK, { name, unit: 'requests/s', ...middleTurn(all, rates.handwritten) }),
        REASON,
      );
    };
    return [figureOf('1 service', rates.one), figureOf('2000 services on 50 domains', rates.many)];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    for (const home of Object.values(homes)) home.remove();
  }
}

/**
 * A visit's line in the log names a domain and a service, so the requests really went the way of a service. It is made
 * again: so many requests fill a log, and the next one begins empty.
 */
async function mustBeLogged(home, { services }, { host, path }) {
  const log = join(home.data, 'ingress', 'logs', 'access.log');
  const limit = performance.now() + LOGGED_MAX_MS;
  let line = '';
  do {
    if (performance.now() > limit) throw new Error('nginx wrote no line of a visit');
    await visit(home, host, path);
    await delay(LOG_FLUSH_MS);
    line = readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  } while (line === '');
  const { d: domain, s: service } = JSON.parse(line);
  // The console's own service is the first.
  if (Number(domain) < 1 || Number(service) !== services + 1) throw new Error(`the log says ${line}`);
}
