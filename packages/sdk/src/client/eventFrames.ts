import { type EventSourceMessage, createParser } from 'eventsource-parser';

/**
 * Cuts the bytes of one connection into events. Comments, unknown fields and events of other types (Wiredoor's `error`)
 * are passed over. Nothing can be read any more once an event was larger than `maxChars`.
 */
export function eventFrames(maxChars: number) {
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
