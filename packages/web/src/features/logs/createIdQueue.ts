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
