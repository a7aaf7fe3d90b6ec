import { LINE_BEGIN, lineNames, readAccessLine, readCutAccessLine } from './accessLine.ts';

/** A line as it is stored: what nginx wrote, one character for each byte (latin1), without its break. */
export type RawLine = {
  text: string;
  /** Milliseconds since 1970; 0 when the line does not tell. */
  time: number;
  /** The logs that it belongs to: `http/5`, `domain/2`. */
  names: readonly string[];
};

/** The most bytes of a line that are stored. */
const LONGEST_LINE = 64 * 1024;
const TIME_AT = LINE_BEGIN.length;
/** nginx writes seconds and milliseconds, always fourteen characters. */
const KEYS_AT = TIME_AT + '1795331411.123'.length;
const KEYS = /^","d":"(\d{0,15})","s":"(\d{0,15})","k":"(\w{0,8})$/;
const MOST_KEYS = 20_000;
const QUOTE = 0x22;

/** Tells the time and the logs of each line that nginx wrote, without parsing the rest of it. */
export type LineParser = {
  /** Calls back with each line of a text of whole lines that counts for a log, and where in it the line begins. */
  parse(text: string, onLine: (line: RawLine, at: number) => void): void;
  /** Told when `isKnown` may answer something else. */
  forget(): void;
};

/** @param isKnown whether there is a log of that name; others are left out */
export function createLineParser(isKnown: (name: string) => boolean): LineParser {
  /** What tells whose a line is stands at the same place in each line; there are as many such texts as services. */
  const known = new Map<string, readonly string[]>();

  const namesAt = (text: string, from: number, to: number): readonly string[] | null => {
    const end = text.indexOf('","c":"', from + KEYS_AT);
    if (end < 0 || end > to) return null;
    const keys = text.slice(from + KEYS_AT, end);
    const found = known.get(keys);
    if (found !== undefined) return found;
    const [all, domain = '', service = '', kind = ''] = KEYS.exec(keys) ?? [];
    if (all === undefined) return null;
    const names = lineNames(domain, service, kind).filter(isKnown);
    if (known.size >= MOST_KEYS) known.clear();
    known.set(keys, names);
    return names;
  };

  /** The line between two places of a text; null when it cannot be read. */
  const lineAt = (text: string, from: number, to: number): RawLine | null => {
    if (to - from > LONGEST_LINE) return readCut(text.slice(from, from + LONGEST_LINE));
    const begin = text.indexOf(LINE_BEGIN, from + 1);
    const isWhole = (begin < 0 || begin > to) && text.startsWith(LINE_BEGIN, from) && text.endsWith('"}', to);
    const names = isWhole && text.charCodeAt(from + KEYS_AT) === QUOTE ? namesAt(text, from, to) : null;
    if (names === null) return readOdd(text.slice(from, to));
    const seconds = Number(text.slice(from + TIME_AT, from + KEYS_AT));
    return { text: text.slice(from, to), time: Math.round(seconds * 1000) || 0, names };
  };

  return {
    parse(text, onLine) {
      for (let from = 0, to = 0; from < text.length; from = to + 1) {
        to = text.indexOf('\n', from);
        if (to < 0) to = text.length;
        const line = lineAt(text, from, to);
        if (line !== null && line.names.length > 0) onLine(line, from);
      }
    },
    forget: () => known.clear(),
  };

  function readOdd(text: string): RawLine | null {
    const line = readAccessLine(decode(text));
    if (line !== null) return { text, time: line.time, names: line.names.filter(isKnown) };
    // After the beginning of a line that a full disk had cut off, a whole one may stand.
    const begin = text.lastIndexOf(LINE_BEGIN);
    return begin <= 0 ? null : readOdd(text.slice(begin));
  }

  function readCut(text: string): RawLine | null {
    const cut = readCutAccessLine(decode(text));
    return cut === null ? null : { text: encode(cut.json), time: cut.line.time, names: cut.line.names.filter(isKnown) };
  }
}

const decode = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');
const encode = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
