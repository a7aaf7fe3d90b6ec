import { ApiError } from './apiError.ts';
import {
  EVENT_MAX_CHARS,
  IDLE_TIMEOUT_MS,
  type StreamLimits,
  type StreamState,
  type StreamWay,
  type Watched,
  type WatchOptions,
} from './stream.ts';
import { MOVED } from './streamSharing.ts';
import { PAGES_TYPE, STREAM_RESTARTED_HEADER } from '../contract/endpoint.ts';
import { check } from '../contract/problem.ts';
import { type ChunkReader, chunksOf, untilAborted } from './body.ts';
import { differenceIn, mismatch, type Transport } from './transport.ts';
import { createParser, type EventSourceMessage } from 'eventsource-parser';

/** Whether a new connection may succeed where this one failed. 501 stays so until the gateway is updated. */
const isPassing = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.kind === 'unreachable' || error.kind === 'throttled' || (error.kind === 'server' && error.status !== 501));

/** A gateway that asks for more patience than this is not ours. */
const THROTTLED_MAX_MS = 60_000;
const throttledMs = ({ retryAfterSeconds }: ApiError, reconnectMs: number): number =>
  Math.min(THROTTLED_MAX_MS, Math.max(reconnectMs, (retryAfterSeconds ?? 0) * 1000));

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
        await pause(error.kind === 'throttled' ? throttledMs(error, reconnectMs) : reconnectMs, stop.signal);
      }
    }
  } finally {
    signal?.removeEventListener('abort', follow);
    tell('closed');
  }
}

// It stands in a header: printable ASCII of a sane length. Any other id only means that the stream cannot be resumed.
const RESUMABLE_ID = /^[\x20-\x7e]{1,256}$/;

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

/** The events of one connection. It always ends by an error, or because no one listens any more. */
async function* readConnection(
  { transport, sharing }: StreamWay,
  outgoing: Watched,
  { idleTimeoutMs, eventMaxChars }: StreamLimits,
  stop: AbortSignal,
  position: { lastEventId: string },
  opened: () => void,
): AsyncGenerator<unknown, void, undefined> {
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

/**
 * Cuts the bytes of one connection into events. Comments, unknown fields and events of other types (Wiredoor's `error`)
 * are passed over. Nothing can be read any more once an event was larger than `maxChars`.
 */
function eventFrames(maxChars: number) {
  const decoder = new TextDecoder();
  let found: EventSourceMessage[] = [];
  let tooLarge = false;
  const parser = createParser({
    maxBufferSize: maxChars,
    onEvent: (event) => {
      // The parser bounds what it holds back; an event that came whole is measured here.
      tooLarge ||= event.data.length > maxChars;
      if (!tooLarge && (event.event === undefined || event.event === 'message')) found.push(event);
    },
    onError: (error) => {
      tooLarge ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  return {
    /** The events that are complete with this chunk. */
    feed(chunk: Uint8Array): readonly EventSourceMessage[] {
      found = [];
      if (!tooLarge) parser.feed(decoder.decode(chunk, { stream: true }));
      return found;
    },
    isTooLarge: () => tooLarge,
  };
}
