import { LOG_BUFFER_LINES, type LogDetails } from './contract/log.ts';

/** A line with a number that no other line of the buffer ever has; `details` is what came below its text, if anything did. */
export type BufferedLine = { readonly id: number; readonly text: string; readonly details: string | null };

/** What a stream that was asked for `details` tells besides the text of a line. */
export function parseDetails(details: string | null): LogDetails {
  try {
    const parsed: unknown = JSON.parse(details ?? '{}');
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch {
    return {};
  }
}

/**
 * The newest lines of a log, at most `capacity` of them; the oldest are dropped.
 * Appending costs the same however full it is. `snapshot` returns the same array until something changes.
 */
export class LogBuffer {
  #capacity: number;
  #ring: BufferedLine[] = [];
  // Where the oldest line is, once the ring is full.
  #start = 0;
  #nextId = 0;
  #dropped = 0;
  #snapshot: readonly BufferedLine[] | null = null;

  /** @throws RangeError unless `capacity` is a whole number of at least 1. */
  constructor(capacity: number = LOG_BUFFER_LINES) {
    this.#capacity = checkedCapacity(capacity);
  }

  /** How many lines it holds. */
  get size(): number {
    return this.#ring.length;
  }

  /** How many lines fell out at the old end since it was made or cleared. */
  get dropped(): number {
    return this.#dropped;
  }

  /** The number of the oldest line that it holds; `nextId` when it holds none. */
  get firstId(): number {
    return this.#nextId - this.#ring.length;
  }

  /** The number that the next line will have. */
  get nextId(): number {
    return this.#nextId;
  }

  /** The line of that number, found at once; undefined when it is not held. */
  get(id: number): BufferedLine | undefined {
    const index = id - this.firstId;
    if (index < 0 || index >= this.#ring.length) return undefined;
    return this.#ring[(this.#start + index) % this.#ring.length];
  }

  append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#snapshot = null;
    // Of more lines than fit, the first ones would be gone again at once.
    const skipped = Math.max(0, lines.length - this.#capacity);
    this.#nextId += skipped;
    this.#dropped += skipped;
    for (let index = skipped; index < lines.length; index += 1) {
      const line = lines[index] ?? '';
      const end = line.indexOf('\n');
      const [text, details] = end < 0 ? [line, null] : [line.slice(0, end), line.slice(end + 1)];
      this.#push({ id: this.#nextId, text, details });
      this.#nextId += 1;
    }
  }

  #push(line: BufferedLine) {
    if (this.#ring.length < this.#capacity) {
      this.#ring.push(line);
      return;
    }
    this.#ring[this.#start] = line;
    this.#start = (this.#start + 1) % this.#capacity;
    this.#dropped += 1;
  }

  /** The lines, oldest first. */
  snapshot(): readonly BufferedLine[] {
    this.#snapshot ??= [...this.#ring.slice(this.#start), ...this.#ring.slice(0, this.#start)];
    return this.#snapshot;
  }

  /** Forgets all lines and the count of dropped ones; numbers go on. */
  clear(): void {
    this.#ring = [];
    this.#start = 0;
    this.#dropped = 0;
    this.#snapshot = null;
  }

  /**
   * Changes how many lines it may hold; what does not fit is dropped.
   *
   * @throws RangeError unless `capacity` is a whole number of at least 1.
   */
  resize(capacity: number): void {
    const lines = this.snapshot();
    this.#capacity = checkedCapacity(capacity);
    this.#ring = lines.slice(-this.#capacity);
    this.#dropped += lines.length - this.#ring.length;
    this.#start = 0;
    this.#snapshot = null;
  }
}

function checkedCapacity(capacity: number): number {
  if (!Number.isSafeInteger(capacity) || capacity < 1) {
    throw new RangeError('The capacity of a log buffer is a whole number of at least 1');
  }
  return capacity;
}

/** How bad a line of a log is. */
export type Level = 'ERROR' | 'WARN' | 'INFO' | 'DEBUG';

const NAMES: Record<string, Level> = { ERROR: 'ERROR', WARN: 'WARN', WARNING: 'WARN', INFO: 'INFO', DEBUG: 'DEBUG' };

// One request in the gateway's own format. Every field but the quoted request is made by nginx, and a quote within the
// request arrives escaped, so the fields stand where they stand.
const GATEWAY_LINE =
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)|-) (ERROR|WARN|INFO|DEBUG) (\S+) "((?:[^"\\]|\\.)*)" (\d{3}|-) (\d+|-) (?:(\d+)ms|-) (.+)$/;

// nginx's combined format, and that of its TCP and UDP streams.
const COMBINED_LINE = /^\S+ - [^"]*\] "(?:[^"\\]|\\.)*" (\d{3})(?: |$)/;
const STREAM_LINE = /^\S+ \[[^\]"]*\] (?:TCP|UDP) (\d{3})(?: |$)/;

// A level at the beginning of a line, after a time if there is one: `[ERROR] …`, `2026-11-21 07:10:11 WARN …`.
const MARKED_LINE =
  /^(?:\[?[\dT:/.,+ Z-]{8,40}\]?\s+)?(?:\[(ERROR|WARN(?:ING)?|INFO|DEBUG)\]|(ERROR|WARN(?:ING)?|INFO|DEBUG)(?=[\s:]))/i;

// How a line in the gateway's format begins. Whatever begins so has its level here, so most lines need not be read whole.
const GATEWAY_HEAD = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (ERROR|WARN|INFO|DEBUG) /;

const levelOfStatus = (status: string): Level =>
  status.startsWith('5') ? 'ERROR' : status.startsWith('4') ? 'WARN' : 'INFO';

/** One request, as the gateway's log tells it; null is what it does not know. */
export type RequestLine = {
  /** ISO 8601, UTC. */
  time: string | null;
  level: Level;
  /** The visitor's address. */
  client: string | null;
  /** `GET /path HTTP/1.1`, its quotes and control characters escaped; it is the visitor's text. */
  request: string;
  status: number | null;
  /** Bytes sent to the visitor. */
  bytes: number | null;
  milliseconds: number | null;
  /** Address of the backend. */
  upstream: string | null;
};

const known = (text: string | undefined) => (text === undefined || text === '-' ? null : text);
const numberOf = (text: string | undefined) => (known(text) === null ? null : Number(text));

/** The parts of a line in the gateway's format; null for any other line. */
export function parseLine(line: string): RequestLine | null {
  const match = GATEWAY_LINE.exec(line);
  if (!match) return null;
  const [, time, level = '', client, request = '', status, bytes, milliseconds, upstream] = match;
  return {
    time: known(time),
    level: NAMES[level] ?? 'INFO',
    client: known(client),
    request,
    status: numberOf(status),
    bytes: numberOf(bytes),
    milliseconds: numberOf(milliseconds),
    upstream: known(upstream),
  };
}

/**
 * The level of a line: what the gateway wrote at its fixed place, else the status of an nginx access line (5xx ERROR, 4xx
 * WARN, else INFO), else a marker at the line's beginning; null when there is none. What a visitor wrote into the
 * request never counts.
 */
export function levelOf(line: string): Level | null {
  const own = GATEWAY_HEAD.exec(line)?.[1] ?? GATEWAY_LINE.exec(line)?.[2];
  if (own) return NAMES[own] ?? null;
  const status = (COMBINED_LINE.exec(line) ?? STREAM_LINE.exec(line))?.[1];
  if (status) return levelOfStatus(status);
  const marker = MARKED_LINE.exec(line);
  return NAMES[(marker?.[1] ?? marker?.[2] ?? '').toUpperCase()] ?? null;
}

/** The HTTP status that a line tells: the gateway's own, or that of an nginx access line; null when there is none. */
export function statusOf(line: string): number | null {
  const own = GATEWAY_LINE.exec(line);
  return numberOf(own ? own[5] : (COMBINED_LINE.exec(line) ?? STREAM_LINE.exec(line))?.[1]);
}

// Controls (C0, DEL, C1), separators of lines, halves of surrogate pairs, marks that reorder or hide text. A tab is harmless.
const UNPRINTABLE =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

// Almost every line is plain, and is told so faster than by looking for each of the above.
const PLAIN = /^[\t\x20-\x7e]*$/;

function visible(character: string): string {
  if (character === '\t') return character;
  const code = character.codePointAt(0) ?? 0;
  const digits = code.toString(16);
  if (code <= 0xff) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\u{${digits}}`;
}

/**
 * Text of someone else, made fit for a screen or a terminal: control characters, escape sequences and marks that reorder
 * or hide text become visible (`\x1b`, `\u202e`). What is printable stays as it is, so doing it twice changes nothing.
 */
export const printable = (text: string): string => (PLAIN.test(text) ? text : text.replace(UNPRINTABLE, visible));
