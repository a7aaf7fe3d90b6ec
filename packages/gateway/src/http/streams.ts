import type { Watch } from '../handlers/watch.ts';

/** Comments that keep proxies from taking a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;
/** What may wait for a reader that does not read, before it is cut off. */
const UNREAD_MAX_BYTES = 8 * 1024 * 1024;

/** The headers of every event stream. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // nginx passes each event on at once.
  'x-accel-buffering': 'no',
} as const;

const encoder = new TextEncoder();
const HEARTBEAT = encoder.encode(': still here\n\n');

/** One reader's end of a stream. */
type Reader = {
  send(frame: Uint8Array): void;
  /** Ends the stream in order. */
  end(): void;
};

/** A watch that is open, and everybody who reads it. */
type Feed = { readers: Set<Reader>; last: Uint8Array | null; close(): void };

/** The open event streams of the gateway. */
export type Streams = {
  /**
   * Answers with the events of a watch. Readers of equal watches share one, and each event is written out once.
   * @param encode the event as JSON
   * @param untilEnd registers what ends the stream from outside; returns the way to take that back
   */
  open<Event>(
    watch: Watch<Event>,
    encode: (event: Event) => string,
    untilEnd: (end: () => void) => () => void,
  ): Response;
  /** How many readers there are. */
  count(): number;
  /** Ends all streams. */
  stop(): void;
};

export function createStreams(options: { heartbeatMs?: number; unreadMaxBytes?: number } = {}): Streams {
  const feeds = new Map<string | symbol, Feed>();
  const readers = new Set<Reader>();
  const heartbeat = setInterval(() => {
    for (const reader of readers) reader.send(HEARTBEAT);
  }, options.heartbeatMs ?? HEARTBEAT_MS);
  heartbeat.unref();

  function feedOf<Event>(watch: Watch<Event>, encode: (event: Event) => string): Feed {
    const key = watch.key ?? Symbol('own');
    const known = feeds.get(key);
    if (known !== undefined) return known;
    const feed: Feed = { readers: new Set(), last: null, close: () => undefined };
    feeds.set(key, feed);
    let lastText = '';
    const close = watch.open({
      push(event, id) {
        const text = encode(event);
        // A state that has not changed is no news; an event with an id is one each time.
        if (id === undefined && text === lastText) return;
        lastText = text;
        const frame = encoder.encode(`${id === undefined ? '' : `id: ${oneLine(id)}\n`}data: ${text}\n\n`);
        if (watch.key !== null || feed.readers.size === 0) feed.last = frame;
        for (const reader of feed.readers) reader.send(frame);
      },
      end() {
        for (const reader of feed.readers) reader.end();
      },
    });
    feed.close = () => {
      feeds.delete(key);
      close();
    };
    return feed;
  }

  return {
    open(watch, encode, untilEnd) {
      let leave = (): void => undefined;
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const feed = feedOf(watch, encode);
            const reader: Reader = {
              send(frame) {
                controller.enqueue(frame);
                if ((controller.desiredSize ?? 0) > 0) return;
                leave();
                controller.error(new Error('the reader of a stream does not read'));
              },
              end() {
                leave();
                controller.close();
              },
            };
            const forget = untilEnd(() => reader.end());
            leave = () => {
              leave = () => undefined;
              forget();
              readers.delete(reader);
              feed.readers.delete(reader);
              if (feed.readers.size === 0) feed.close();
            };
            readers.add(reader);
            feed.readers.add(reader);
            if (feed.last !== null) reader.send(feed.last);
            if (watch.key === null) feed.last = null;
          },
          cancel() {
            leave();
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: options.unreadMaxBytes ?? UNREAD_MAX_BYTES }),
      );
      return new Response(body, { headers: STREAM_HEADERS });
    },
    count: () => readers.size,
    stop() {
      clearInterval(heartbeat);
      for (const reader of readers) reader.end();
    },
  };
}

/** An id cannot hold a line break: it would start another field of the event. */
const oneLine = (id: string): string => id.replaceAll(/[\r\n\0]/g, '');
