import type { KeptPart } from './logSegments.ts';
import type { LogPiece } from './logTail.ts';

/** The lines of a piece that belong to one log, while the piece is gone through. */
export type LineRuns = {
  isEmpty(): boolean;
  /** Adds lines that stand behind those that were added before. */
  add(from: number, to: number): void;
  /**
   * What was added, as one; its bytes are good until the next time that anybody takes any.
   * @param keptEnd what ends before it in nginx's file is kept already
   * @returns null when that is everything
   */
  take(serial: number, piece: LogPiece, keptEnd: number | null): KeptPart | null;
};

/** Where the lines of one log are put together; one for all, since they are taken one log after the other. */
let gathered: Buffer = Buffer.alloc(0);

export function createLineRuns(): LineRuns {
  /** Where each run begins and ends, by turns: there may be one for each line. */
  let runs: number[] = [];
  return {
    isEmpty: () => runs.length === 0,
    add(from, to) {
      if (runs.at(-1) === from) runs[runs.length - 1] = to;
      else runs.push(from, to);
    },
    take(serial, { bytes, end }, keptEnd) {
      const start = end - bytes.length;
      const own = keptEnd === null || keptEnd <= start ? runs : behind(runs, keptEnd - start);
      runs = [];
      if (own.length === 0) return null;
      const ownBytes = own.length === 2 ? bytes.subarray(own[0], own[1]) : gather(bytes, own);
      return { bytes: ownBytes, serial, endAt: (length) => start + placeOf(own, length) };
    },
  };
}

/** What of runs stands behind a place, which is the end of a line. */
function behind(runs: readonly number[], place: number): number[] {
  const first = runs.findIndex((at, index) => index % 2 === 1 && at > place) - 1;
  return first < 0 ? [] : [Math.max(runs[first] ?? 0, place), ...runs.slice(first + 1)];
}

function gather(bytes: Buffer, runs: readonly number[]): Buffer {
  if (gathered.length < bytes.length) gathered = Buffer.allocUnsafeSlow(bytes.length);
  let length = 0;
  for (let index = 0; index < runs.length; index += 2) {
    length += bytes.copy(gathered, length, runs[index], runs[index + 1]);
  }
  return gathered.subarray(0, length);
}

/** Where in the piece the line ends that ends behind so many bytes of the runs. */
function placeOf(runs: readonly number[], length: number): number {
  let end = 0;
  for (let index = 0, left = length; index < runs.length && left > 0; index += 2) {
    const from = runs[index] ?? 0;
    const taken = Math.min(left, (runs[index + 1] ?? 0) - from);
    end = from + taken;
    left -= taken;
  }
  return end;
}
