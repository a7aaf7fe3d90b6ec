import { useCallback, useMemo, useRef, useState } from 'react';

/** So near to the end the panel counts as being there. */
const END_PX = 4;

/** The line at the upper edge of the panel, and how much of it is above that edge. */
export type Anchor = { id: number; hiddenPx: number };

/** Whether the panel follows the end of the log, and where it stands when it does not. */
export type Following = {
  /** For drawing. */
  active: boolean;
  /** For whoever acts between two drawings. */
  isActive: () => boolean;
  start: () => void;
  stop: () => void;
  /** Call with the scroll event of the panel. Only a move of the reader's own ends the following. */
  scrolled: (panel: HTMLElement) => void;
  /** Call when the panel was moved by the console itself. */
  moved: (panel: HTMLElement) => void;
  /** What stays in its place while lines come and go; null: nothing is known yet. */
  anchor: { current: Anchor | null };
};

export function useFollowing(onStop: () => void): Following {
  const [active, setActive] = useState(true);
  const now = useRef(true);
  const last = useRef({ top: 0, height: 0 });
  const anchor = useRef<Anchor | null>(null);

  const start = useCallback(() => {
    now.current = true;
    anchor.current = null;
    setActive(true);
  }, []);
  const stop = useCallback(() => {
    if (now.current) onStop();
    now.current = false;
    setActive(false);
  }, [onStop]);
  const moved = useCallback(({ scrollTop, scrollHeight }: HTMLElement) => {
    last.current = { top: scrollTop, height: scrollHeight };
  }, []);
  const scrolled = useCallback(
    (panel: HTMLElement) => {
      const { scrollTop, scrollHeight, clientHeight } = panel;
      const { top, height } = last.current;
      const isAtEnd = scrollHeight - scrollTop - clientHeight <= END_PX;
      // A list that became shorter moves by itself.
      if (now.current && !isAtEnd && scrollTop < top && scrollHeight >= height) stop();
      else if (!now.current && isAtEnd && scrollTop >= top) start();
      moved(panel);
    },
    [start, stop, moved],
  );
  return useMemo(
    () => ({ active, isActive: () => now.current, start, stop, scrolled, moved, anchor }),
    [active, start, stop, scrolled, moved],
  );
}
