import { type BufferedLine, LogBuffer, printable } from '@sallyport/sdk';
import { useSyncExternalStore } from 'react';
import { isFiltering, type LogFilter, NO_FILTER, passes } from './logFilter.ts';

/** Part of a frame that may go into looking through lines; what is left over is looked through in the next one. */
const SCAN_MS = 3;
/** So many lines are looked through between two looks at the clock. */
const SCAN_LINES = 200;

const GAP_TEXT = 'Connection lost and found again; lines in between may be missing.';

/** The lines of one log, held outside of React; anyone who subscribes is told once a frame at most. */
export type LogStore = ReturnType<typeof createLogStore>;

export function createLogStore(initialCapacity: number) {
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
    const from = buffer.nextId;
    buffer.append(lines);
    for (let id = Math.max(from, buffer.firstId); id < buffer.nextId; id += 1) {
      longest = Math.max(longest, buffer.get(id)?.text.length ?? 0);
    }
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
    /** Returns the function that ends the subscription. */
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Another number for each frame in which something changed. */
    version: () => version,
    /** Takes new lines in; while it is paused they wait. */
    append(lines: readonly string[]) {
      begun = true;
      if (paused) waiting.append(lines);
      else show(lines);
      changed();
    },
    /** Marks that lines may be missing between those that are held and those that come next. */
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
    /** Forgets everything, for a stream that begins with its history. */
    reset() {
      begun = false;
      forgetWaiting();
      clear();
    },
    /** Takes away what is shown; what waits goes on waiting. */
    clear,
    pause() {
      paused = true;
      changed();
    },
    /** Shows what has waited. */
    resume() {
      paused = false;
      // What waited was more than can be held: nothing that was shown stands directly before it.
      if (waiting.dropped > 0) clear();
      const shift = buffer.nextId - waiting.firstId;
      for (const id of waitingGaps) gaps.add(id + shift);
      show(waiting.snapshot().map(({ text, details }) => (details === null ? text : `${text}\n${details}`)));
      forgetWaiting();
    },
    setCapacity(lines: number) {
      if (lines === capacity) return;
      capacity = lines;
      buffer.resize(lines);
      waiting.resize(lines);
      forgetDropped();
      changed();
    },
    setFilter(next: LogFilter) {
      filter = next;
      passing.clear();
      filtered = 0;
      sifted = false;
      seekAgain();
    },
    /** @param pattern null: nothing is searched for */
    setSearch(pattern: RegExp | null) {
      search = pattern;
      // What passes the filter stays: who reads it stays where they are.
      seekAgain();
    },
    /** Looks through lines now, as many as in a frame, for anyone who cannot wait for the next one. */
    lookThrough() {
      if (scan()) changed();
    },
    /** Every line held has been looked through since the filter was chosen. */
    isSifted: () => sifted,
    /** Anything has come since the stream began, be it an empty history. */
    isBegun: () => begun,
    isPaused: () => paused,
    /** Lines that wait to be shown. */
    waiting: () => waiting.size + waiting.dropped,
    /** Lines held, whether they are shown or filtered out. */
    size: () => buffer.size,
    /** Characters of the longest line so far. */
    longest: () => longest,
    /** How many lines have ever been shown, for telling how many are new. */
    taken: () => buffer.nextId,
    /** The line of that number; undefined when it is not held. */
    line: (id: number): BufferedLine | undefined => buffer.get(id),
    /** All lines held, oldest first. */
    lines: (): readonly BufferedLine[] => buffer.snapshot(),
    /** Whether the line of that number is a mark of a gap. */
    isGap: (id: number) => gaps.has(id),
    /** The lines that pass the filter. */
    rows: {
      count: () => (isFiltering(filter) ? passing.length() : buffer.size),
      at: (index: number) => buffer.get(isFiltering(filter) ? (passing.at(index) ?? -1) : buffer.firstId + index),
      placeOf: (id: number) =>
        isFiltering(filter) ? passing.placeOf(id) : Math.min(Math.max(id - buffer.firstId, 0), buffer.size),
    },
    /** The numbers of those of them in which the search finds something. */
    matches: { count: matching.length, at: matching.at, placeOf: matching.placeOf },
    /** Asks for no more frames. */
    stop() {
      if (frame !== null) cancelAnimationFrame(frame);
      frame = null;
    },
  };
}

/** So many forgotten numbers may lie at the beginning before they are taken away. */
const SLACK = 4096;

/** Ascending numbers of lines: new ones come at the end, old ones fall out at the beginning. */
export function createIdQueue() {
  let ids: number[] = [];
  let head = 0;

  /** Where the number stands, or the first one after it; `length` when there is none. */
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
    push: (id: number) => void ids.push(id),
    /** Forgets all numbers below this one. */
    dropBelow(id: number) {
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
    at: (index: number): number | undefined => (index < 0 ? undefined : ids[head + index]),
    placeOf,
  };
}

/** One fact of the store, drawn again when it is another one than in the frame before. */
export function useLogFact<T extends number | boolean>(store: LogStore, fact: () => T): T {
  return useSyncExternalStore(store.subscribe, fact);
}
