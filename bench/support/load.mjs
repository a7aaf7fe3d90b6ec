import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { nginxProcesses } from '../../e2e/support/nginx.ts';
import { inTurns } from './figures.mjs';
import { within } from './programs.mjs';

const CONNECTIONS = 32;
/** Until all connections are there, each with some requests behind it: what is asked is what they carry, not how they began. */
const BEGUN_MS = 400;
/** A gateway reads its log twice a second: that counts for the server whose requests they were, and for no other. */
const SETTLED_MS = 200;
const LED_MS = 500;
/** No longer, because a machine changes its speed within seconds, by more than what is asked: many short turns tell them apart. */
const MEASURED_MS = 1000;
/** From turn to turn a ratio differs by 5 %, the middle of so many by less than 1 %. Connections are made again each round. */
const ROUNDS = 24;
const TURNS = 3;
/** How often the load generator is asked to end until it does. */
const ASKED_MS = 100;
/** Longer than a round, and than any pause: the load generator takes one for an answer that does not come. */
const LIMIT_SECONDS = 600;

/** Whether the load generator is there. */
export const hasWrk = () => spawnSync('wrk', ['--version']).error === undefined;

/**
 * @typedef {object} Target
 * @property {number} port
 * @property {string} host
 * @property {string} path
 * @property {string} data directory of the nginx behind the port
 * @property {{ served: () => Promise<number> }} backend is asked what it has answered
 * @property {import('../../e2e/support/namespaces.ts').Namespace} [namespace] the network whose loopback the port is on
 */

/**
 * Requests a second that are answered on kept connections, of several servers in turns. While one is asked, the clients
 * of the others pause, and keep their connections.
 * @template {string} Name
 * @param {Record<Name, Target>} targets
 * @returns {Promise<Record<Name, number[]>>} a number for each turn
 */
export async function requestsPerSecond(targets) {
  const entries = /** @type {[Name, Target][]} */ (Object.entries(targets));
  /** @type {Record<string, number[]>} */
  const rates = Object.fromEntries(entries.map(([name]) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    const loads = [];
    try {
      /** @type {Record<string, () => Promise<number>>} */
      const measures = {};
      for (const [name, target] of round % 2 === 0 ? entries : entries.toReversed()) {
        const load = await openLoad(target);
        loads.push(load);
        measures[name] = load.rate;
      }
      const measured = await inTurns({ warmUp: 0, turns: TURNS }, measures);
      for (const [name] of entries) rates[name]?.push(...(measured[name] ?? []));
    } finally {
      await Promise.all(loads.map((load) => load.close()));
    }
  }
  return rates;
}

/**
 * Visitors of one server, who pause until they are measured; each of its workers has as many as the others. Left to
 * themselves, 32 connections that come at once go half and half or all to one worker, as the processors happen to be
 * busy, and always the same way with one server: that would make up to 5 % of difference.
 * @param {Target} target
 */
async function openLoad(target) {
  const workers =
    nginxProcesses(target.data)
      ?.workers.filter(({ closing }) => !closing)
      .map(({ pid }) => pid) ?? [];
  if (workers.length === 0) throw new Error(`the nginx of ${target.data} has no worker`);
  const visitors = [];
  const close = () => Promise.all(visitors.map((one) => one.close()));
  try {
    for (const worker of workers) {
      const others = workers.filter((other) => other !== worker);
      visitors.push(await without(others, () => openVisitors(target, Math.ceil(CONNECTIONS / workers.length))));
    }
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async rate() {
      await delay(SETTLED_MS);
      for (const one of visitors) one.go();
      await delay(LED_MS);
      const rate = await servedPerSecond(target.backend);
      for (const one of visitors) one.pause();
      return rate;
    },
    close,
  };
}

/**
 * Does something while no worker but one takes connections.
 * @template T
 * @param {number[]} others the other ones
 * @param {() => Promise<T>} action
 */
async function without(others, action) {
  try {
    for (const pid of others) process.kill(pid, 'SIGSTOP');
    return await action();
  } finally {
    for (const pid of others) process.kill(pid, 'SIGCONT');
  }
}

/**
 * @param {Target} target
 * @param {number} connections
 */
async function openVisitors({ port, host, path, namespace }, connections) {
  const url = `https://127.0.0.1:${port}${path}`;
  const limit = `${LIMIT_SECONDS}s`;
  const args = ['-t1', `-c${connections}`, `-d${limit}`, '--timeout', limit, '-H', `Host: ${host}`, url];
  // Paused, it would outlive a benchmark that is broken off.
  const [program, ...words] = within(namespace, 'setpriv', '--pdeathsig', 'KILL', 'wrk', ...args);
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part) => (output += part));
  const ended = once(child, 'close');
  await delay(BEGUN_MS);
  child.kill('SIGSTOP');
  return {
    go: () => child.kill('SIGCONT'),
    pause: () => child.kill('SIGSTOP'),
    async close() {
      child.kill('SIGCONT');
      // More than one: any of its threads may take it, and only the main one is woken by it.
      const asking = setInterval(() => child.kill('SIGINT'), ASKED_MS);
      await ended;
      clearInterval(asking);
      const failed = /Non-2xx or 3xx responses: \d+|Socket errors: .*/.exec(output)?.[0];
      if (failed !== undefined || !output.includes('Requests/sec')) {
        throw new Error(`https://${host}${path}: ${failed ?? 'the load generator ended early'}`);
      }
    },
  };
}

/** What the backend answers within a moment that begins now. */
async function servedPerSecond(backend) {
  const [first, begin] = [await backend.served(), performance.now()];
  await delay(MEASURED_MS);
  const [last, end] = [await backend.served(), performance.now()];
  return ((last - first) * 1000) / (end - begin);
}
