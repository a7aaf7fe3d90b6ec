import type { LogKey } from './logSource.ts';

/** A readable line and the service and domain that it counts for. */
export type AccessLine = { keys: LogKey[]; text: string };

const LONGEST_TEXT = 64 * 1024;
const CUT_MARK = '…[cut]';
// Control characters, those that change the direction or are not seen, and line separators.
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const UNSAFE_IN_QUOTES = /["\\\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Makes a readable line from one that nginx wrote as JSON; null when it is not one.
 *
 * `t` seconds since 1970, `d` domain, `s` service, `k` kind of the service, `c` client, `r` request, `st` status,
 * `b` bytes, `ms` seconds taken, `u` upstream. What is missing becomes `-`.
 */
export function readAccessLine(json: string): AccessLine | null {
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
  return { keys: keys(field('d'), field('s'), field('k')), text: cut(parts.join(' ')) };
}

/** Saves what can be saved of a line whose end was cut off in the middle of a field; null when that is nothing. */
export function readCutAccessLine(json: string): AccessLine | null {
  // A cut through an escape sequence would spoil the string that is closed here.
  const line = readAccessLine(`${json.replace(/\\(?:u[\da-fA-F]{0,3})?$/, '')}"}`);
  return line === null || line.text.endsWith(CUT_MARK) ? line : { ...line, text: `${line.text}${CUT_MARK}` };
}

function keys(domain: string, service: string, kind: string): LogKey[] {
  const found: LogKey[] = [];
  if (/^[1-9]\d{0,14}$/.test(service) && (kind === 'http' || kind === 'tcp')) found.push({ kind, id: Number(service) });
  if (/^[1-9]\d{0,14}$/.test(domain)) found.push({ kind: 'domain', id: Number(domain) });
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
  if (/^5\d\d$/.test(status)) return 'ERROR';
  return /^4\d\d$/.test(status) ? 'WARN' : 'INFO';
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
