import { once } from 'node:events';
import { createServer } from 'node:net';

// Below those from which Linux takes one for each connection and for anyone who asks for any: a port that is free now is
// still free when the program under test binds it. Each worker of Vitest and Playwright has ports of its own.
const FIRST_PORT = 22_000;
const PORTS_EACH = 1700;
const MOST_WORKERS = 6;

const ofVitest = Number(process.env['VITEST_POOL_ID'] ?? 1) - 1;
const worker = Number(process.env['TEST_PARALLEL_INDEX'] ?? ofVitest) % MOST_WORKERS;
// Elsewhere each time: another run on this machine, and connections that are still ending, stay out of the way.
let next = Math.floor(Math.random() * PORTS_EACH);

/** As many different ports as asked for that no one listens on, and that no other test is given. */
export async function freePorts(count: number): Promise<number[]> {
  const found: number[] = [];
  for (let tried = 0; tried < PORTS_EACH && found.length < count; tried += 1) {
    const port = take();
    if (await isFree(port)) found.push(port);
  }
  if (found.length < count) throw new Error(`There are no ${count} free ports.`);
  return found;
}

/** The same, in a row. */
export async function freeRange(count: number): Promise<{ from: number; to: number }> {
  let from = next;
  let length = 0;
  for (let tried = 0; tried < PORTS_EACH; tried += 1) {
    const port = take();
    if (length === 0 || port !== from + length) [from, length] = [port, 0];
    length = (await isFree(port)) ? length + 1 : 0;
    if (length === count) return { from, to: port };
  }
  throw new Error(`There are no ${count} free ports in a row.`);
}

function take(): number {
  const port = FIRST_PORT + worker * PORTS_EACH + next;
  next = (next + 1) % PORTS_EACH;
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port);
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
