import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { clientOf, connection, errorOf } from '../testing/client.ts';
import type { StreamState } from './stream.ts';
import { createStreamSharing } from './streamSharing.ts';

type Opened = ReturnType<typeof connection> & { lines: string[]; request: Request };

const opening = (index: number, more: object = {}) =>
  `event: ${index}/open\ndata: ${JSON.stringify({ status: 200, restarted: false, body: '', ...more })}\n\n`;

let connections: Opened[] = [];
const sharing = createStreamSharing();
const { client } = clientOf(
  (request) => {
    const { pathname, search, searchParams } = new URL(request.url);
    const lines = searchParams.get('of')?.split('\n') ?? [pathname + search];
    const made = { ...connection(), lines, request };
    connections.push(made);
    return made.reply();
  },
  { token: 'secret', sharing },
);

const log = (domain: string) => {
  const states: [StreamState, boolean][] = [];
  const events = client.log.watch(
    { query: { domain } },
    { onState: (state, { resumed }) => states.push([state, resumed]) },
  );
  return { events, states, next: async () => (await events.next()).value, end: () => events.return() };
};
/** Lets time pass until so many connections were opened. */
async function opened(count: number): Promise<Opened> {
  for (let turn = 0; turn < 1000 && connections.length < count; turn += 1) await turnOver();
  const last = connections.at(-1);
  if (last === undefined || connections.length !== count) throw new Error(`There are ${connections.length}.`);
  return last;
}
async function turnOver(): Promise<void> {
  await vi.advanceTimersByTimeAsync(1);
  await new Promise((done) => void setImmediate(done));
}
/** Long enough for all that was written to arrive. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await turnOver();
}
// They are loaded with the first stream, which no clock of a test can hurry.
beforeAll(() => Promise.all([import('./reconnecting.ts'), import('./sharedConnection.ts')]));
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  connections = [];
});
afterEach(() => {
  const timers = vi.getTimerCount();
  vi.useRealTimers();
  if (timers > 0) throw new Error(`${timers} timers are left`);
});

describe('streams that share a connection', () => {
  test('are asked for together, and each reads its own events', async () => {
    const [a, b] = [log('a.test'), log('b.test')];
    const reads = [a.next(), b.next()];
    const both = await opened(1);
    expect(both.lines).toEqual(['/api/logs/stream?domain=a.test', '/api/logs/stream?domain=b.test']);
    expect(both.request.headers.get('authorization')).toBe('Bearer secret');
    both.write(`${opening(0)}${opening(1)}event: 1\nid: 7\ndata: ["of b"]\n\nevent: 0\ndata: ["of a"]\n\n`);
    expect(await Promise.all(reads)).toEqual([['of a'], ['of b']]);
    await Promise.all([a.end(), b.end()]);
    expect(both.request.signal.aborted).toBe(true);
  });

  test('one alone has its own endpoint, and goes on after its last event when another joins', async () => {
    const a = log('a.test');
    const first = a.next();
    const alone = await opened(1);
    expect(alone.lines).toEqual(['/api/logs/stream?domain=a.test']);
    alone.write('id: 5\ndata: ["one"]\n\n');
    expect(await first).toEqual(['one']);
    const b = log('b.test');
    const reads = [a.next(), b.next()];
    const both = await opened(2);
    expect(alone.request.signal.aborted).toBe(true);
    expect(both.lines.toSorted()).toEqual(['/api/logs/stream?domain=a.test#5', '/api/logs/stream?domain=b.test']);
    const [ofA, ofB] = both.lines[0]?.includes('a.test') ? [0, 1] : [1, 0];
    both.write(`${opening(0)}${opening(1)}event: ${ofA}\nid: 6\ndata: ["two"]\n\nevent: ${ofB}\ndata: ["of b"]\n\n`);
    expect(await Promise.all(reads)).toEqual([['two'], ['of b']]);
    // Nothing broke, and nothing is told of it.
    expect(a.states).toEqual([
      ['connecting', false],
      ['open', false],
      ['open', true],
    ]);
    await Promise.all([a.end(), b.end()]);
  });

  test('hold no connection while they are paused, however long, and go on where they were', async () => {
    const a = log('a.test');
    const first = a.next();
    const before = await opened(1);
    before.write('id: 5\ndata: ["one"]\n\n');
    await first;
    const second = a.next();
    await settled();
    sharing.pause();
    expect(before.request.signal.aborted).toBe(true);
    await vi.advanceTimersByTimeAsync(600_000);
    expect(connections).toHaveLength(1);
    sharing.resume();
    const after = await opened(2);
    expect(after.request.headers.get('last-event-id')).toBe('5');
    after.write('id: 6\ndata: ["two"]\n\n');
    expect(await second).toEqual(['two']);
    expect(a.states.map(([state]) => state)).toEqual(['connecting', 'open', 'open']);
    await a.end();
  });

  test('one that is refused is told why, and leaves the others alone', async () => {
    const [a, b] = [log('a.test'), log('b.test')];
    const refused = errorOf(a.events.next());
    const read = b.next();
    const both = await opened(1);
    both.write(`${opening(0, { status: 404, body: '{"message":"Domain not found!"}' })}event: 0/end\ndata: ""\n\n`);
    both.write(`${opening(1)}event: 1\ndata: ["of b"]\n\n`);
    expect(await refused).toMatchObject({ kind: 'missing', message: 'Domain not found!' });
    expect(await read).toEqual(['of b']);
    await b.end();
  });

  test('all wait and try again by their own policy when the connection breaks off', async () => {
    const [a, b] = [log('a.test'), log('b.test')];
    const reads = [a.next(), b.next()];
    const broken = await opened(1);
    broken.write(`${opening(0)}${opening(1)}`);
    await settled();
    broken.end();
    await settled();
    expect(a.states.map(([state]) => state)).toEqual(['connecting', 'open', 'waiting']);
    const again = await opened(2);
    again.write(`${opening(0)}${opening(1)}event: 0\ndata: ["again"]\n\nevent: 1\ndata: ["again"]\n\n`);
    expect(await Promise.all(reads)).toEqual([['again'], ['again']]);
    await Promise.all([a.end(), b.end()]);
  });

  test('count as dead when the connection falls silent, but not while it is only quiet', async () => {
    const [a, b] = [log('a.test'), log('b.test')];
    const reads = [a.next(), b.next()];
    const quiet = await opened(1);
    quiet.write(`${opening(0)}${opening(1)}`);
    await settled();
    await vi.advanceTimersByTimeAsync(30_000);
    quiet.write('event: 0\n: still here\n\n');
    await settled();
    await vi.advanceTimersByTimeAsync(30_000);
    expect(a.states.at(-1)).toEqual(['open', false]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(a.states.map(([state]) => state)).toContain('waiting');
    await opened(2);
    await Promise.all([a.end(), b.end(), ...reads]);
  });

  test('count as dead as well when the gateway takes the connection and never answers', async () => {
    const [a, b] = [log('a.test'), log('b.test')];
    const reads = [a.next(), b.next()];
    await opened(1);
    await vi.advanceTimersByTimeAsync(50_000);
    await settled();
    expect(a.states.map(([state]) => state)).toEqual(['connecting', 'waiting', 'connecting']);
    const again = await opened(2);
    again.write(`${opening(0)}${opening(1)}event: 0\ndata: ["one"]\n\nevent: 1\ndata: ["two"]\n\n`);
    expect(new Set((await Promise.all(reads)).flat())).toEqual(new Set(['one', 'two']));
    await Promise.all([a.end(), b.end()]);
  });
});
