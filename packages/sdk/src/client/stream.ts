import type { StreamEndpoint } from '../contract/endpoint.ts';
import type { ApiError } from './apiError.ts';
import type { StreamSharing } from './streamSharing.ts';
import type { Outgoing, Transport } from './transport.ts';

/** Three heartbeats of the gateway: a connection that is silent for longer is dead. */
export const IDLE_TIMEOUT_MS = 45_000;
/** The largest event that is read, in characters. */
export const EVENT_MAX_CHARS = 4 * 1024 * 1024;

/** Where a stream stands: on its way, receiving, pausing before it tries again, or ended for good. */
export type StreamState = 'connecting' | 'open' | 'waiting' | 'closed';

/** What is known next to the state. */
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
 * It reconnects by the contract's policy; an error that a new connection cannot fix is thrown.
 */
export interface EventStream<T> extends AsyncIterable<T> {
  /** Waits for the next event. */
  next(): Promise<IteratorResult<T, void>>;
  /** Ends the stream. */
  return(): Promise<IteratorResult<T, void>>;
  /** The stream itself, once. */
  [Symbol.asyncIterator](): EventStream<T>;
}

/** A stream that is watched. */
export type Watched = Outgoing & { endpoint: StreamEndpoint };

/** How long a connection may be silent, and how large an event may be. */
export type StreamLimits = { idleTimeoutMs: number | null; eventMaxChars: number };

/** How a stream reaches its gateway: over a connection of its own, or one that the streams of a client share. */
export type StreamWay = { transport: Transport; sharing: StreamSharing | null };
