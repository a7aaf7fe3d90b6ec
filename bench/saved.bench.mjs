import { atMost, atMostTimes, explained, percentile } from './support/figures.mjs';
import { newHome, signIn, startGateway, visit } from './support/gateway.mjs';
import { inTurns, millisecondsOf } from './support/inTurns.mjs';
import { startProgram } from './support/programs.mjs';
import { backendHostOf, placeOf, seedServices } from './support/seed.mjs';
import { startReference } from './support/reference.mjs';

const SIZE = { services: 2000, domains: 50 };
const LENGTH = { warmUp: 3, turns: 40 };
const TIMES_MARK = 1.5;
const MARK_MS = 300;

const REASON =
  'nginx reads its whole configuration for each change, 2000 locations among them, which takes 100 million instructions of its own and 76 of the kernel; the gateway adds 150 million, most of them to read the rows, to write the text and to collect garbage';

/** How long it takes until a service that is saved can be visited, next to what nginx alone needs. */
export default async function measure() {
  const home = await newHome();
  const opened = [];
  try {
    const backend = await startProgram('backend.mjs', []);
    opened.push(backend);
    await seedServices(home, { ...SIZE, backendPort: backend.port });
    opened.push(await startGateway(home));
    const { client } = await signIn(home);
    const reference = await startReference(home);
    opened.push(reference);
    const save = async (turn) => {
      const index = SIZE.services + turn;
      const place = placeOf(index, SIZE.domains);
      const body = { name: `saved ${turn}`, ...place, backendHost: backendHostOf(index), backendPort: backend.port };
      await client.httpService.create({ params: { nodeId: 1 }, body });
      const { body: answer } = await visit(home, place.domain, place.pathLocation);
      if (answer !== `backend ${place.pathLocation}`) throw new Error(`${place.domain} answered ${answer}`);
    };
    const times = await inTurns(LENGTH, {
      saved: (turn) => millisecondsOf(() => save(turn)),
      alone: () => millisecondsOf(reference.renew),
    });
    const [value, against] = [percentile(times.saved, 0.95), percentile(times.alone, 0.95)];
    const name = `a service saved until it is reached, of ${SIZE.services} on ${SIZE.domains} domains, 95th percentile`;
    return [
      atMostTimes(TIMES_MARK, { name: `${name}, next to nginx -t and a reload`, unit: 'ms', value, against }),
      explained(atMost(MARK_MS, { name, unit: 'ms', value }), REASON),
    ];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    home.remove();
  }
}
