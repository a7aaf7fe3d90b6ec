import { describe, expect, test } from 'vitest';
import { eventFrames } from './reconnecting.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** What the parts become, one after the other. */
function dataOf(parts: readonly (string | Uint8Array)[], maxChars = 100) {
  const frames = eventFrames(maxChars);
  const events = parts.flatMap((part) => [...frames.feed(typeof part === 'string' ? bytes(part) : part)]);
  return {
    data: events.map((event) => event.data),
    ids: events.map((event) => event.id),
    tooLarge: frames.isTooLarge(),
  };
}

test('events that arrive byte by byte are put together again', () => {
  const stream = bytes('\uFEFF: hello\r\ndata: nætt €\r\ndata: 👩‍🚀\r\n\r\n');
  expect(dataOf(Array.from(stream, (byte) => Uint8Array.of(byte))).data).toEqual(['nætt €\n👩‍🚀']);
});

test('bytes that are no text become replacement marks, not an end', () => {
  expect(dataOf(['data: a', Uint8Array.of(0xff, 0xc3), '\n\n']).data).toEqual(['a\uFFFD\uFFFD']);
});

test('heartbeats, unknown fields, foreign retry times and errors in raw text are passed over', () => {
  const noise = ': heartbeat\n\nretry: 1\n\nretry: x\n\nnobody: knows\n\nevent: error\ndata: tail: cannot open\n\n';
  expect(dataOf([noise, 'event: message\ndata: a\n\n'])).toEqual({ data: ['a'], ids: [undefined], tooLarge: false });
});

test('an event that is not finished is none', () => {
  expect(dataOf(['id: 1\ndata: a\n\nid: 2\ndata: b\n']).data).toEqual(['a']);
});

describe('an event that is too large ends the reading, after those before it', () => {
  const large = `data: ${'x'.repeat(101)}\n\n`;
  test.each([
    ['in one piece', [large]],
    ['in many pieces', Array.from(large)],
    ['that never ends', ['data: ', 'x'.repeat(200)]],
    ['of many lines', Array.from({ length: 60 }, () => 'data: x\n')],
  ])('%s', (_, parts) => {
    expect(dataOf(['data: a\n\n', ...parts, 'data: b\n\n'])).toMatchObject({ data: ['a'], tooLarge: true });
  });

  test('but not one that is just as large as it may be', () => {
    expect(dataOf([`data: ${'x'.repeat(100)}\n\n`])).toMatchObject({ data: ['x'.repeat(100)], tooLarge: false });
  });
});
