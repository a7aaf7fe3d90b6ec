import { execFile, spawnSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { within } from './within.mjs';

const CONNECTIONS = 32;
/** Several rounds of a gateway that reads its log twice a second: what it does for a request counts for it. */
const SECONDS = 3;
/** And what it does for the last requests must not count for whoever is measured next. */
const SETTLED_MS = 1000;

/** Whether the load generator is there. */
export const hasWrk = () => spawnSync('wrk', ['--version']).error === undefined;

/**
 * Requests a second that are answered on kept connections, measured on a machine that has come to rest.
 * @param {{ port: number, host: string, path: string, seconds?: number, namespace?: import('../../e2e/support/namespaces.ts').Namespace }} target
 *   `namespace` is the network whose loopback the port is on
 */
export async function requestsPerSecond({ port, host, path, seconds = SECONDS, namespace }) {
  const url = `https://127.0.0.1:${port}${path}`;
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, '-H', `Host: ${host}`, url];
  await delay(SETTLED_MS);
  const [program, ...words] = within(namespace, 'wrk', ...args);
  const { stdout } = await promisify(execFile)(program, words);
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout);
  if (failed !== null) throw new Error(`https://${host}${path}: ${failed[0]}`);
  const [, rate] = /^Requests\/sec:\s+([\d.]+)$/m.exec(stdout) ?? [];
  if (rate === undefined) throw new Error(`wrk said nothing of requests: ${stdout}`);
  return Number(rate);
}
