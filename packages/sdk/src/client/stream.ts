import type { StreamEndpoint } from '../contract/endpoint.ts';
import { ApiError } from './apiError.ts';
import { MOVED, type StreamSharing } from './streamSharing.ts';
import type { Outgoing, Transport } from './transport.ts';

/** Three heartbeats of the gateway: a connection that is silent for longer is dead. */
export const IDLE_TIMEOUT_MS = 45_000;
/** The largest event that is read, in characters. */
export const EVENT_MAX_CHARS = 4 * 1024 * 1024;

/** Where a stream stands: on its way, receiving, pausing before it tries again, or ended for good. */
export type StreamState = 'connecting' | 'open' | 'waiting' | 'closed';

/** What is known beside the state. */
export type StreamStateDetails = {
  /** Connections tried since the last one that opened; 1 for the first. */
  attempt: number;
  /**
   * The connection goes on after the last event that was read (`Last-Event-ID`). When false on `open`, the stream starts
   * from its beginning, also because the gateway does not know that event any more: what was shown before should be
   * cleared, and events may be missing in between.
   */
  resumed: boolean;
  /** Why the stream waits, or why it closed by itself. */
  error: ApiError | null;
};

/** How a stream is read. */
export type WatchOptions = {
  /** Ends the stream at once; the loop over it then ends without an error. */
  signal?: AbortSignal | undefined;
  /** Told about each change of the connection; `closed` comes once, at the end. */
  onState?: ((state: StreamState, details: StreamStateDetails) => void) | undefined;
  /** Milliseconds of silence after which the connection counts as dead, 45 000 unless given; null: never. */
  idleTimeoutMs?: number | null | undefined;
  /** The largest event that is read, in characters, 4 Mi unless given. */
  eventMaxChars?: number | undefined;
};

/**
 * The events of a stream, for one `for await` loop. Leaving the loop, however it happens, ends the request at once.
 * It reconnects by the contract's policy; an error that a new connection cannot mend is thrown.
 */
export type EventStream<T> = AsyncIterableIterator<T, void, undefined>;

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

/** A stream that is watched. */
export type Watched = Outgoing & { endpoint: StreamEndpoint };

/** How long a connection may be silent, and how large an event may be. */
export type StreamLimits = { idleTimeoutMs: number | null; eventMaxChars: number };

/** How a stream reaches its gateway: over a connection of its own, or one that the streams of a client share. */
export type StreamWay = { transport: Transport; sharing: StreamSharing | null };

/** Opens an event stream; nothing is sent before the first event is asked for. */
export function watch(
  way: StreamWay,
  outgoing: Watched,
  options: WatchOptions,
  failed: (error: ApiError) => void,
): EventStream<unknown> {
  const stop = new AbortController();
  const events = reconnecting(way, outgoing, options, failed, stop);
  let taken = false;
  return {
    next: () => events.next(),
    return: () => {
      stop.abort();
      return events.return();
    },
    [Symbol.asyncIterator]() {
      if (taken) throw new TypeError('A stream can be read once; open a second one');
      taken = true;
      return this;
    },
  };
}

async function* reconnecting(
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
        // A page that makes calls alone, such as the one that signs in, does without what reads streams.
        const { readConnection } = await import('./streamConnection.ts');
        if (stop.signal.aborted) return;
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
