import { accessLine, openAccessLog } from './support/accessLog.mjs';
import { atLeast } from './support/figures.mjs';
import { newHome, signIn, startGateway } from './support/gateway.mjs';
import { readLog } from './support/readLog.mjs';

const LINES = 1_000_000;
/** nginx writes its buffer of 32 kB at once. */
const LINES_AT_ONCE = 170;
/** So many lines may be on their way: visitors wait for a backend, not for whoever reads the log. */
const ON_THEIR_WAY = 40_000;
const LIMIT_MS = 60_000;
const PER_SECOND_MARK = 100_000;

/** How many lines a second get from nginx's log through the gateway to a program with the SDK's client; none is lost. */
export default async function measure() {
  const home = await newHome();
  /** @type {{ stop(): unknown }[]} */
  const opened = [];
  try {
    opened.push(await startGateway(home));
    const { client, token } = await signIn(home);
    const body = { name: 'logged', domain: 'app.example.test', backendHost: '127.0.0.1', backendPort: 1 };
    const { id: service } = await client.httpService.create({ params: { nodeId: 1 }, body });
    const page = await client.domain.list({ query: { limit: 1 } });
    const domain = page.data[0]?.id ?? 0;
    const reader = await readLog(home, token, service);
    opened.push(reader);
    const log = openAccessLog(home);
    opened.push(log);
    const value = await linesPerSecond(log, reader, { service, domain });
    const name = "lines from nginx's log to a reader with the SDK, none lost";
    return [atLeast(PER_SECOND_MARK, { name, unit: 'lines/s', value })];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    home.remove();
  }
}

async function linesPerSecond(log, reader, ids) {
  let written = 0;
  let read = 0;
  const begin = performance.now();
  while (read < LINES) {
    while (written < LINES && written - read < ON_THEIR_WAY) {
      const numbers = Array.from({ length: Math.min(LINES_AT_ONCE, LINES - written) }, (_, index) => written + index);
      log.write(numbers.map((number) => accessLine(number, ids)));
      written += numbers.length;
    }
    read = await within(LIMIT_MS, reader.count());
  }
  return LINES / ((performance.now() - begin) / 1000);
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
