import type { LogDetails } from '@sallyport/sdk/contract';

/** A readable line, the service and domain that it counts for (`http/5`, `domain/2`), and its time in milliseconds since 1970. */
export type AccessLine = { names: string[]; text: string; time: number };

const ID = /^[1-9]\d{0,14}$/;
const LONGEST_TEXT = 64 * 1024;
const CUT_MARK = '…[cut]';
// Control characters, those that change the direction or are not seen, and line separators.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
// What nginx writes when no field holds anything but printable ASCII without quotes and backslashes: nearly always.
const PLAIN = '[ !#-\\[\\]-~]*';
const PLAIN_LINE = new RegExp(
  `^\\{"t":"(\\d{1,11})\\.(\\d{3})","d":"(\\d*)","s":"(\\d*)","k":"(\\w*)","c":"(${PLAIN})","r":"(${PLAIN})","st":"(\\d*)","b":"(\\d*)","ms":"([\\d.]*)","u":"(${PLAIN})"[,}]`,
);
const UNSAFE_IN_QUOTES = /["\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a readable line from one that nginx wrote as JSON; null when it is not one.
 *
 * `t` seconds since 1970, `d` domain, `s` service, `k` kind of the service, `c` client, `r` request, `st` status,
 * `b` bytes, `ms` seconds taken, `u` upstream. What is missing becomes `-`. The fields after these are for searching.
 */
export function readAccessLine(json: string): AccessLine | null {
  const plain = PLAIN_LINE.exec(json);
  return plain === null ? readObject(json) : readPlain(plain);
}

/** Within a field each quote follows a backslash, so this can only be where a line begins. */
export const LINE_BEGIN = '{"t":"';

function readPlain(match: RegExpExecArray): AccessLine {
  const [
    ,
    seconds = '',
    thousandths = '',
    domain = '',
    service = '',
    kind = '',
    client,
    request,
    status = '',
    bytes,
    ms = '',
    upstream,
  ] = match;
  const text = `${plainTime(seconds, thousandths)} ${level(status)} ${client || '-'} "${request || '-'}" ${status || '-'} ${bytes || '-'} ${milliseconds(ms || '-')} ${upstream || '-'}`;
  return {
    names: lineNames(domain, service, kind),
    text: cut(text),
    time: millisecondsOf(`${seconds}.${thousandths}`),
  };
}

/** Lines come by the thousand within a second: its part of the time is made once. */
let lastSecond = '';
let lastSecondText = '';
function plainTime(seconds: string, thousandths: string): string {
  if (seconds !== lastSecond) {
    lastSecondText = new Date(Number(seconds) * 1000).toISOString().slice(0, -'000Z'.length);
    lastSecond = seconds;
  }
  return `${lastSecondText}${thousandths}Z`;
}

function readObject(json: string): AccessLine | null {
  let fields: unknown;
  try {
    fields = JSON.parse(json);
  } catch {
    return null;
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return null;
  const values = new Map<string, unknown>(Object.entries(fields));
  const field = (name: string): string => {
    const value = values.get(name);
    return typeof value === 'string' && value !== '' ? value : '-';
  };
  const at = millisecondsOf(field('t'));
  if (values.has(SKIPPED))
    return { names: [], text: `${time(field('t'))} WARN - "${skipText(field(SKIPPED))}" - - - -`, time: at };
  const status = field('st');
  const parts = [
    time(field('t')),
    level(status),
    escape(field('c')),
    `"${field('r').replace(UNSAFE_IN_QUOTES, escapeCharacter)}"`,
    escape(status),
    escape(field('b')),
    milliseconds(field('ms')),
    escape(field('u')),
  ];
  return { names: lineNames(field('d'), field('s'), field('k')), text: cut(parts.join(' ')), time: at };
}

/**
 * A readable line, and below it what else is known, as JSON: `h` the host name that was asked for, `a` the visitor's
 * program, `i` bytes received, `w` the seconds that backends took, one after the other where several were tried.
 */
export function readDetailedLine(json: string): string | null {
  const line = readAccessLine(json);
  if (line === null) return null;
  const { h, a, i, w, k, s } = fieldsOf(json);
  const seconds = (w ?? '').match(/\d+\.\d+/g) ?? [];
  const details: LogDetails = {
    ...(h && { host: escape(h) }),
    ...(a && { agent: escape(a) }),
    ...(i && { received: Number(i) || 0 }),
    ...(seconds.length > 0 && {
      backendMilliseconds: Math.round(1000 * seconds.reduce((sum, one) => sum + Number(one), 0)),
    }),
    ...((k === 'http' || k === 'tcp') && ID.test(s ?? '') && { service: { type: k, id: Number(s) } }),
  };
  return `${line.text}\n${JSON.stringify(details)}`;
}

/** The fields of a line that are texts; none when it is no JSON object. */
function fieldsOf(json: string): Partial<Record<string, string>> {
  try {
    const fields: unknown = JSON.parse(json);
    const isObject = typeof fields === 'object' && fields !== null;
    return isObject ? Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'string')) : {};
  } catch {
    return {};
  }
}

/** Saves what can be saved of a line whose end was cut off in the middle of a field; null when that is nothing. */
export function readCutAccessLine(beginning: string): { json: string; line: AccessLine } | null {
  // A cut through an escape sequence or a character would spoil the string that is closed here.
  const json = `${beginning.replace(/(?:\\(?:u[\da-fA-F]{0,3})?|\ufffd+)$/, '')}${CUT_MARK}"}`;
  const line = readAccessLine(json);
  return line === null ? null : { json, line };
}

/** The line that stands for others, which came faster than they could be stored. It is no line that nginx writes. */
export const skipMark = (lines: number, lastTime: number): string =>
  JSON.stringify({ t: (lastTime / 1000).toFixed(3), [SKIPPED]: String(lines) });

const SKIPPED = 'skipped';
const skipText = (lines: string): string =>
  `${escape(lines)} lines were skipped: they came faster than they could be stored`;

const millisecondsOf = (seconds: string): number => Math.round(Number(seconds) * 1000) || 0;

/** The names of the logs that a line belongs to which tells of a domain and of a service of a kind. */
export function lineNames(domain: string, service: string, kind: string): string[] {
  const found: string[] = [];
  if ((kind === 'http' || kind === 'tcp') && ID.test(service)) found.push(`${kind}/${service}`);
  if (ID.test(domain)) found.push(`domain/${domain}`);
  return found;
}

function time(seconds: string): string {
  const instant = new Date(Math.round(Number(seconds) * 1000));
  return Number.isNaN(instant.getTime()) ? '-' : instant.toISOString();
}

function milliseconds(seconds: string): string {
  const value = Math.round(Number(seconds) * 1000);
  return Number.isFinite(value) ? `${value}ms` : '-';
}

function level(status: string): string {
  if (status.length !== 3) return 'INFO';
  if (status.startsWith('5')) return 'ERROR';
  return status.startsWith('4') ? 'WARN' : 'INFO';
}

function escape(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
}

function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - CUT_MARK.length)}${CUT_MARK}`;
}

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

/**
 * Tells the time and the logs of each line that nginx wrote, without parsing the rest of it.
 * @param isKnown whether there is a log of that name; others are left out
 */
export function createLineParser(isKnown: (name: string) => boolean) {
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
    /** Calls back with each line of a text of whole lines that counts for a log, and where in it the line begins. */
    parse(text: string, onLine: (line: RawLine, at: number) => void): void {
      for (let from = 0, to = 0; from < text.length; from = to + 1) {
        to = text.indexOf('\n', from);
        if (to < 0) to = text.length;
        const line = lineAt(text, from, to);
        if (line !== null && line.names.length > 0) onLine(line, from);
      }
    },
    /** Told when `isKnown` may answer something else. */
    forget: (): void => known.clear(),
  };

  function readOdd(text: string): RawLine | null {
    const line = readAccessLine(decode(text));
    if (line !== null) return { text, time: line.time, names: line.names.filter(isKnown) };
    // After the beginning of a line that a full disk had cut off, a whole one may stand.
    const begin = text.lastIndexOf(LINE_BEGIN);
    return begin <= 0 ? null : readOdd(text.slice(begin));
  }

  function readCut(text: string): RawLine | null {
    const saved = readCutAccessLine(decode(text));
    if (saved === null) return null;
    return { text: encode(saved.json), time: saved.line.time, names: saved.line.names.filter(isKnown) };
  }
}

const decode = (latin1: string): string => Buffer.from(latin1, 'latin1').toString('utf8');
const encode = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');
