import type { Watch } from '../watch.ts';
import type { Identity } from '../identity.ts';
import type { Clock } from '../../world.ts';

/** Comments that keep proxies from taking a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;
/** What may wait for a reader that does not read, before it is cut off. */
const UNREAD_MAX_BYTES = 8 * 1024 * 1024;
/** The part of it from which on a watch that can wait is asked to. */
const ROOM_SHARE = 1 / 8;

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
  /** Fulfilled when there is room for more, or the reader is gone; null: there is room. */
  room(): Promise<void> | null;
  /** Ends the stream in order. */
  end(): void;
};

/** A watch that is open, and its readers. `missed` is what a reader that comes now has to be told first. */
type Feed = { readers: Set<Reader>; missed: Uint8Array[]; close(): void };

/** The open event streams of the gateway. */
export function createStreams(options: { heartbeatMs?: number; unreadMaxBytes?: number } = {}) {
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
    const feed: Feed = { readers: new Set(), missed: [], close: () => undefined };
    feeds.set(key, feed);
    let lastText = '';
    const close = watch.open({
      push(event, id) {
        const text = encode(event);
        // A state that has not changed is no news; an event with an id is one each time.
        if (id === undefined) {
          if (text === lastText) return;
          lastText = text;
        }
        const frame = encoder.encode(`${id === undefined ? '' : `id: ${oneLine(id)}\n`}data: ${text}\n\n`);
        if (watch.key !== null) feed.missed = [frame];
        else if (feed.readers.size === 0) feed.missed.push(frame);
        for (const reader of feed.readers) reader.send(frame);
      },
      room() {
        const waits = [...feed.readers].map((reader) => reader.room()).filter((wait) => wait !== null);
        return waits.length === 0 ? null : Promise.all(waits).then(() => undefined);
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
    /**
     * Answers with the events of a watch. Readers of equal watches share one, and each event is written out once.
     * @param encode the event as JSON
     * @param untilEnd registers what ends the stream from outside, with all that its reader has not taken; returns the
     *   way to take that back
     */
    open<Event>(
      watch: Watch<Event>,
      encode: (event: Event) => string,
      untilEnd: (end: () => void) => () => void,
    ): Response {
      let leave = (): void => undefined;
      let makeRoom = (): void => undefined;
      const unreadMaxBytes = options.unreadMaxBytes ?? UNREAD_MAX_BYTES;
      const roomBytes = Math.floor(unreadMaxBytes * ROOM_SHARE);
      const body = new ReadableStream<Uint8Array>(
        {
          start(controller) {
            const feed = feedOf(watch, encode);
            let room: Promise<void> | null = null;
            const reader: Reader = {
              send(frame) {
                controller.enqueue(frame);
                const unreadBytes = roomBytes - (controller.desiredSize ?? 0);
                if (unreadBytes < unreadMaxBytes) return;
                leave();
                controller.error(new Error('the reader of a stream does not read'));
              },
              room() {
                if ((controller.desiredSize ?? 1) > 0) return null;
                room ??= new Promise((resolve) => {
                  makeRoom = () => {
                    room = null;
                    makeRoom = () => undefined;
                    resolve();
                  };
                });
                return room;
              },
              end() {
                leave();
                controller.close();
              },
            };
            const forget = untilEnd(() => {
              if ((controller.desiredSize ?? roomBytes) >= roomBytes) return reader.end();
              leave();
              controller.error(new Error('who reads a stream may not read it any more'));
            });
            leave = () => {
              leave = () => undefined;
              forget();
              readers.delete(reader);
              feed.readers.delete(reader);
              makeRoom();
              if (feed.readers.size === 0) feed.close();
            };
            readers.add(reader);
            feed.readers.add(reader);
            for (const frame of feed.missed) reader.send(frame);
            if (watch.key === null) feed.missed = [];
          },
          pull() {
            makeRoom();
          },
          cancel() {
            leave();
          },
        },
        new ByteLengthQueuingStrategy({ highWaterMark: roomBytes }),
      );
      return new Response(body, { headers: STREAM_HEADERS });
    },
    /** How many readers there are. */
    count: () => readers.size,
    /** Ends all streams. */
    stop(): void {
      clearInterval(heartbeat);
      for (const reader of readers) reader.end();
    },
  };
}

/** An id cannot hold a line break: it would start another field of the event. */
const oneLine = (id: string): string => id.replaceAll(/[\r\n\0]/g, '');

/** Ends what a token opened when the token dies: at sign-out, and at the end of its life. */
export function createSessionEnds(clock: Clock, onSessionEnd: (listener: (tokenHash: string) => void) => () => void) {
  const ends = new Map<string, Set<() => void>>();
  const unsubscribe = onSessionEnd((tokenHash) => {
    for (const end of ends.get(tokenHash) ?? []) end();
  });
  return {
    /** @returns the way to take it back */
    register(caller: Identity | null, end: () => void): () => void {
      if (caller === null) return () => undefined;
      const { tokenHash, expiresAt } = caller;
      const own = ends.get(tokenHash) ?? new Set();
      ends.set(tokenHash, own.add(end));
      const giveUp = expiresAt === null ? () => undefined : clock.wake(expiresAt, end);
      return () => {
        giveUp();
        own.delete(end);
        if (own.size === 0) ends.delete(tokenHash);
      };
    },
    stop: unsubscribe,
  };
}
