/** Runs something again after a while, and each time later. @param limits milliseconds */
export function createBackoff(run: () => void, limits: { min: number; max: number }) {
  let timer: NodeJS.Timeout | null = null;
  let delay = limits.min;
  let stopped = false;
  const cancel = (): boolean => {
    if (timer === null) return false;
    clearTimeout(timer);
    timer = null;
    return true;
  };
  const later = (): void => {
    if (timer !== null || stopped) return;
    timer = setTimeout(() => {
      timer = null;
      run();
    }, delay);
    timer.unref();
    delay = Math.min(delay * 2, limits.max);
  };
  return {
    /** Runs it once, after the present delay, and doubles the delay. Nothing new while one is waiting. */
    later,
    /** The next delay is the shortest again, also for one that is waiting. */
    reset(): void {
      delay = limits.min;
      if (cancel()) later();
    },
    /** Gives up the one that is waiting, and every later one. */
    stop(): void {
      stopped = true;
      cancel();
    },
  };
}

export type Backoff = ReturnType<typeof createBackoff>;
