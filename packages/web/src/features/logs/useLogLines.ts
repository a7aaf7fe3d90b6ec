import { LogBuffer, type BufferedLine } from '@sallyport/sdk';
import type { LogQuery } from '@sallyport/sdk/contract';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useConnection } from '../../data/connection.ts';
import { useStream } from '../../data/useStream.ts';

/** What the panel shows: the lines, oldest first, and which of them are the console's own remarks. */
export type LogView = { lines: readonly BufferedLine[]; remarks: ReadonlySet<number> };

/**
 * Follows a log. Lines go into a ring of 1000 as they come and are handed out once a frame, so that however many come
 * the screen is drawn at most once for each frame.
 */
export function useLogLines(query: LogQuery) {
  const { client } = useConnection();
  const buffer = useRef(new LogBuffer());
  const remarks = useRef(new Set<number>());
  const frame = useRef<number | null>(null);
  const broken = useRef(false);
  const [view, setView] = useState<LogView>({ lines: [], remarks: remarks.current });

  const paint = useCallback(() => {
    frame.current ??= requestAnimationFrame(() => {
      frame.current = null;
      setView({ lines: buffer.current.snapshot(), remarks: remarks.current });
    });
  }, []);
  useEffect(
    () => () => {
      if (frame.current !== null) cancelAnimationFrame(frame.current);
      frame.current = null;
    },
    [],
  );

  const remark = (text: string) => {
    buffer.current.append([text]);
    const id = buffer.current.snapshot().at(-1)?.id;
    if (id !== undefined) remarks.current = new Set(remarks.current).add(id);
  };

  const { state, resume } = useStream(JSON.stringify(query), (options) => client.log.watch({ query }, options), {
    onEvent(lines) {
      buffer.current.append(lines);
      paint();
    },
    onState(next, { resumed }) {
      if (next === 'waiting') broken.current = true;
      if (next !== 'open') return;
      // A stream that does not go on where it stopped begins with its history, which is shown already.
      if (!resumed) buffer.current.clear();
      if (broken.current) remark('Connection lost and found again; lines in between may be missing.');
      broken.current = false;
      paint();
    },
  });
  return { view, state, resume };
}
