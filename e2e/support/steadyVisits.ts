import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { ChildProcess } from 'node:child_process';

/** Visits that go on next to what a test does. */
export type SteadyVisits = {
  /** Waits until so many more are over, well or not. */
  more(count: number): Promise<void>;
  /** Ends them, and tells what came of all. */
  end(): Promise<{ sent: number; failed: number; reasons: Record<string, unknown> }>;
};

/**
 * Follows a visitor's steady visits.
 * @param child `visitor.mjs steady`, which says a dot for each visit that is over
 * @returns once the first of them is: it takes a process a while to begin
 */
export async function startSteadyVisits(child: ChildProcess): Promise<SteadyVisits> {
  if (child.stdout === null) throw new Error('The output of the visits is not piped.');
  const closed = once(child, 'close');
  const lines = createInterface(child.stdout);
  let over = 0;
  let told = '';
  lines.on('line', (line) => {
    if (line === '.') over += 1;
    else told = line;
  });
  const more = async (count: number): Promise<void> => {
    const wanted = over + count;
    while (over < wanted) {
      await Promise.race([
        once(lines, 'line'),
        closed.then(() => {
          throw new Error('The visits have ended by themselves.');
        }),
      ]);
    }
  };
  await more(1);
  return {
    more,
    async end() {
      child.stdin?.end();
      await closed;
      return JSON.parse(told) as Awaited<ReturnType<SteadyVisits['end']>>;
    },
  };
}
