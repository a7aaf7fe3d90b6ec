import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nginxProcesses } from '../e2e/support/nginx.ts';
import { atLeastTimes, atMostTimes, inTurns, middleTurn, notMeasured } from './support/figures.mjs';
import { placeOf, withGateway } from './support/gateway.mjs';
import { hasWrk } from './support/load.mjs';
import { startHandwritten } from './support/nginx.mjs';

const LENGTH = { warmUp: 1, turns: 9 };
const CONNECTIONS = 16;
const SECONDS = 2;
const RATE_MARK = 0.95;
const PROCESSOR_MARK = 1.2;
/** Linux counts the time of processes in hundredths of a second. */
const TICK_US = 10_000;

/**
 * Visitors who come on a new connection for each request, next to an nginx that an engineer configured by hand with the same
 * domains: how many are answered, and what one costs nginx.
 */
async function connections() {
  return [...(await withDomains(1)), ...(await withDomains(50)), ...(await withDomains(500))];
}

async function withDomains(domains) {
  const what = `${domains} ${domains === 1 ? 'domain' : 'domains'}`;
  const rate = { name: `new HTTPS connections answered, ${what}`, unit: 'a second' };
  const processor = { name: `processor of nginx for one of them, ${what}`, unit: 'µs' };
  if (!hasWrk()) return [rate, processor].map((each) => notMeasured(0, { ...each, reason: 'wrk is missing' }));
  return withGateway({ services: domains, domains }, async ({ gateway, backend, opened }) => {
    const names = Array.from({ length: domains }, (_, index) => placeOf(index, domains).domain);
    const [host = ''] = names;
    const certificate = join(gateway.data, 'secrets', 'certificates', host, 'pair.pem');
    // With one of no name besides, as it is where visitors may ask for none.
    const handwritten = await startHandwritten({
      backendPort: backend.port,
      certificate,
      names: ['_', ...names],
      workers: 'auto',
    });
    opened.push(handwritten);
    const target = { host, path: '/s0', backend };
    /** @type {{ gateway: number[], handwritten: number[] }} */
    const costs = { gateway: [], handwritten: [] };
    const measure =
      (of, { port, data }) =>
      async () => {
        const [before, from, begin] = [processorOf(data), await backend.served(), performance.now()];
        await visitOnce({ ...target, port });
        const [answered, seconds] = [(await backend.served()) - from, (performance.now() - begin) / 1000];
        of.push((processorOf(data) - before) / answered);
        return answered / seconds;
      };
    const rates = await inTurns(LENGTH, {
      gateway: measure(costs.gateway, { port: gateway.ports.https, data: gateway.data }),
      handwritten: measure(costs.handwritten, handwritten),
    });
    const [ours, theirs] = [costs.gateway.slice(LENGTH.warmUp), costs.handwritten.slice(LENGTH.warmUp)];
    return [
      atLeastTimes(RATE_MARK, { ...rate, ...middleTurn(rates.gateway, rates.handwritten) }),
      atMostTimes(PROCESSOR_MARK, { ...processor, ...middleTurn(ours, theirs) }),
    ];
  });
}

async function visitOnce({ port, host, path }) {
  const headers = ['-H', `Host: ${host}`, '-H', 'Connection: close'];
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, ...headers, `https://127.0.0.1:${port}${path}`];
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (output += part));
  await once(child, 'close');
  const failed = /Non-2xx or 3xx responses: \d+/.exec(output)?.[0];
  if (failed !== undefined || !output.includes('Requests/sec')) throw new Error(`wrk: ${failed ?? output}`);
}

/** Microseconds of the processor that all workers of an nginx have taken. */
function processorOf(data) {
  const workers = nginxProcesses(data)?.workers ?? [];
  return workers.reduce((sum, { pid }) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) * TICK_US;
  }, 0);
}

export default { connections };
