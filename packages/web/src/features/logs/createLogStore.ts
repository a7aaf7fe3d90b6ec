import { type BufferedLine, LogBuffer, printable } from '@sallyport/sdk';
import { isFiltering, type LogFilter, NO_FILTER, passes } from './logFilter.ts';
import { useSyncExternalStore } from 'react';

/** Part of a frame that may go into looking through lines; what is left over is looked through in the next one. */
const SCAN_MS = 3;
/** So many lines are looked through between two looks at the clock. */
const SCAN_LINES = 200;

const GAP_TEXT = 'Connection lost and found again; lines in between may be missing.';

/** The lines of one log, held outside of React; anyone who subscribes is told once a frame at most. */
export type LogStore = {
  /** Returns the function that ends the subscription. */
  subscribe: (listener: () => void) => () => void;
  /** Another number for each frame in which something changed. */
  version: () => number;
  /** Takes new lines in; while it is paused they wait. */
  append: (lines: readonly string[]) => void;
  /** Marks that lines may be missing between those that are held and those that come next. */
  markGap: () => void;
  /** Forgets everything, for a stream that begins with its history. */
  reset: () => void;
  /** Takes away what is shown; what waits goes on waiting. */
  clear: () => void;
  pause: () => void;
  /** Shows what has waited. */
  resume: () => void;
  setCapacity: (lines: number) => void;
  setFilter: (filter: LogFilter) => void;
  /** @param pattern null: nothing is searched for */
  setSearch: (pattern: RegExp | null) => void;
  /** Looks through lines now, as many as in a frame, for anyone who cannot wait for the next one. */
  lookThrough: () => void;
  /** Every line held has been looked through since the filter was chosen. */
  isSifted: () => boolean;
  /** Anything has come since the stream began, be it an empty history. */
  isBegun: () => boolean;
  isPaused: () => boolean;
  /** Lines that wait to be shown. */
  waiting: () => number;
  /** Lines held, whether they are shown or filtered out. */
  size: () => number;
  capacity: () => number;
  /** Characters of the longest line so far. */
  longest: () => number;
  /** How many lines have ever been shown, for telling how many are new. */
  taken: () => number;
  /** All lines held, oldest first. */
  lines: () => readonly BufferedLine[];
  /** Whether the line of that number is a mark of a gap. */
  isGap: (id: number) => boolean;
  /** The lines that pass the filter. */
  rows: {
    count: () => number;
    at: (index: number) => BufferedLine | undefined;
    placeOf: (id: number) => number;
  };
  /** The numbers of those of them in which the search finds something. */
  matches: { count: () => number; at: (index: number) => number | undefined; placeOf: (id: number) => number };
  /** Asks for no more frames. */
  stop: () => void;
};

export function createLogStore(initialCapacity: number): LogStore {
  const listeners = new Set<() => void>();
  const buffer = new LogBuffer(initialCapacity);
  const waiting = new LogBuffer(initialCapacity);
  const gaps = new Set<number>();
  const waitingGaps = new Set<number>();
  const passing = createIdQueue();
  const matching = createIdQueue();
  let capacity = initialCapacity;
  let filter = NO_FILTER;
  let search: RegExp | null = null;
  let [paused, begun, longest, version] = [false, false, 0, 0];
  // Lines below these numbers have been looked through for the filter, and for the search.
  let [filtered, searched] = [0, 0];
  let sifted = true;
  let frame: number | null = null;

  function changed() {
    frame ??= requestAnimationFrame(draw);
  }

  function draw() {
    frame = null;
    if (scan()) changed();
    version += 1;
    for (const listener of listeners) listener();
  }

  /** Looks lines through, as long as there is time; returns whether some are left. */
  function scan(): boolean {
    const until = performance.now() + SCAN_MS;
    filtered = lookOn(filtered, buffer.nextId, isFiltering(filter) ? sift : null, until);
    // Only what has been sifted is searched, so that the one list never runs ahead of the other.
    searched = lookOn(searched, filtered, search ? seek : null, until);
    sifted ||= filtered >= buffer.nextId;
    return searched < buffer.nextId;
  }

  /** Returns up to which number lines have been looked at. */
  function lookOn(from: number, to: number, look: ((id: number) => void) | null, until: number): number {
    if (!look) return to;
    let id = Math.max(from, buffer.firstId);
    while (id < to && performance.now() < until) {
      for (const end = Math.min(id + SCAN_LINES, to); id < end; id += 1) look(id);
    }
    return id;
  }

  function sift(id: number) {
    if (gaps.has(id) || passes(filter, buffer.get(id)?.text ?? '')) passing.push(id);
  }

  function seek(id: number) {
    if (gaps.has(id) || (isFiltering(filter) && passing.at(passing.placeOf(id)) !== id)) return;
    // Unlike `test`, this leaves no mark in a pattern that others use too.
    if (search && printable(buffer.get(id)?.text ?? '').search(search) >= 0) matching.push(id);
  }

  function seekAgain() {
    matching.clear();
    searched = 0;
    changed();
  }

  function forgetDropped() {
    passing.dropBelow(buffer.firstId);
    matching.dropBelow(buffer.firstId);
    for (const id of gaps) if (id < buffer.firstId) gaps.delete(id);
  }

  function show(lines: readonly string[]) {
    for (const text of lines) if (text.length > longest) longest = text.length;
    buffer.append(lines);
    forgetDropped();
    changed();
  }

  function forgetWaiting() {
    waiting.clear();
    waitingGaps.clear();
  }

  function clear() {
    buffer.clear();
    longest = 0;
    forgetDropped();
    changed();
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    version: () => version,
    append(lines) {
      begun = true;
      if (paused) waiting.append(lines);
      else show(lines);
      changed();
    },
    markGap() {
      if (paused) {
        waitingGaps.add(waiting.nextId);
        waiting.append([GAP_TEXT]);
      } else {
        gaps.add(buffer.nextId);
        show([GAP_TEXT]);
      }
      changed();
    },
    reset() {
      begun = false;
      forgetWaiting();
      clear();
    },
    clear,
    pause() {
      paused = true;
      changed();
    },
    resume() {
      paused = false;
      // What waited was more than can be held: nothing that was shown stands directly before it.
      if (waiting.dropped > 0) clear();
      const shift = buffer.nextId - waiting.firstId;
      for (const id of waitingGaps) gaps.add(id + shift);
      show(waiting.snapshot().map(({ text }) => text));
      forgetWaiting();
    },
    setCapacity(lines) {
      if (lines === capacity) return;
      capacity = lines;
      buffer.resize(lines);
      waiting.resize(lines);
      forgetDropped();
      changed();
    },
    setFilter(next) {
      filter = next;
      passing.clear();
      filtered = 0;
      sifted = false;
      seekAgain();
    },
    setSearch(pattern) {
      search = pattern;
      // What passes the filter stays: who reads it stays where they are.
      seekAgain();
    },
    lookThrough() {
      if (scan()) changed();
    },
    isSifted: () => sifted,
    isBegun: () => begun,
    isPaused: () => paused,
    waiting: () => waiting.size + waiting.dropped,
    size: () => buffer.size,
    capacity: () => capacity,
    longest: () => longest,
    taken: () => buffer.nextId,
    lines: () => buffer.snapshot(),
    isGap: (id) => gaps.has(id),
    rows: {
      count: () => (isFiltering(filter) ? passing.length() : buffer.size),
      at: (index) => buffer.get(isFiltering(filter) ? (passing.at(index) ?? -1) : buffer.firstId + index),
      placeOf: (id) =>
        isFiltering(filter) ? passing.placeOf(id) : Math.min(Math.max(id - buffer.firstId, 0), buffer.size),
    },
    matches: { count: matching.length, at: matching.at, placeOf: matching.placeOf },
    stop() {
      if (frame !== null) cancelAnimationFrame(frame);
      frame = null;
    },
  };
}

/** Ascending numbers of lines: new ones come at the end, old ones fall out at the beginning. */
export type IdQueue = {
  length: () => number;
  push: (id: number) => void;
  /** Forgets all numbers below this one. */
  dropBelow: (id: number) => void;
  clear: () => void;
  at: (index: number) => number | undefined;
  /** Where the number stands, or the first one after it; `length` when there is none. */
  placeOf: (id: number) => number;
};

/** So many forgotten numbers may lie at the beginning before they are taken away. */
const SLACK = 4096;

export function createIdQueue(): IdQueue {
  let ids: number[] = [];
  let head = 0;

  const placeOf = (id: number) => {
    let [low, high] = [head, ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ids[middle] ?? id) < id) low = middle + 1;
      else high = middle;
    }
    return low - head;
  };

  return {
    length: () => ids.length - head,
    push: (id) => void ids.push(id),
    dropBelow(id) {
      while (head < ids.length && (ids[head] ?? id) < id) head += 1;
      // Seldom enough that each number is moved once or twice in its life.
      if (head < SLACK || head * 2 < ids.length) return;
      ids = ids.slice(head);
      head = 0;
    },
    clear() {
      ids = [];
      head = 0;
    },
    at: (index) => (index < 0 ? undefined : ids[head + index]),
    placeOf,
  };
}

/** One fact of the store, drawn again when it is another one than in the frame before. */
export function useLogFact<T extends number | boolean>(store: LogStore, fact: () => T): T {
  return useSyncExternalStore(store.subscribe, fact);
}
