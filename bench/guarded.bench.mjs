import { startFastBackend } from './support/handwritten.mjs';
import { atLeastTimes, explained, middleTurn, notMeasured } from './support/figures.mjs';
import { newHome, nginxPidFile, signIn, startGateway } from './support/gateway.mjs';
import { readLog } from './support/readLog.mjs';
import { hasWrk, requestsPerSecond } from './support/wrk.mjs';

const NETWORKS = 1000;
const TIMES_MARK = 0.9;
const REASON =
  'the list alone costs 2 in a hundred, and each line on its way to the reader, who shares the processors with nginx, 5; one turn differs from the next by as much';
const PLAIN = 'plain.example.test';
const GUARDED = 'guarded.example.test';

/** What it costs a service that its visitors are checked against a long list and that somebody watches its log. */
export default async function measure() {
  if (!hasWrk()) {
    const name = 'HTTPS with a block list and its log watched';
    return [notMeasured(TIMES_MARK, { name, unit: 'requests/s', reason: 'wrk is missing' })];
  }
  const home = await newHome();
  const opened = [];
  try {
    const backend = await startFastBackend();
    opened.push(backend, await startGateway(home));
    const { client, token } = await signIn(home);
    const create = async (domain, more) => {
      const body = { name: domain, domain, backendHost: '127.0.0.1', backendPort: backend.port, ...more };
      return (await client.httpService.create({ params: { nodeId: 1 }, body })).id;
    };
    await create(PLAIN, {});
    const guarded = await create(GUARDED, { blockedIps: networks() });
    const reader = await readLog(home, token, guarded);
    opened.push(reader);
    const target = { port: home.ports.https, pidFile: nginxPidFile(home), path: '/', backend };
    // The reader reads the guarded service alone: when it is the other's turn, it has nothing to do.
    const rates = await requestsPerSecond({
      plain: { ...target, host: PLAIN },
      guarded: { ...target, host: GUARDED },
    });
    if ((await reader.count()) === 0) throw new Error('the reader of the log got nothing');
    const name = `HTTPS with a block list of ${NETWORKS} networks and its log watched, next to the same without`;
    const figure = { name, unit: 'requests/s', ...middleTurn(rates.guarded, rates.plain) };
    return [explained(atLeastTimes(TIMES_MARK, figure), REASON)];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    home.remove();
  }
}

/** None of them is the visitor's, so all are looked at. */
const networks = () =>
  Array.from({ length: NETWORKS }, (_, index) => `198.${18 + Math.floor(index / 256)}.${index % 256}.0/24`);
