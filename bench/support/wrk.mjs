import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';

const CONNECTIONS = 32;
const SECONDS = 1;

/** Whether the load generator is there. */
export const hasWrk = () => spawnSync('wrk', ['--version']).error === undefined;

/**
 * Requests a second that are answered on kept connections, measured for one second.
 * @param {{ port: number, host: string, path: string }} target
 */
export async function requestsPerSecond({ port, host, path }) {
  const url = `https://127.0.0.1:${port}${path}`;
  const args = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-H', `Host: ${host}`, url];
  const { stdout } = await promisify(execFile)('wrk', args);
  const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(stdout);
  if (failed !== null) throw new Error(`https://${host}${path}: ${failed[0]}`);
  const [, rate] = /^Requests\/sec:\s+([\d.]+)$/m.exec(stdout) ?? [];
  if (rate === undefined) throw new Error(`wrk said nothing of requests: ${stdout}`);
  return Number(rate);
}
