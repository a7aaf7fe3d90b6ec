import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { accessLine, openAccessLog } from './support/accessLog.mjs';
import { atLeast } from './support/figures.mjs';
import { withGateway } from './support/gateway.mjs';
import { readLog } from './support/programs.mjs';

const LINES = 1_000_000;
/** nginx writes its buffer of 32 kB at once. */
const LINES_AT_ONCE = 170;
/** So many lines may be on their way, two seconds of what is wanted: visitors wait for a backend, not for a reader of the log. */
const ON_THEIR_WAY = 200_000;
const POLL_MS = 50;
const LIMIT_MS = 60_000;
const STORED_MARK = 150_000;
const AT_BOUND_MARK = 100_000;
const READ_MARK = 100_000;

/**
 * How many lines a second get from nginx's log into the database, below the bound of a log and at it, and through the
 * gateway to a program with the SDK's client; none is lost.
 */
async function log() {
  const stored = await measureWith({ SALLYPORT_LOG_HISTORY_MB: '1000' }, linesStored);
  const bounded = await measureWith({ SALLYPORT_LOG_HISTORY_MB: '1' }, linesStored);
  const read = await measureWith({}, linesRead);
  const unit = 'lines/s';
  return [
    atLeast(STORED_MARK, { name: "lines from nginx's log stored, none lost", unit, value: stored }),
    atLeast(AT_BOUND_MARK, { name: 'the same while the oldest are dropped', unit, value: bounded }),
    atLeast(READ_MARK, { name: "lines from nginx's log to a reader with the SDK, none lost", unit, value: read }),
  ];
}

/** @returns lines a second, of a gateway with these settings and one service */
function measureWith(env, work) {
  return withGateway({ env }, async (trial) => {
    const { gateway, client, backend, opened } = trial;
    const body = { name: 'logged', domain: 'app.example.test', backendHost: '127.0.0.1', backendPort: backend.port };
    const { id: service } = await client.httpService.create({ params: { nodeId: 1 }, body });
    const page = await client.domain.list({ query: { limit: 1 } });
    const accessLog = openAccessLog(gateway.data);
    opened.push(accessLog);
    return work({ ...trial, accessLog, ids: { service, domain: page.data[0]?.id ?? 0 } });
  });
}

/** Writes lines as nginx does; `done` says how many have arrived. @returns lines a second */
async function perSecond({ accessLog, ids }, done) {
  let written = 0;
  let arrived = 0;
  const begin = performance.now();
  while (arrived < LINES) {
    while (written < LINES && written - arrived < ON_THEIR_WAY) {
      const numbers = Array.from({ length: Math.min(LINES_AT_ONCE, LINES - written) }, (_, index) => written + index);
      accessLog.write(numbers.map((number) => accessLine(number, ids)));
      written += numbers.length;
    }
    arrived = await within(LIMIT_MS, done());
  }
  return LINES / ((performance.now() - begin) / 1000);
}

/** What is in the database is looked at from outside, by its own table. */
function linesStored(trial) {
  const path = join(trial.gateway.data, 'logs', 'lines.db');
  if (!existsSync(path)) throw new Error(`there is no ${path}`);
  const database = new Sqlite(path, { readonly: true });
  trial.opened.push({ stop: () => database.close() });
  const count = database.prepare('select lines from logs where name = ?').pluck();
  return perSecond(trial, async () => {
    await delay(POLL_MS);
    return count.get(`http/${trial.ids.service}`) ?? 0;
  });
}

async function linesRead(trial) {
  const reader = await readLog(trial.gateway, trial.token, trial.ids.service);
  trial.opened.push(reader);
  return perSecond(trial, reader.count);
}

/** Fails when a promise takes too long: a line that was lost never comes. */
async function within(limitMs, promise) {
  const { promise: late, reject } = Promise.withResolvers();
  const timer = setTimeout(() => reject(new Error(`no line for ${limitMs / 1000} s`)), limitMs);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

export default { log };
