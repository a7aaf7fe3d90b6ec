import { describe, expect, it } from 'vitest';
import { isApiError } from './apiError.ts';
import { createClient } from './createClient.ts';

const MB = 1_000_000;
/** What was read of a body, and whether it was let go of. */
type Endless = { body: ReadableStream<Uint8Array>; sent: () => number; isCancelled: () => boolean };

/** A body without an end. */
function endless(): Endless {
  const piece = new Uint8Array(MB).fill(32);
  let sent = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += piece.length;
      controller.enqueue(piece);
    },
    cancel() {
      cancelled = true;
    },
  });
  return { body, sent: () => sent, isCancelled: () => cancelled };
}

const clientOf = (status: number, { body }: Endless, options = {}) =>
  createClient({
    baseUrl: 'https://gateway.example.test',
    fetch: () => Promise.resolve(new Response(body, { status })),
    ...options,
  });

describe('a reply without an end', () => {
  it('to a call is given up on after 64 MB, and says so', async () => {
    const reply = endless();
    const error = await clientOf(200, reply)
      .node.list()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      kind: 'mismatch',
      message: expect.stringMatching(/node\.list .* larger than 64 MB$/),
    });
    expect(reply.sent()).toBeLessThan(68 * MB);
    expect(reply.isCancelled()).toBe(true);
  });

  it('to a call is given up on where the client says', async () => {
    const reply = endless();
    const error = await clientOf(200, reply, { replyMaxBytes: 2 * MB })
      .node.list()
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: expect.stringContaining('larger than 2 MB') });
    expect(reply.sent()).toBeLessThan(6 * MB);
  });

  it('to a call is left to the platform where the client sets no bound', async () => {
    const body = new Response(`[${' '.repeat(65 * MB)}]`);
    const client = createClient({
      baseUrl: 'https://gateway.example.test',
      fetch: () => Promise.resolve(body),
      replyMaxBytes: null,
    });
    expect(await client.node.list()).toMatchObject({ data: [] });
  });

  it('to a download is given up on, where the client says', async () => {
    const reply = endless();
    const error = await clientOf(200, reply, { downloadMaxBytes: 5 * MB })
      .node.download({ params: { id: 2 } })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ kind: 'mismatch', message: expect.stringContaining('larger than 5 MB') });
    expect(reply.isCancelled()).toBe(true);
  });

  it('that is a refusal tells its status all the same', async () => {
    const reply = endless();
    const error = await clientOf(404, reply)
      .node.list()
      .catch((reason: unknown) => reason);
    expect(isApiError(error, 'missing')).toBe(true);
    expect(reply.sent()).toBeLessThan(6 * MB);
    expect(reply.isCancelled()).toBe(true);
  });
});
