import { describe, expect, it } from 'vitest';
import { chunksOf } from './body.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** A body as the browser's and Node's `fetch` have it, or one of values as a gateway in this process has it. */
function body(type: 'bytes' | undefined, parts: readonly string[], cancelled = () => {}) {
  const source = {
    start(controller: {
      enqueue(part: Uint8Array<ArrayBuffer>): void;
      close(): void;
      byobRequest?: ReadableStreamBYOBRequest | null;
    }) {
      for (const part of parts) controller.enqueue(bytes(part));
      if (parts.length < 3) return;
      controller.close();
    },
    cancel: cancelled,
  };
  return type === undefined ? new ReadableStream<Uint8Array>(source) : new ReadableStream({ ...source, type });
}

describe.each([['bytes'], [undefined]] as const)('the chunks of a body of type %s', (type) => {
  it('come in order and whole, and then end', async () => {
    const decoder = new TextDecoder();
    const chunks = chunksOf(body(type, ['a'.repeat(100_000), 'ä', 'end']));
    let text = '';
    for (let chunk = await chunks.read(); chunk !== undefined; chunk = await chunks.read()) {
      text += decoder.decode(chunk, { stream: true });
    }
    expect(text).toBe(`${'a'.repeat(100_000)}äend`);
  });

  it('can be let go of while one is waited for', async () => {
    let isCancelled = false;
    const chunks = chunksOf(body(type, ['one'], () => (isCancelled = true)));
    expect(await chunks.read()).toHaveLength(3);
    const waiting = chunks.read();
    await chunks.cancel();
    expect(await waiting).toBeUndefined();
    expect(isCancelled).toBe(true);
  });
});
