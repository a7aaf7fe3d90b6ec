import { execFile, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { within } from './within.mjs';

const CONNECTIONS = 32;
/**
 * Some rounds of a gateway that reads its log twice a second: what it does for a request counts for it. No longer,
 * because a machine changes its speed within seconds, by more than what is asked: many short turns tell the two apart.
 */
const MEASURED_MS = 1200;
/** Until all connections are there, each with some requests behind it: what is asked is what they carry, not how they began. */
const BEGUN_MS = 800;
/** The load goes on for as long as the counting of it may be late. */
const AFTER_MS = 1000;
/** And what a server does for the last requests must not count for whoever is measured next. */
const SETTLED_MS = 500;

/** How often loads are compared: one turn's ratio is off by a tenth now and then, the middle of so many by a fiftieth. */
export const LOAD_TURNS = { warmUp: 1, turns: 24 };

/** Whether the load generator is there. */
export const hasWrk = () => spawnSync('wrk', ['--version']).error === undefined;

/**
 * Requests a second that are answered on kept connections, measured on a machine that has come to rest.
 * @param {{ port: number, host: string, path: string, backend: { served: () => Promise<number> }, namespace?: import('../../e2e/support/namespaces.ts').Namespace }} target
 *   `backend` is asked what it has answered; `namespace` is the network whose loopback the port is on
 */
export async function requestsPerSecond({ port, host, path, backend, namespace }) {
  const url = `https://127.0.0.1:${port}${path}`;
  const seconds = (BEGUN_MS + MEASURED_MS + AFTER_MS) / 1000;
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-H', `Host: ${host}`, url];
  await delay(SETTLED_MS);
  const [program, ...words] = within(namespace, 'wrk', ...args);
  const [{ stdout }, rate] = await Promise.all([promisify(execFile)(program, words), servedPerSecond(backend)]);
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout);
  if (failed !== null) throw new Error(`https://${host}${path}: ${failed[0]}`);
  return rate;
}

/** What the backend answers in the middle of a load that begins now. */
async function servedPerSecond(backend) {
  await delay(BEGUN_MS);
  const [first, begin] = [await backend.served(), performance.now()];
  await delay(MEASURED_MS);
  const [last, end] = [await backend.served(), performance.now()];
  if (end - begin > MEASURED_MS + AFTER_MS) throw new Error(`counted for ${end - begin} ms: longer than the load`);
  return ((last - first) * 1000) / (end - begin);
}
