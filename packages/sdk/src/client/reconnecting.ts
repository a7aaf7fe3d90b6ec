import { ApiError } from './apiError.ts';
import {
  EVENT_MAX_CHARS,
  IDLE_TIMEOUT_MS,
  type StreamState,
  type StreamWay,
  type Watched,
  type WatchOptions,
} from './stream.ts';
import { readConnection } from './streamConnection.ts';
import { MOVED } from './streamSharing.ts';

/** Whether a new connection may succeed where this one failed. 501 stays so until the gateway is updated. */
const isPassing = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.kind === 'unreachable' || (error.kind === 'server' && error.status !== 501));

/** Waits; ends early, without an error, when the signal is aborted. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });

/** The events of a stream, over one connection after the other. */
export async function* reconnecting(
  way: StreamWay,
  outgoing: Watched,
  options: WatchOptions,
  failed: (error: ApiError) => void,
  stop: AbortController,
): AsyncGenerator<unknown, void, undefined> {
  const { reconnectMs } = outgoing.endpoint;
  const { signal, onState, idleTimeoutMs = IDLE_TIMEOUT_MS, eventMaxChars = EVENT_MAX_CHARS } = options;
  const limits = { idleTimeoutMs, eventMaxChars };
  if (signal?.aborted) return;
  const follow = () => stop.abort();
  signal?.addEventListener('abort', follow, { once: true });
  const position = { lastEventId: '' };
  let attempt = 0;
  let failure: ApiError | null = null;
  let hasMoved = false;
  const tell = (state: StreamState) =>
    onState?.(state, { attempt, resumed: position.lastEventId !== '', error: failure });
  try {
    while (!stop.signal.aborted) {
      attempt += 1;
      if (!hasMoved) tell('connecting');
      hasMoved = false;
      try {
        yield* readConnection(way, outgoing, limits, stop.signal, position, () => {
          failure = null;
          tell('open');
          attempt = 0;
        });
      } catch (error) {
        if (stop.signal.aborted) return;
        hasMoved = error === MOVED;
        if (hasMoved) continue;
        if (error instanceof ApiError) failure = error;
        if (reconnectMs === null || !isPassing(error)) {
          if (failure) failed(failure);
          throw error;
        }
        tell('waiting');
        await pause(reconnectMs, stop.signal);
      }
    }
  } finally {
    signal?.removeEventListener('abort', follow);
    tell('closed');
  }
}
