import { useCallback, useMemo, useRef, useState } from 'react';

/** So near to the end the panel counts as being there. */
const END_PX = 4;

const isAtEndOf = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight <= END_PX;

/** The line at the upper edge of the panel, and how much of it is above that edge. */
export type Anchor = { id: number; hiddenPx: number };

/** Whether the panel follows the end of the log, and where it stands when it does not. */
export type Following = ReturnType<typeof useFollowing>;

export function useFollowing(onStop: () => void) {
  const [active, setActive] = useState(true);
  const [atEnd, setAtEnd] = useState(true);
  const now = useRef(true);
  // The console itself left the end, to show a match; being there is no wish to follow it.
  const held = useRef(false);
  const last = useRef({ top: 0, height: 0 });
  // What stays in its place while lines come and go; null: nothing is known yet.
  const anchor = useRef<Anchor | null>(null);

  const start = useCallback(() => {
    now.current = true;
    held.current = false;
    anchor.current = null;
    setActive(true);
  }, []);
  const stop = useCallback(() => {
    if (now.current) onStop();
    now.current = false;
    held.current = true;
    setActive(false);
  }, [onStop]);
  /** Call when the panel was moved by the console itself. */
  const moved = useCallback((panel: HTMLElement) => {
    last.current = { top: panel.scrollTop, height: panel.scrollHeight };
    setAtEnd(isAtEndOf(panel));
  }, []);
  /** Call when the reader uses wheel, finger, pointer or keys; `upwards`: to get away from the end. */
  const used = useCallback(
    ({ scrollTop }: HTMLElement, upwards: boolean) => {
      // The next lines come before the panel has moved visibly, and would take it back to the end.
      if (upwards && scrollTop > 0) stop();
      held.current = false;
    },
    [stop],
  );
  /** Call with the scroll event of the panel. Only a move of the reader's own ends or starts the following. */
  const scrolled = useCallback(
    (panel: HTMLElement) => {
      const { scrollTop, scrollHeight } = panel;
      const { top, height } = last.current;
      const isAtEnd = isAtEndOf(panel);
      // A list that became shorter moves by itself.
      if (now.current && !isAtEnd && scrollTop < top && scrollHeight >= height) stop();
      else if (!now.current && !held.current && isAtEnd && scrollTop > top) start();
      moved(panel);
    },
    [start, stop, moved],
  );
  return useMemo(
    // `active` is for drawing, `isActive` for anyone who acts between two drawings. `atEnd`: the last line is in view.
    () => ({ active, atEnd, isActive: () => now.current, start, stop, used, scrolled, moved, anchor }),
    [active, atEnd, start, stop, used, scrolled, moved],
  );
}
