import type { StreamState, StreamStateDetails, WatchOptions } from '@sallyport/sdk';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useConnection } from './connection.ts';

type OpenStream<E> = (options: WatchOptions) => AsyncIterable<E>;

type StreamHandlers<E> = {
  onEvent: (event: E) => void;
  onState?: ((state: StreamState, details: StreamStateDetails) => void) | undefined;
};

/**
 * Follows a stream of the gateway while the component is on the screen. `key` says what is followed: another key is
 * another stream, null is none for now. A stream that has ended for good is `closed` until `resume` is called.
 */
export function useStream<E>(key: string | null, open: OpenStream<E>, handlers: StreamHandlers<E>) {
  const { fail } = useConnection();
  const [state, setState] = useState<StreamState>('connecting');
  const [attempt, setAttempt] = useState(0);
  const latest = useRef({ open, handlers });
  useEffect(() => {
    latest.current = { open, handlers };
  });

  useEffect(() => {
    if (key === null) return undefined;
    const leaving = new AbortController();
    const onState = (next: StreamState, details: StreamStateDetails) => {
      if (leaving.signal.aborted) return;
      setState(next);
      latest.current.handlers.onState?.(next, details);
    };
    const follow = async () => {
      try {
        for await (const event of latest.current.open({ signal: leaving.signal, onState })) {
          latest.current.handlers.onEvent(event);
        }
      } catch (error) {
        if (!leaving.signal.aborted) fail(error, { tell: false });
      }
    };
    void follow();
    return () => leaving.abort();
  }, [key, attempt, fail]);

  const resume = useCallback(() => setAttempt((count) => count + 1), []);
  return { state, resume };
}
