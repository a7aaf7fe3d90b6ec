import { describe, expect, test, vi } from 'vitest';
import { clientOf, connection, errorOf, EVENT_HEADERS, holdClock, logOf } from '../testing/client.ts';
import type { ClientOptions } from './createClient.ts';

const tick = () => vi.advanceTimersByTimeAsync(0);
const value = async (next: Promise<IteratorResult<string[], void>>) => (await next).value;

holdClock();

describe('connecting again', () => {
  test.each([
    ['a clean end', 'end'],
    ['a cut', 'fail'],
  ] as const)('happens one second after %s, where the stream was left', async (_, how) => {
    const [one, two] = [connection(), connection()];
    const { events, requests, names, states } = logOf([one.reply, two.reply]);
    one.write('id: 41\ndata: ["a"]\n\nid: 42\ndata: ["b"]\n\n', 'id: 43\ndata: ["never fin');
    await events.next();
    await events.next();
    const next = events.next();
    one[how]();
    await vi.advanceTimersByTimeAsync(999);
    expect(names()).toEqual(['connecting', 'open', 'waiting']);
    expect(states[2]?.[1].error?.kind).toBe('unreachable');
    await vi.advanceTimersByTimeAsync(1);
    expect(requests[1]?.headers.get('last-event-id')).toBe('42');
    two.write('id: 42\ndata: ["b"]\n\nid: 42\ndata: ["never finished"]\n\n');
    expect(await value(next)).toEqual(['never finished']);
    expect(states.at(-1)).toEqual(['open', { attempt: 1, resumed: true, error: null }]);
    await events.return();
  });

  test.each([
    ['none', ''],
    ['one that no header takes', 'id: ü\n'],
    ['one that is too long', `id: ${'x'.repeat(257)}\n`],
    ['one with a control character', 'id: \u0007\n'],
  ])('starts from the beginning, and says so, where the last id is %s', async (_, id) => {
    const [one, two] = [connection(), connection()];
    const { events, requests, states } = logOf([one.reply, two.reply]);
    one.write(`${id === '' ? '' : 'id: 1\n'}data: ["a"]\n\n${id}data: ["b"]\n\n`);
    await events.next();
    await events.next();
    const next = events.next();
    one.end();
    await vi.advanceTimersByTimeAsync(1000);
    two.write('data: ["a"]\n\n');
    expect(await value(next)).toEqual(['a']);
    expect(requests[1]?.headers.has('last-event-id')).toBe(false);
    expect(states.at(-1)).toEqual(['open', { attempt: 1, resumed: false, error: null }]);
    await events.return();
  });

  test('says so when the gateway does not know any more where the stream was left', async () => {
    const reply = (event: string, more = {}) => new Response(event, { headers: { ...EVENT_HEADERS, ...more } });
    const { events, requests, states } = logOf([
      () => reply('id: 41\ndata: ["a"]\n\n'),
      () => reply('id: 77\ndata: ["z"]\n\n', { 'x-stream-restarted': 'true' }),
      connection().reply,
    ]);
    expect(await value(events.next())).toEqual(['a']);
    const next = events.next();
    await vi.advanceTimersByTimeAsync(1000);
    expect(await next).toMatchObject({ value: ['z'] });
    void events.next();
    await vi.advanceTimersByTimeAsync(1000);
    expect(requests.map(({ headers }) => headers.get('last-event-id'))).toEqual([null, '41', '77']);
    const opened = states.filter(([state]) => state === 'open');
    expect(opened.map(([, { resumed }]) => resumed)).toEqual([false, false, true]);
    await events.return();
  });

  test('goes on while the gateway is away or failing, and counts the attempts', async () => {
    const open = connection();
    const away = () => Promise.reject(new TypeError('fetch failed'));
    const failing = () => Response.json({ message: 'Stopping' }, { status: 503 });
    const { events, states } = logOf([away, failing, away, open.reply]);
    const next = events.next();
    await vi.advanceTimersByTimeAsync(3000);
    open.write('data: ["a"]\n\n');
    expect(await value(next)).toEqual(['a']);
    expect(states.map(([state, { attempt, error }]) => [state, attempt, error?.kind ?? null])).toEqual([
      ['connecting', 1, null],
      ['waiting', 1, 'unreachable'],
      ['connecting', 2, 'unreachable'],
      ['waiting', 2, 'server'],
      ['connecting', 3, 'server'],
      ['waiting', 3, 'unreachable'],
      ['connecting', 4, 'unreachable'],
      ['open', 4, null],
    ]);
    await events.return();
  });

  test('waits no longer than a minute, whatever is asked for, and not at all longer for other errors', async () => {
    const asking = (status: number, seconds: string) => () =>
      Response.json({}, { status, headers: { 'retry-after': seconds } });
    const open = connection();
    const { events, requests } = logOf([asking(429, '999999999'), asking(503, '2592000'), open.reply]);
    const next = events.next();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(requests).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1001);
    expect(requests).toHaveLength(3);
    open.write('data: ["a"]\n\n');
    expect(await value(next)).toEqual(['a']);
    await events.return();
  });

  test('waits as long as a gateway that has too many streams asks for', async () => {
    const open = connection();
    const full = () => Response.json({ message: 'Slower' }, { status: 429, headers: { 'retry-after': '5' } });
    const { events, requests, states } = logOf([full, open.reply]);
    const next = events.next();
    await vi.advanceTimersByTimeAsync(4999);
    expect(requests).toHaveLength(1);
    expect(states.at(-1)).toMatchObject(['waiting', { error: { kind: 'throttled' } }]);
    await vi.advanceTimersByTimeAsync(1);
    open.write('data: ["a"]\n\n');
    expect(await value(next)).toEqual(['a']);
    await events.return();
  });

  test.each([400, 401, 403, 404, 409, 422, 501])('ends for good at %i, also midway', async (status) => {
    const open = connection();
    const onError = vi.fn<NonNullable<ClientOptions['onError']>>();
    const { events, names } = logOf([open.reply, () => Response.json({}, { status })], {}, { onError, token: 'x' });
    open.write('data: ["a"]\n\n');
    await events.next();
    const failed = errorOf(events.next());
    open.end();
    await vi.advanceTimersByTimeAsync(1000);
    const error = await failed;
    expect(error.status).toBe(status);
    expect(onError).toHaveBeenCalledExactlyOnceWith(error, { name: 'log.watch', authenticated: true });
    expect(names()).toEqual(['connecting', 'open', 'waiting', 'connecting', 'closed']);
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('never happens for the details of a node', async () => {
    const open = connection();
    const onError = vi.fn<NonNullable<ClientOptions['onError']>>();
    const { client } = clientOf(open.reply, { onError });
    const events = client.node.watchOne({ query: { id: 2 } });
    const failed = errorOf(events.next());
    await tick();
    open.end();
    const error = await failed;
    expect(error).toMatchObject({
      kind: 'unreachable',
      message: 'The gateway ended the stream (https://gateway.test)',
    });
    expect(onError).toHaveBeenCalledOnce();
  });
});

test('a stream that connects again for hours keeps no listener of the connections before', async () => {
  const listeners = new Set<unknown>();
  const { prototype } = AbortSignal;
  vi.spyOn(prototype, 'addEventListener').mockImplementation((_, listener) => void listeners.add(listener));
  vi.spyOn(prototype, 'removeEventListener').mockImplementation((_, listener) => void listeners.delete(listener));
  // The platform's own request listens to its signal for itself.
  vi.stubGlobal('Request', Object);
  const hello = () => new Response(': hello\n\n', { headers: EVENT_HEADERS });
  const { events, requests } = logOf([
    ...Array.from({ length: 60 }, () => hello),
    () => new Response('{}', { status: 401 }),
  ]);
  const failed = errorOf(events.next());
  await vi.advanceTimersByTimeAsync(30_000);
  expect(requests.length).toBeGreaterThan(20);
  expect(listeners.size).toBeLessThan(10);
  await vi.advanceTimersByTimeAsync(60_000);
  expect((await failed).kind).toBe('unauthorized');
  expect(listeners.size).toBe(0);
});
