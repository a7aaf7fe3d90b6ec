import type { ApiError } from './apiError.ts';
import type { reconnecting } from './reconnecting.ts';
import type { EventStream, StreamWay, Watched, WatchOptions } from './stream.ts';

/** Opens an event stream; nothing is sent before the first event is asked for. */
export function watch(
  way: StreamWay,
  outgoing: Watched,
  options: WatchOptions,
  failed: (error: ApiError) => void,
): EventStream<unknown> {
  const stop = new AbortController();
  const events = eventsOf(way, outgoing, options, failed, stop);
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

async function* eventsOf(...given: Parameters<typeof reconnecting>): AsyncGenerator<unknown, void, undefined> {
  // A page that makes calls alone, such as the one that signs in, does without what reads streams.
  const part = await import('./reconnecting.ts');
  yield* part.reconnecting(...given);
}
