import { markLog } from './logMark.ts';

/** A worker of nginx that crashed, or that somebody killed. Its master has put another in its place at once. */
export type WorkerDeath = { worker: number; signal: number };

const LOOK_MS = 500;
// At the beginning of a line: what a visitor asked for may be quoted further on in one.
const DEATH = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[alert\] \d+#\d+: worker process (\d+) exited on signal (\d+)/gm;

/**
 * Tells of each worker that ends unexpectedly from now on, within about half a second. Those of a master that is gone
 * are told by nobody.
 * @param errorLog nginx's; it need not be there yet
 * @returns the way to stop
 */
export function watchWorkerDeaths(errorLog: string, onDeath: (death: WorkerDeath) => void): () => void {
  const log = markLog(errorLog);
  const look = (): void => {
    for (const [, worker, signal] of log.takeText().matchAll(DEATH)) {
      onDeath({ worker: Number(worker), signal: Number(signal) });
    }
  };
  const timer = setInterval(() => {
    try {
      look();
    } catch {
      // A log that was just moved away is there again at the next look.
    }
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
