import { writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { atMostTimes, percentile } from './support/figures.mjs';
import { newHome, signIn, startGateway } from './support/gateway.mjs';
import { inTurns, millisecondsOf } from './support/inTurns.mjs';
import { startProgram } from './support/programs.mjs';
import { seedNodes } from './support/seed.mjs';

const NODES = 1000;
const LENGTH = { warmUp: 2000, turns: 4000 };
const TIMES_MARK = 2.4;

/** How long a page of nodes takes, next to a Hono route that only has to send the same bytes. */
export default async function measure() {
  const home = await newHome();
  const opened = [];
  try {
    await seedNodes(home, NODES);
    opened.push(await startGateway(home));
    const { token } = await signIn(home);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const list = { agent, port: home.ports.listen, path: '/api/nodes?limit=10', token };
    const bytes = join(home.directory, 'page.json');
    writeFileSync(bytes, await bodyOf(list));
    const bare = await startProgram('bareServer.mjs', [join(home.data, 'sallyport.db'), bytes]);
    opened.push(bare);
    const same = { ...list, agent: new Agent({ keepAlive: true, maxSockets: 1 }), port: bare.port };
    if ((await bodyOf(list)) !== (await bodyOf(same))) throw new Error('the two do not answer the same');
    const times = await inTurns(LENGTH, {
      list: () => millisecondsOf(() => bodyOf(list)),
      same: () => millisecondsOf(() => bodyOf(same)),
    });
    const [value, against] = [percentile(times.list, 0.95), percentile(times.same, 0.95)];
    const name = `GET /api/nodes?limit=10 of ${NODES} nodes, 95th percentile`;
    return [atMostTimes(TIMES_MARK, { name, unit: 'ms', value, against })];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    home.remove();
  }
}

function bodyOf({ agent, port, path, token }) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'application/json' };
    get({ host: '127.0.0.1', port, path, agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
      let body = '';
      response.setEncoding('utf8').on('data', (part) => (body += part));
      response.on('end', () => resolve(body));
    }).on('error', reject);
  });
}
