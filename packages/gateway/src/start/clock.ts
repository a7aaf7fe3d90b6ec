import type { Clock } from '../world.ts';

/** Timers stand still while the machine sleeps and know nothing of a clock that is set, so it is looked at now and then. */
const LOOK_MS = 60_000;

/** The machine's own clock. Its alarms do not keep the process alive. */
export const systemClock: Clock = {
  now: () => new Date(),
  wake(at, ring) {
    let timer: NodeJS.Timeout;
    const set = (): void => {
      const waitMs = Math.max(0, at.getTime() - Date.now());
      timer = setTimeout(waitMs > LOOK_MS ? set : ring, Math.min(waitMs, LOOK_MS));
      timer.unref();
    };
    set();
    return () => clearTimeout(timer);
  },
};
