import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { SHARED_STREAM_PATH, type SharedStreamOpening, STREAM_RESTARTED_HEADER } from '../contract/endpoint.ts';
import { errorOfReply, jsonOf } from './apiError.ts';
import { requestUrl } from './requestUrl.ts';
import type { Member } from './streamSharing.ts';
import { mismatch, type Outgoing, type Transport } from './transport.ts';

const EVENT_MAX_CHARS = 4 * 1024 * 1024;
const STREAM_TYPE = { 'content-type': 'text/event-stream' };

/** Carries the streams of all members over one connection, to its end. */
export async function share(transport: Transport, members: readonly Member[]): Promise<void> {
  const closing = new AbortController();
  const bodies = members.map(() => bodyOf());
  for (const [index, { abort }] of members.entries()) {
    abort.signal.addEventListener('abort', () => {
      // What still comes for it is not kept.
      bodies[index]?.end();
      if (members.every((member) => member.abort.signal.aborted)) closing.abort();
    });
  }
  const fail = (error: unknown): void =>
    members.forEach(({ answer }, index) => {
      answer.reject(error);
      bodies[index]?.fail(error);
    });
  try {
    const response = await transport.send(requestFor(members), closing.signal);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream') || response.body === null) {
      throw mismatch('streams', 'it is not an event stream', response.status);
    }
    await distribute(response.body, closing.signal, (event) => take(event, members, bodies));
    fail(transport.unreachable('The gateway ended the stream'));
  } catch (error) {
    fail(error);
  }
}

/** Names each stream by its path and query, and by the last event that was read of it. */
function requestFor(members: readonly Member[]): Outgoing {
  const lines = members.map(({ outgoing: { endpoint, input, headers } }) => {
    const { pathname, search } = requestUrl(new URL('http://gateway'), endpoint, input);
    const lastEventId = headers['last-event-id'];
    return `${pathname}${search}${lastEventId === undefined ? '' : `#${lastEventId}`}`;
  });
  return {
    name: 'streams',
    endpoint: { kind: 'call', method: 'GET', path: SHARED_STREAM_PATH },
    input: { query: { of: lines.join('\n') } },
    headers: { accept: 'text/event-stream' },
  };
}

/** Reads a connection to its end; a comment is for all. */
async function distribute(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal,
  onEvent: (event: Pick<EventSourceMessage, 'event' | 'id' | 'data'>) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: EVENT_MAX_CHARS,
    onEvent,
    onComment: () => onEvent({ event: '', id: undefined, data: '' }),
    onError: (error) => {
      isTooLarge ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  const reader = body.getReader();
  // A body that is not tied to the request's signal (a gateway in process) is let go of here.
  const leave = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parser.feed(decoder.decode(read.value, { stream: true }));
    if (isTooLarge) throw mismatch('streams', `an event is larger than ${EVENT_MAX_CHARS} characters`);
  }
}

type Body = ReturnType<typeof bodyOf>;

function take(
  { event = '', id, data }: Pick<EventSourceMessage, 'event' | 'id' | 'data'>,
  members: readonly Member[],
  bodies: readonly Body[],
): void {
  if (event === '') {
    for (const body of bodies) body.write(': still here\n\n');
    return;
  }
  const [number = '', step] = event.split('/');
  const [member, body] = [members[Number(number)], bodies[Number(number)]];
  if (member === undefined || body === undefined) return;
  if (step === 'open') {
    const { status, restarted, body: refusal } = JSON.parse(data) as SharedStreamOpening;
    if (status >= 400) member.answer.reject(errorOfReply(status, new Headers(), jsonOf(refusal)));
    const headers = { ...STREAM_TYPE, ...(restarted && { [STREAM_RESTARTED_HEADER]: 'true' }) };
    member.answer.resolve(new Response(body.stream, { headers }));
  } else if (step === 'end') body.end();
  else body.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);
}

/** The body of one stream's answer. Nothing is written any more once its reader has left. */
function bodyOf() {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  const stream = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: () => {
      controller = null;
    },
  });
  const finish = (): ReadableStreamDefaultController<Uint8Array> | null => {
    const last = controller;
    controller = null;
    return last;
  };
  return {
    stream,
    write: (text: string) => controller?.enqueue(encoder.encode(text)),
    end: () => finish()?.close(),
    fail: (error: unknown) => finish()?.error(error),
  };
}
