import { describe, expect, test, vi } from 'vitest';
import { connection, errorOf, EVENT_HEADERS, holdClock, logOf } from '../testing/client.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

const tick = () => vi.advanceTimersByTimeAsync(0);
const value = async (next: Promise<IteratorResult<string[], void>>) => (await next).value;

holdClock();

describe('reading', () => {
  test('sends nothing before the first event is asked for, then asks as a stream with the token in a header', async () => {
    const open = connection();
    const { events, requests, names } = logOf([open.reply], {}, { token: 'secret' });
    await tick();
    expect(requests).toEqual([]);
    const first = events.next();
    open.write('data: ["a"]\n\n');
    expect(await value(first)).toEqual(['a']);
    expect(requests[0]?.url).toBe('https://gateway.test/api/logs/stream?domain=app.test');
    expect(requests[0]?.headers.get('accept')).toBe('text/event-stream');
    expect(requests[0]?.headers.get('authorization')).toBe('Bearer secret');
    expect(requests[0]?.headers.has('last-event-id')).toBe(false);
    await events.return();
    expect(names()).toEqual(['connecting', 'open', 'closed']);
  });

  test('hands out events that carry the same id, when they come over one connection', async () => {
    const open = connection();
    const { events } = logOf([open.reply]);
    open.write('id: 1\ndata: ["a"]\n\nid: 1\ndata: ["b"]\n\n');
    expect(await value(events.next())).toEqual(['a']);
    expect(await value(events.next())).toEqual(['b']);
    await events.return();
  });

  test('passes over heartbeats, unknown fields, foreign retry times and errors in raw text', async () => {
    const open = connection();
    const { events } = logOf([open.reply]);
    open.write(': heartbeat\n\nretry: 1\n\nretry: x\n\nnobody: knows\n\nevent: error\ndata: tail: cannot open\n\n');
    open.write('event: message\ndata: ["a"]\n\n');
    expect(await value(events.next())).toEqual(['a']);
    await events.return();
  });

  test.each([
    ['no JSON', 'data: hidden\n\n'],
    ['another shape within', 'data: ["a",{"hidden":1}]\n\n'],
  ])('ends with a mismatch at %s, after the events before it', async (_, event) => {
    const open = connection();
    const { events, names } = logOf([open.reply]);
    open.write('data: ["a"]\n\n', event);
    expect(await value(events.next())).toEqual(['a']);
    const error = await errorOf(events.next());
    expect(error.kind).toBe('mismatch');
    expect(`${error.message} ${error.stack}`).not.toContain('hidden');
    expect(names()).toEqual(['connecting', 'open', 'closed']);
    expect(open.cancelled).toHaveBeenCalledOnce();
  });

  test('ends with a mismatch when the reply is no stream', async () => {
    const page = () => new Response('<html>', { headers: { 'content-type': 'text/html' } });
    const { events, names } = logOf([page]);
    expect(await errorOf(events.next())).toMatchObject({ kind: 'mismatch', status: 200 });
    expect(names()).toEqual(['connecting', 'closed']);
  });

  const large = `data: ${'x'.repeat(101)}\n\n`;
  test.each([
    ['in one piece', [large]],
    ['that never ends', ['data: ', 'x'.repeat(200)]],
    ['of many lines', Array.from({ length: 60 }, () => 'data: x\n')],
  ])('ends with a mismatch at an event that is too large, %s', async (_, parts) => {
    const open = connection();
    const { events } = logOf([open.reply], { eventMaxChars: 100 });
    open.write('data: ["a"]\n\n', ...parts, 'data: ["b"]\n\n');
    expect(await value(events.next())).toEqual(['a']);
    expect((await errorOf(events.next())).message).toContain('an event is larger than 100 characters');
    expect(open.cancelled).toHaveBeenCalledOnce();
  });

  test('reads an event of 4 Mi characters unless told otherwise, and none beyond', async () => {
    const line = 'x'.repeat(4 * 1024 * 1024 - 4);
    const open = connection();
    const { events } = logOf([open.reply]);
    open.write(`data: ["${line}"]\n\n`, `data: ["${line}x"]\n\n`);
    expect((await value(events.next()))?.[0]).toHaveLength(line.length);
    expect((await errorOf(events.next())).kind).toBe('mismatch');
  });

  test('takes no more from the network while no one reads', async () => {
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          pulled += 1;
          controller.enqueue(bytes('data: ["a"]\n\n'));
        },
      },
      { highWaterMark: 0 },
    );
    const { events } = logOf([() => new Response(body, { headers: EVENT_HEADERS })]);
    await events.next();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(pulled).toBe(1);
    await events.next();
    expect(pulled).toBe(2);
    await events.return();
  });

  test('is for one reader', async () => {
    const { events } = logOf([connection().reply]);
    events[Symbol.asyncIterator]();
    expect(() => events[Symbol.asyncIterator]()).toThrow('A stream can be read once');
    await events.return();
  });
});

describe('silence', () => {
  test('of 45 s is a dead connection; a heartbeat is not silence', async () => {
    const [one, two] = [connection(), connection()];
    const { events, names, states } = logOf([one.reply, two.reply]);
    const next = events.next();
    await vi.advanceTimersByTimeAsync(44_999);
    one.write(': heartbeat\n\n');
    await vi.advanceTimersByTimeAsync(44_999);
    expect(names()).toEqual(['connecting', 'open']);
    await vi.advanceTimersByTimeAsync(1);
    expect(names()).toEqual(['connecting', 'open', 'waiting']);
    expect(states[2]?.[1].error?.message).toContain('The gateway has fallen silent');
    expect(one.cancelled).toHaveBeenCalledOnce();
    await vi.advanceTimersByTimeAsync(1000);
    two.write('data: ["a"]\n\n');
    expect(await value(next)).toEqual(['a']);
    await events.return();
  });

  test('before the reply counts too', async () => {
    const open = connection();
    const { events, names } = logOf([() => Promise.withResolvers<Response>().promise, open.reply], {
      idleTimeoutMs: 5000,
    });
    const next = events.next();
    await vi.advanceTimersByTimeAsync(5000);
    expect(names()).toEqual(['connecting', 'waiting']);
    await vi.advanceTimersByTimeAsync(1000);
    open.write('data: ["a"]\n\n');
    expect(await value(next)).toEqual(['a']);
    await events.return();
  });

  test('of the reader is none', async () => {
    const open = connection();
    const { events, names } = logOf([open.reply]);
    open.write('data: ["a"]\n\ndata: ["b"]\n\n');
    await events.next();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(await value(events.next())).toEqual(['b']);
    open.write('data: ["c"]\n\n');
    expect(await value(events.next())).toEqual(['c']);
    await events.return();
    expect(names()).toEqual(['connecting', 'open', 'closed']);
  });

  test('may last when no limit is wanted', async () => {
    const { events, names } = logOf([connection().reply], { idleTimeoutMs: null });
    const next = events.next();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(names()).toEqual(['connecting', 'open']);
    await Promise.all([events.return(), next]);
  });
});

describe('leaving', () => {
  test('by break ends the request at once', async () => {
    const open = connection();
    const caller = new AbortController();
    const joined = vi.spyOn(caller.signal, 'addEventListener');
    const left = vi.spyOn(caller.signal, 'removeEventListener');
    const { events, requests, names } = logOf([open.reply], { signal: caller.signal });
    open.write('data: ["a"]\n\n');
    for await (const lines of events) if (lines) break;
    expect(open.cancelled).toHaveBeenCalledOnce();
    expect(requests[0]?.signal.aborted).toBe(true);
    expect(left).toHaveBeenCalledTimes(joined.mock.calls.length);
    expect(names()).toEqual(['connecting', 'open', 'closed']);
  });

  test('while an event is awaited does not wait for it', async () => {
    const open = connection();
    const { events, names } = logOf([open.reply]);
    const next = events.next();
    await tick();
    await events.return();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(open.cancelled).toHaveBeenCalledOnce();
    expect(names()).toEqual(['connecting', 'open', 'closed']);
  });

  test.each([
    ['while it connects', () => Promise.withResolvers<Response>().promise, 0],
    ['while it reads', connection().reply, 0],
    ['while it waits', () => Response.json({}, { status: 503 }), 500],
  ])('by the signal, %s, ends the loop without an error', async (_, reply, afterMs) => {
    const caller = new AbortController();
    const { events, requests, names } = logOf([reply], { signal: caller.signal });
    const next = events.next();
    await vi.advanceTimersByTimeAsync(afterMs);
    caller.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(names().at(-1)).toBe('closed');
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(requests).toHaveLength(1);
  });

  test('before it began sends nothing', async () => {
    const { events, requests } = logOf([connection().reply], { signal: AbortSignal.abort() });
    expect(await events.next()).toEqual({ done: true, value: undefined });
    const left = logOf([connection().reply]);
    await left.events.return();
    expect(await left.events.next()).toEqual({ done: true, value: undefined });
    expect([...requests, ...left.requests]).toEqual([]);
  });

  test('while what reads it is loaded sends nothing', async () => {
    const { events, requests } = logOf([connection().reply]);
    const next = events.next();
    await events.return();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(requests).toEqual([]);
  });
});
