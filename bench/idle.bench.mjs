import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { atMost, atMostTimes } from './support/figures.mjs';
import { newHome, startGateway } from './support/gateway.mjs';
import { processorMilliseconds, residentMegabytes } from './support/processes.mjs';
import { startProgram } from './support/programs.mjs';
import { seedNodes, seedServices } from './support/seed.mjs';

const SIZE = { nodes: 1000, services: 1000, domains: 50 };
/** What the start itself needs is not what the gateway needs when nothing happens. */
const SETTLE_MS = 10_000;
/** Backends are looked at every 30 s. */
const IDLE_MS = 30_000;
const MORE_MEMORY_MARK_MB = 60;
const PROCESSOR_MARK_PERCENT = 2;

/** What a gateway uses when nothing happens, next to an empty Hono server that has the same database open. */
export default async function measure() {
  const home = await newHome();
  const opened = [];
  try {
    const backend = await startProgram('backend.mjs', []);
    opened.push(backend);
    await seedServices(home, { ...SIZE, backendPort: backend.port });
    await seedNodes(home, SIZE.nodes);
    const gateway = await startGateway(home);
    opened.push(gateway);
    const bare = await startProgram('bareServer.mjs', [join(home.data, 'sallyport.db')]);
    opened.push(bare);
    await delay(SETTLE_MS);
    const before = processorMilliseconds(gateway.pid);
    await delay(IDLE_MS);
    const percent = ((processorMilliseconds(gateway.pid) - before) / IDLE_MS) * 100;
    const [value, against] = [residentMegabytes(gateway.pid), residentMegabytes(bare.pid)];
    const of = `with ${SIZE.nodes} nodes and ${SIZE.services} services`;
    const times = (against + MORE_MEMORY_MARK_MB) / against;
    return [
      atMostTimes(times, { name: `idle ${of}: resident memory`, unit: 'MB', value, against }),
      atMost(PROCESSOR_MARK_PERCENT, { name: `idle ${of}: processor`, unit: '% of a core', value: percent }),
    ];
  } finally {
    for (const one of opened.toReversed()) await one.stop();
    home.remove();
  }
}
