import { describe, expect, it } from 'vitest';
import { clientOf, errorOf } from '../testing/client.ts';
import { chunksOf } from './body.ts';

const MB = 1_000_000;

/** A body without an end, what was read of it, and whether it was let go of. */
function endless() {
  const piece = new Uint8Array(MB).fill(32);
  const read = { bytes: 0, isCancelled: false };
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      read.bytes += piece.length;
      controller.enqueue(piece);
    },
    cancel() {
      read.isCancelled = true;
    },
  });
  return { body, read };
}

describe('a reply without an end', () => {
  it.each([
    ['a call', 'node.list', 64, {}],
    ['a call, where the client says', 'node.list', 2, { replyMaxBytes: 2 * MB }],
    ['a download', 'node.download', 64, {}],
    ['a download, where the client says', 'node.download', 5, { downloadMaxBytes: 5 * MB }],
  ])('to %s is given up on', async (_, name, megabytes, options) => {
    const { body, read } = endless();
    const { node } = clientOf(() => new Response(body), options).client;
    const error = await errorOf(name === 'node.list' ? node.list() : node.download({ params: { id: 2 } }));
    expect(error).toMatchObject({ kind: 'mismatch', message: expect.stringContaining(`larger than ${megabytes} MB`) });
    expect(error.message).toContain(`The reply to ${name} `);
    expect(read.bytes).toBeLessThan((megabytes + 4) * MB);
    expect(read.isCancelled).toBe(true);
  });

  it('that is a refusal tells its status all the same', async () => {
    const { body, read } = endless();
    const { node } = clientOf(() => new Response(body, { status: 404 })).client;
    expect((await errorOf(node.list())).kind).toBe('missing');
    expect(read.bytes).toBeLessThan(6 * MB);
    expect(read.isCancelled).toBe(true);
  });
});

it('a reply is left to the platform where the client sets no bound', async () => {
  const { client } = clientOf(() => new Response('[]'), { replyMaxBytes: null });
  expect(await client.node.list()).toMatchObject({ data: [] });
});

/** A body as the browser's and Node's `fetch` have it, or one of values as a gateway in this process has it. */
function bodyOf(type: 'bytes' | undefined, parts: readonly string[], isWhole: boolean, cancelled = () => {}) {
  const source = {
    start(controller: {
      enqueue(part: Uint8Array<ArrayBuffer>): void;
      close(): void;
      byobRequest?: ReadableStreamBYOBRequest | null;
    }) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      if (isWhole) controller.close();
    },
    cancel: cancelled,
  };
  return type === undefined ? new ReadableStream<Uint8Array>(source) : new ReadableStream({ ...source, type });
}

describe.each([['bytes'], [undefined]] as const)('the chunks of a body of type %s', (type) => {
  it('come in order and whole, and then end', async () => {
    const decoder = new TextDecoder();
    const chunks = chunksOf(bodyOf(type, ['a'.repeat(100_000), 'ä', 'end'], true));
    let text = '';
    for (let chunk = await chunks.read(); chunk !== undefined; chunk = await chunks.read()) {
      text += decoder.decode(chunk, { stream: true });
    }
    expect(text).toBe(`${'a'.repeat(100_000)}äend`);
  });

  it('can be let go of while one is waited for', async () => {
    let isCancelled = false;
    const chunks = chunksOf(bodyOf(type, ['one'], false, () => (isCancelled = true)));
    expect(await chunks.read()).toHaveLength(3);
    const waiting = chunks.read();
    await chunks.cancel();
    expect(await waiting).toBeUndefined();
    expect(isCancelled).toBe(true);
  });
});
