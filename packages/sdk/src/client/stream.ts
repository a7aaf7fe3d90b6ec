import { PAGES_TYPE, STREAM_RESTARTED_HEADER, type StreamEndpoint } from '../contract/endpoint.ts';
import { check } from '../contract/problem.ts';
import { ApiError } from './apiError.ts';
import { chunksOf, type ChunkReader } from './chunks.ts';
import { MOVED, type StreamSharing } from './streamSharing.ts';
import { differenceIn, mismatch, type Outgoing, type Transport } from './transport.ts';
import { untilAborted } from './untilAborted.ts';

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

// It stands in a header: printable ASCII of a sane length. Any other id only means that the stream cannot be resumed.
const RESUMABLE_ID = /^[\x20-\x7e]{1,256}$/;

/** Whether a new connection may succeed where this one failed. 501 stays so until the gateway is updated. */
const isPassing = (error: unknown): error is ApiError =>
  error instanceof ApiError && (error.kind === 'unreachable' || (error.kind === 'server' && error.status !== 501));

/** A timer that fires unless it is stopped or started again in time. */
function idleTimer(timeoutMs: number | null, fire: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  const start = () => {
    stop();
    if (timeoutMs !== null) timer = setTimeout(fire, timeoutMs);
  };
  return { start, stop };
}

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

type Watched = Outgoing & { endpoint: StreamEndpoint };

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
  const { signal, onState } = options;
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
        yield* connection(way, outgoing, options, stop.signal, position, () => {
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

/** The events of one connection. It always ends by an error, or because nobody listens any more. */
async function* connection(
  { transport, sharing }: StreamWay,
  outgoing: Watched,
  options: WatchOptions,
  stop: AbortSignal,
  position: { lastEventId: string },
  opened: () => void,
): AsyncGenerator<unknown, void, undefined> {
  const { idleTimeoutMs = IDLE_TIMEOUT_MS } = options;
  const abort = new AbortController();
  const follow = () => abort.abort();
  stop.addEventListener('abort', follow, { once: true });
  const idle = idleTimer(idleTimeoutMs, () => abort.abort(transport.unreachable('The gateway has fallen silent')));
  const resumedAt = position.lastEventId;
  let reader: ChunkReader | undefined;
  let isFirst = true;
  try {
    // A shared connection may be paused, so its time counts from when it is opened.
    if (sharing === null) idle.start();
    // Whoever makes calls alone, such as the page that signs in, does without the parser.
    const { eventFrames } = await import('./eventFrames.ts');
    const accept = outgoing.endpoint.pagesOnRequest ? PAGES_TYPE : 'text/event-stream';
    const headers = { accept, ...(resumedAt === '' ? {} : { 'last-event-id': resumedAt }) };
    const request = { ...outgoing, headers };
    const response = await (sharing?.open(transport, request, abort, idle.start) ??
      transport.send(request, abort.signal));
    idle.start();
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || !response.body) {
      throw mismatch(outgoing.name, 'it is not an event stream', response.status);
    }
    reader = chunksOf(response.body);
    if (response.headers.get(STREAM_RESTARTED_HEADER) === 'true') position.lastEventId = '';
    opened();
    const { eventMaxChars = EVENT_MAX_CHARS } = options;
    const frames = eventFrames(eventMaxChars);
    for (;;) {
      const chunk = await readChunk(transport, reader, abort.signal);
      idle.stop();
      for (const { id, data } of frames.feed(chunk)) {
        // A gateway that resumes may send the last event again.
        const isRepeated = isFirst && resumedAt !== '' && id === resumedAt;
        isFirst = false;
        if (id !== undefined) position.lastEventId = RESUMABLE_ID.test(id) ? id : '';
        if (!isRepeated) yield eventOf(outgoing, data);
      }
      if (frames.isTooLarge()) throw mismatch(outgoing.name, `an event is larger than ${eventMaxChars} characters`);
      idle.start();
    }
  } finally {
    idle.stop();
    stop.removeEventListener('abort', follow);
    abort.abort();
    // A body that is not tied to the request's signal (a gateway in process) is let go of here.
    reader?.cancel().catch(() => {});
  }
}

async function readChunk(transport: Transport, reader: ChunkReader, signal: AbortSignal): Promise<Uint8Array> {
  const read = await untilAborted(reader.read(), signal).catch((error: unknown) => {
    if (signal.aborted) throw signal.reason;
    throw transport.unreachable('The stream broke off', error);
  });
  if (read === undefined) throw transport.unreachable('The gateway ended the stream');
  return read;
}

function eventOf({ name, endpoint }: Watched, data: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    throw mismatch(name, 'an event is not JSON');
  }
  const checked = check(endpoint.event, value);
  if (!checked.ok) throw mismatch(name, `in an event ${differenceIn(checked.problems)}`);
  return checked.value;
}
