import {
  endpoints,
  SHARED_STREAMS_MAX,
  type SharedStreamOpening,
  STREAM_RESTARTED_HEADER,
} from '@sallyport/sdk/contract';
import { failure } from '../failure.ts';
import { STREAM_HEADERS } from './streams.ts';

/** One of the streams that a connection is to carry. */
export type StreamRequest = { url: URL; lastEventId: string | null };

/** None of them has a value in its path. */
const STREAM_PATHS = new Set<string>(
  endpoints.flatMap(({ endpoint }) => (endpoint.kind === 'stream' ? [endpoint.path] : [])),
);
/** What may wait for a reader that is slow; the streams themselves wait then. */
const ROOM_BYTES = 256 * 1024;

const encoder = new TextEncoder();

/**
 * The streams that the lines of a query ask for.
 * @param origin where they are looked for: no line leads elsewhere
 * @throws {Failure} 422 when a line is no stream of the contract, or when there are none or too many
 */
export function streamRequestsOf(lines: string, origin: string): StreamRequest[] {
  // Counted first: a line is an address to be read, and there is room for hundreds.
  const asked = lines.split('\n', SHARED_STREAMS_MAX + 1);
  if (asked.length > SHARED_STREAMS_MAX) {
    throw failure.invalid([{ field: 'of', message: `A connection carries ${SHARED_STREAMS_MAX} streams at most` }]);
  }
  return asked.map((line): StreamRequest => {
    // The id becomes a header, where nothing but visible ASCII can stand.
    const [, path = '', lastEventId = null] = /^([^#]*)(?:#([\x20-\x7e]*))?$/.exec(line) ?? [];
    const url = path.startsWith('/') ? URL.parse(path, origin) : null;
    if (url?.origin !== origin || !STREAM_PATHS.has(url.pathname)) {
      throw failure.invalid([{ field: 'of', message: `"${line.slice(0, 200)}" is not a stream of this gateway` }]);
    }
    return { url, lastEventId };
  });
}

/**
 * Carries the bodies of several answers in one, each event under the number of its answer.
 * @param untilEnd as for a stream that is alone
 */
export function shareStream(answers: readonly Response[], untilEnd: (end: () => void) => () => void): Response {
  const readers = answers.map((answer) => (isStream(answer) ? (answer.body?.getReader() ?? null) : null));
  let forget = (): void => undefined;
  const leave = (): void => {
    forget();
    readers.forEach((reader) => void reader?.cancel().catch(() => undefined));
  };
  let room = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const carried = answers.map(async (answer, index) => {
          const send = (type: string, rest: Uint8Array): void =>
            controller.enqueue(Buffer.concat([encoder.encode(`event: ${type}\n`), rest]));
          const reader = readers[index] ?? null;
          send(`${index}/open`, dataOf(await openingOf(answer, reader !== null)));
          while (reader !== null) {
            if ((controller.desiredSize ?? 0) <= 0) await room.promise;
            // The gateway's streams enqueue whole events.
            const { done, value } = await reader.read();
            if (done) break;
            send(String(index), value);
          }
          send(`${index}/end`, dataOf(''));
        });
        const fail = (error: unknown): void => {
          leave();
          controller.error(error);
        };
        // A reader that has taken everything is told in order: its streams end as well.
        forget = untilEnd(() => {
          if ((controller.desiredSize ?? ROOM_BYTES) < ROOM_BYTES) {
            fail(new Error('who reads a stream may not read it any more'));
          }
        });
        void Promise.all(carried)
          .then(() => controller.close(), fail)
          .finally(() => forget());
      },
      pull() {
        room.resolve();
        room = Promise.withResolvers();
      },
      cancel: leave,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: ROOM_BYTES }),
  );
  return new Response(body, { headers: STREAM_HEADERS });
}

const isStream = (answer: Response): boolean => answer.headers.get('content-type') === STREAM_HEADERS['content-type'];

async function openingOf(answer: Response, isOpen: boolean): Promise<SharedStreamOpening> {
  const restarted = answer.headers.get(STREAM_RESTARTED_HEADER) === 'true';
  return { status: answer.status, restarted, body: isOpen ? '' : await answer.text() };
}

const dataOf = (value: unknown): Uint8Array => encoder.encode(`data: ${JSON.stringify(value)}\n\n`);
