import type { Clock } from './ports.ts';

/** The longest time that a timer of Node can be set to. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The machine's own clock. Its alarms do not keep the process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  wake(at, ring) {
    let timer: NodeJS.Timeout;
    const set = (): void => {
      const waitMs = Math.max(0, at.getTime() - Date.now());
      timer = setTimeout(waitMs > TIMER_MAX_MS ? set : ring, Math.min(waitMs, TIMER_MAX_MS));
      timer.unref();
    };
    set();
    return () => clearTimeout(timer);
  },
};
