import { LINE_BEGIN, lineNames, readAccessLine, readCutAccessLine } from './accessLine.ts';
import { LONGEST_RAW_LINE } from './keptLines.ts';

/** Lines that belong to the same logs. `owner` is for whoever sorts them, to note what these logs are to him. */
export type LineGroup<Owner> = { names: readonly string[]; owner: Owner | null };

/** Tells whose lines there are in what nginx wrote, without making a text of them. */
export type LineSorter<Owner> = {
  /**
   * @param bytes whole lines. Of a line that is too long the beginning is moved to where it ends.
   * @param onRun told of lines of one group that stand one behind the other, and where
   */
  sort(bytes: Buffer, onRun: (group: LineGroup<Owner>, from: number, to: number) => void): void;
  /** Forgets what was noted. */
  forget(): void;
  /** How many lines were not understood. */
  skipped(): number;
};

/** What tells whose a line is, as 32-bit numbers, and how many bytes that is. */
type Keys = { length: number; words: Int32Array };
type KnownGroup<Owner> = LineGroup<Owner> & Keys;
/** A line that had to be read, and where it begins. */
type Placed = { names: readonly string[]; from: number };

const LINE_BREAK = 0x0a;
const BRACE = 0x7b;
const BEGIN = Buffer.from(LINE_BEGIN);
/** The first and the last bytes of a line: `{"t"` and `"}`. */
const BEGIN_WORD = 0x7b227422;
const END_WORD = 0x227d;
/** What tells whose a line is stands behind its time, of which nginx always writes fourteen characters. */
const KEYS_AT = BEGIN.length + '1795331411.123'.length;
const KEYS = /^","d":"(\d{0,15})","s":"(\d{0,15})","k":"(\w{0,8})","c":"/;
const KEYS_MOST_BYTES = 72;
/** So many bytes of it are always part of it, and nearly always tell one group from all others. */
const HASHED_BYTES = 28;
/** When there are more groups than anybody has services, they are found again. */
const MOST_GROUPS = 20_000;

export function createLineSorter<Owner>(): LineSorter<Owner> {
  const groups = new Map<number, KnownGroup<Owner>>();
  let last: KnownGroup<Owner> | null = null;
  let skipped = 0;

  /** The group of the line whose keys stand at a place, which most often is that of the line before. */
  const groupAt = (bytes: Buffer, view: DataView, at: number): LineGroup<Owner> | null => {
    if (last !== null && hasKeys(last, view, at)) return last;
    if (at + HASHED_BYTES > view.byteLength) return null;
    let hash = 0;
    for (let from = at; from < at + HASHED_BYTES; from += 4) hash = (Math.imul(hash, 31) + view.getInt32(from)) | 0;
    const known = groups.get(hash);
    if (known !== undefined && hasKeys(known, view, at)) {
      last = known;
      return known;
    }
    const read = readKeys(bytes, view, at);
    if (read === null) return null;
    if (groups.size >= MOST_GROUPS) groups.clear();
    last = { ...read, owner: null };
    groups.set(hash, last);
    return last;
  };

  return {
    sort(bytes, onRun) {
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      let run: LineGroup<Owner> | null = null;
      let runFrom = 0;
      let runTo = 0;
      let brace = 0;
      for (let from = 0, to = 0; from < bytes.length; from = to) {
        to = bytes.indexOf(LINE_BREAK, from) + 1;
        if (brace <= from) brace = indexOrEnd(bytes, from + 1);
        const isPlain = isWhole(view, from, to) && (brace >= to || !isGlued(bytes, from, to));
        let group = isPlain ? groupAt(bytes, view, from + KEYS_AT) : null;
        if (group !== null && group === run && from === runTo) {
          runTo = to;
          continue;
        }
        let begin = from;
        if (group === null) {
          const odd = readOdd(bytes, from, to);
          if (odd === null) {
            skipped += 1;
            continue;
          }
          group = { names: odd.names, owner: null };
          begin = odd.from;
        }
        if (run !== null) onRun(run, runFrom, runTo);
        run = group;
        runFrom = begin;
        runTo = to;
      }
      if (run !== null) onRun(run, runFrom, runTo);
    },
    forget() {
      groups.clear();
      last = null;
    },
    skipped: () => skipped,
  };
}

function hasKeys({ words, length }: Keys, view: DataView, at: number): boolean {
  if (at + length > view.byteLength) return false;
  const end = words.length - 1;
  for (let index = 0; index < end; index += 1) if (view.getInt32(at + index * 4) !== words[index]) return false;
  // The last four bytes, of which some may have been seen already.
  return view.getInt32(at + length - 4) === words[end];
}

function readKeys(bytes: Buffer, view: DataView, at: number): (Keys & { names: string[] }) | null {
  const [keys, domain = '', service = '', kind = ''] =
    KEYS.exec(bytes.toString('latin1', at, at + KEYS_MOST_BYTES)) ?? [];
  if (keys === undefined) return null;
  const { length } = keys;
  const words = Int32Array.from({ length: Math.ceil(length / 4) }, (_, index) =>
    view.getInt32(at + Math.min(index * 4, length - 4)),
  );
  return { names: lineNames(domain, service, kind), length, words };
}

/** Whether a line begins and ends as nginx's do, and none of it has to be left out. */
function isWhole(view: DataView, from: number, to: number): boolean {
  const length = to - from;
  if (length <= KEYS_AT || length > LONGEST_RAW_LINE + 1) return false;
  return view.getInt32(from) === BEGIN_WORD && view.getUint16(to - 3) === END_WORD;
}

function indexOrEnd(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(BRACE, from);
  return at === -1 ? bytes.length : at;
}

/** Whether a line begins within another one, whose end a full disk had cut off. */
function isGlued(bytes: Buffer, from: number, to: number): boolean {
  const at = bytes.indexOf(BEGIN, from + 1);
  return at !== -1 && at < to;
}

/** Reads a line that does not look as all others do; null when it cannot be read. */
function readOdd(bytes: Buffer, from: number, to: number): Placed | null {
  const length = to - 1 - from;
  if (length > LONGEST_RAW_LINE) {
    const line = readCutAccessLine(bytes.toString('utf8', from, from + LONGEST_RAW_LINE));
    if (line === null) return null;
    const begin = to - 1 - (LONGEST_RAW_LINE + 1);
    bytes.copyWithin(begin, from, from + LONGEST_RAW_LINE + 1);
    return { names: line.names, from: begin };
  }
  const line = readAccessLine(bytes.toString('utf8', from, to - 1));
  if (line !== null) return { names: line.names, from };
  // What stands behind the beginnings of lines that a full disk had cut off may be whole.
  const begin = bytes.lastIndexOf(BEGIN, to - 1);
  const mended = begin <= from ? null : readAccessLine(bytes.toString('utf8', begin, to - 1));
  return mended === null ? null : { names: mended.names, from: begin };
}
