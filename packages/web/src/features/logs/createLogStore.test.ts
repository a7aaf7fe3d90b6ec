import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIdQueue, createLogStore, type LogStore } from './createLogStore.ts';
import { NO_FILTER, passes, patternOf } from './logFilter.ts';

let frames: FrameRequestCallback[] = [];
const paint = () => {
  for (const frame of frames.splice(0)) frame(performance.now());
};

beforeEach(() => {
  frames = [];
  // A frame has time for all of its lines, however busy the machine is.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  vi.stubGlobal('requestAnimationFrame', (frame: FrameRequestCallback) => frames.push(frame));
  vi.stubGlobal('cancelAnimationFrame', () => undefined);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const numbered = (from: number, count: number) => Array.from({ length: count }, (_, index) => `line ${from + index}`);
const rowsOf = ({ rows }: LogStore) => Array.from({ length: rows.count() }, (_, index) => rows.at(index)?.text);
const matchesOf = ({ matches }: LogStore) => Array.from({ length: matches.count() }, (_, index) => matches.at(index));
const request = (status: number) => `2026-11-21T07:10:11.123Z INFO 203.0.113.7 "GET / HTTP/1.1" ${status} 1 1ms -`;

describe('the lines of a log', () => {
  it('tells of a frame, not of each line', () => {
    const store = createLogStore(10);
    const told = vi.fn<() => void>();
    store.subscribe(told);
    for (let count = 0; count < 50; count += 1) store.append([`line ${count}`]);
    expect([told.mock.calls.length, frames.length]).toEqual([0, 1]);
    paint();
    expect([told.mock.calls.length, frames.length]).toEqual([1, 0]);
    expect(rowsOf(store)).toEqual(numbered(40, 10));
  });

  it('wait while it is paused, and come in their order', () => {
    const store = createLogStore(4);
    store.append(numbered(0, 2));
    store.pause();
    store.append(numbered(2, 1));
    expect([rowsOf(store), store.waiting()]).toEqual([['line 0', 'line 1'], 1]);
    store.resume();
    expect([rowsOf(store), store.waiting()]).toEqual([numbered(0, 3), 0]);
  });

  it('that waited are bounded too, and then nothing older stands before them', () => {
    const store = createLogStore(4);
    store.append(numbered(0, 3));
    store.pause();
    store.append(numbered(3, 5));
    expect(store.waiting()).toBe(5);
    store.setCapacity(10);
    store.resume();
    expect(rowsOf(store)).toEqual(numbered(4, 4));
  });

  it('have a mark where some may be missing, also among those that wait', () => {
    const store = createLogStore(10);
    store.append(['a']);
    store.markGap();
    store.pause();
    store.append(['b']);
    store.markGap();
    store.append(['c']);
    store.resume();
    expect(store.lines().map(({ id, text }) => (store.isGap(id) ? '---' : text))).toEqual([
      'a',
      '---',
      'b',
      '---',
      'c',
    ]);
    // It is shown whatever is filtered, and nothing is ever found in it.
    store.setFilter({ ...NO_FILTER, levels: ['ERROR'] });
    store.setSearch(patternOf('lost'));
    paint();
    expect([store.rows.count(), store.matches.count()]).toEqual([2, 0]);
  });

  it('are filtered and searched as they come and go', () => {
    const store = createLogStore(6);
    store.setFilter({ ...NO_FILTER, statuses: ['4', '5'] });
    const pattern = patternOf('50');
    store.setSearch(pattern);
    store.append([request(200), request(404), request(500)]);
    paint();
    expect([store.rows.count(), matchesOf(store)]).toEqual([2, [2]]);
    store.append([request(503), request(200), request(200), request(200), request(200)]);
    paint();
    expect(rowsOf(store)).toEqual([request(500), request(503)]);
    expect(matchesOf(store)).toEqual([2, 3]);
    expect(pattern?.lastIndex).toBe(0);
    expect([store.rows.placeOf(3), store.matches.placeOf(3)]).toEqual([1, 1]);
    store.setFilter(NO_FILTER);
    store.setSearch(null);
    paint();
    expect([store.rows.count(), store.matches.count()]).toEqual([6, 0]);
  });

  it('stay where they are while something else is searched for among them', () => {
    const store = createLogStore(6);
    store.setFilter({ ...NO_FILTER, statuses: ['4', '5'] });
    store.append([request(200), request(404), request(500)]);
    paint();
    store.setSearch(patternOf('200'));
    expect(rowsOf(store)).toEqual([request(404), request(500)]);
    paint();
    expect(matchesOf(store)).toEqual([]);
    store.setSearch(patternOf('404'));
    paint();
    expect(matchesOf(store)).toEqual([1]);
  });

  it('are looked through within a part of each frame, however many there are', () => {
    const store = createLogStore(100_000);
    store.append(numbered(0, 100_000));
    let now = 0;
    // Each look at the clock takes a millisecond, so a frame has time for a few hundred lines.
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 1));
    store.setSearch(patternOf('line'));
    frames.splice(0).at(-1)?.(0);
    expect(store.matches.count()).toBeGreaterThan(0);
    expect(store.matches.count()).toBeLessThan(2000);
    for (let left = 1000; left > 0 && frames.length > 0; left -= 1) paint();
    expect(store.matches.count()).toBe(100_000);
    // Until all have been sifted, no one takes those that have been for the whole.
    store.setFilter({ ...NO_FILTER, levels: ['OTHER'] });
    frames.splice(0).at(-1)?.(0);
    expect([store.isSifted(), store.rows.count() < 2000]).toEqual([false, true]);
    for (let left = 1000; left > 0 && frames.length > 0; left -= 1) paint();
    expect([store.isSifted(), store.rows.count()]).toEqual([true, 100_000]);
    store.append(['another']);
    expect(store.isSifted()).toBe(true);
  });
});

it('numbers of lines stay in order, whatever falls out', () => {
  const queue = createIdQueue();
  for (let id = 0; id < 30_000; id += 3) queue.push(id);
  for (let bound = 0; bound < 29_000; bound += 700) {
    queue.dropBelow(bound);
    expect(queue.at(0)).toBe(Math.ceil(bound / 3) * 3);
    expect(queue.length()).toBe(10_000 - Math.ceil(bound / 3));
    expect(queue.placeOf(bound + 4)).toBe(Math.ceil((bound + 4) / 3) - Math.ceil(bound / 3));
  }
  expect([queue.at(-1), queue.at(queue.length())]).toEqual([undefined, undefined]);
});

describe('a filter', () => {
  it.each([
    ['[ERROR] x', ['ERROR'], [], true],
    ['WARNING x', ['ERROR'], [], false],
    ['WARNING x', ['WARN', 'ERROR'], [], true],
    ['nothing of the kind', ['OTHER'], [], true],
    [request(404), [], ['4'], true],
    [request(404), ['ERROR'], ['4'], false],
    ['no status', [], ['2'], false],
    ['no status', [], [], true],
  ] as const)('has for %j and %j %j the answer %j', (text, levels, statuses, shown) => {
    expect(passes({ levels, statuses, only: {} }, text)).toBe(shown);
  });

  it.each([
    [{ visitor: '203.0.113.7' }, true],
    [{ visitor: '203.0.113.70' }, false],
    [{ path: '/x' }, true],
    [{ path: '/' }, false],
    [{ status: '404', visitor: '203.0.113.7' }, true],
    [{ status: '40' }, false],
  ])('shows only lines with %j: %j', (only, shown) => {
    const line = '2026-11-22T07:10:11.123Z WARN 203.0.113.7 "GET /x HTTP/1.1" 404 1 1ms -';
    expect(passes({ levels: [], statuses: [], only }, line)).toBe(shown);
    expect(passes({ levels: [], statuses: [], only }, 'a line of another form')).toBe(false);
  });

  it('finds text as it was typed, in capitals or not', () => {
    expect('GET /a.b?c=(1)'.match(patternOf('A.B?C=(') ?? '')?.[0]).toBe('a.b?c=(');
    expect(patternOf('a.b')?.test('axb')).toBe(false);
    expect(patternOf('')).toBeNull();
  });
});
