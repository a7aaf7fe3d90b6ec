import { Agent } from 'node:https';
import { duration } from './report.ts';
import { visit } from './visit.ts';

/** What became of the requests of a load. */
export type Toll = { asked: number; lost: string[]; lostOnReused: number };

/** Requests that follow each other without a pause, by several clients, until it is stopped. */
export type Load = { stop(): Promise<Toll> };

/** @param reuse whether each client keeps its connection for as long as it may, or opens a new one for each request */
export function startLoad(options: { port: number; url: string; body: string; clients: number; reuse: boolean }): Load {
  const { port, url, body, clients, reuse } = options;
  const toll: Toll = { asked: 0, lost: [], lostOnReused: 0 };
  let running = true;

  const ask = async (): Promise<void> => {
    const agent = reuse && new Agent({ keepAlive: true, maxSockets: 1 });
    while (running) {
      const begin = performance.now();
      const answer = await visit(port, url, agent);
      toll.asked += 1;
      if (answer.status === 200 && answer.body === body) continue;
      toll.lost.push(`${answer.status} after ${duration(performance.now() - begin)}: ${answer.body.slice(0, 80)}`);
      if (answer.reused) toll.lostOnReused += 1;
    }
    if (agent !== false) agent.destroy();
  };

  const asking = Promise.all(Array.from({ length: clients }, ask));
  return {
    async stop() {
      running = false;
      await asking;
      return toll;
    },
  };
}
