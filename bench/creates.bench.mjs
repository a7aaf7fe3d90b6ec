import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { atLeast, explained } from './support/figures.mjs';
import { newHome, signIn, startGateway, visit } from './support/gateway.mjs';
import { startProgram } from './support/programs.mjs';
import { backendHostOf, placeOf } from './support/seed.mjs';

const CLIENTS = 64;
const CREATES_BY_EACH = 20;
const CREATES = CLIENTS * CREATES_BY_EACH;
const DOMAINS = 50;
/** One in so many is visited as soon as it is answered: looking at each would measure the visitor. */
const VISITED_ONE_IN = 16;
const PER_SECOND_MARK = 200;

const REASON =
  'a create takes about 5 million instructions in the gateway, 4 in nginx and 5 in the clients next to it, on the same two cores; not every crowd of 64 is complete when its generation is made';

/** How many services a second 64 clients can make, each one on disk and served before its answer. */
export default async function measure() {
  const home = await newHome();
  const opened = [];
  try {
    const backend = await startProgram('backend.mjs', []);
    opened.push(backend);
    const gateway = await startGateway(home);
    opened.push({ stop: gateway.kill });
    const { client } = await signIn(home);
    // A domain's key and certificate are made by openssl, which is not what is measured.
    for (let index = 0; index < DOMAINS; index += 1) {
      await client.domain.create({ body: { domain: placeOf(index, DOMAINS).domain, skipValidation: true } });
    }
    let next = 0;
    const begin = performance.now();
    const work = async () => {
      for (let index = next++; index < CREATES; index = next++) {
        const place = placeOf(index, DOMAINS);
        const body = {
          name: `service ${index}`,
          ...place,
          backendHost: backendHostOf(index),
          backendPort: backend.port,
        };
        await client.httpService.create({ params: { nodeId: 1 }, body });
        if (index % VISITED_ONE_IN === 0) await mustBeServed(home, place);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, work));
    const value = CREATES / ((performance.now() - begin) / 1000);
    await opened.pop()?.stop();
    mustBeOnDisk(home);
    const name = `services made by ${CLIENTS} clients at once, each on disk and served`;
    return [explained(atLeast(PER_SECOND_MARK, { name, unit: 'creates/s', value }), REASON)];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    home.remove();
  }
}

async function mustBeServed(home, { domain, pathLocation }) {
  const { status } = await visit(home, domain, pathLocation);
  if (status !== 200) throw new Error(`https://${domain}${pathLocation} answered ${status} although it was made`);
}

/** The gateway was killed, so what is there now was there when it answered. */
function mustBeOnDisk({ data }) {
  const database = new Sqlite(join(data, 'sallyport.db'));
  const found = database.prepare('select count(*) from http_services where not builtin').pluck().get();
  database.close();
  if (found !== CREATES) throw new Error(`${CREATES} services were made and ${found} are in the database`);
}
