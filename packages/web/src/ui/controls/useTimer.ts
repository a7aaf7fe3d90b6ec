import { useEffect, useMemo, useRef } from 'react';

type Timer = {
  /** Runs the action after so many milliseconds, in place of whatever was waiting. */
  start: (action: () => void, delayMs: number) => void;
  stop: () => void;
};

/** One timer that ends with the component. */
export function useTimer(): Timer {
  const handle = useRef<ReturnType<typeof setTimeout>>(undefined);
  const timer = useMemo<Timer>(
    () => ({
      start(action, delayMs) {
        clearTimeout(handle.current);
        handle.current = setTimeout(action, delayMs);
      },
      stop: () => clearTimeout(handle.current),
    }),
    [],
  );
  useEffect(() => timer.stop, [timer]);
  return timer;
}
