import { PAGES_TYPE, STREAM_RESTARTED_HEADER } from '../contract/endpoint.ts';
import { check } from '../contract/problem.ts';
import { chunksOf, type ChunkReader } from './chunks.ts';
import { eventFrames } from './eventFrames.ts';
import type { StreamLimits, StreamWay, Watched } from './stream.ts';
import { differenceIn, mismatch, type Transport } from './transport.ts';
import { untilAborted } from './untilAborted.ts';

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

/** The events of one connection. It always ends by an error, or because nobody listens any more. */
export async function* readConnection(
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
