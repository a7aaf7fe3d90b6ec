import ipaddr from 'ipaddr.js';
import { UnquotableError } from '../../rules/attempt.ts';
import type { ConfigFile, Owner, OwnerKind } from './desiredState.ts';

/** A configuration file while it is written: knows its depth, and who owns which lines. */
export type ConfigText = {
  /** One directive, without its semicolon. */
  line(directive: string): void;
  block(head: string, content: () => void): void;
  /** What is written meanwhile belongs to this object. Within another's lines the inner one counts. */
  owned(kind: OwnerKind, id: number, content: () => void): void;
  /** What is written meanwhile stays only when all of it could be written. @throws whatever `content` throws */
  atomic(content: () => void): void;
  file(): ConfigFile;
};

export function configText(path: string, owners: Owner[]): ConfigText {
  const lines: string[] = [];
  let indent = '';
  return {
    line: (directive) => void lines.push(`${indent}${directive};`),
    block(head, content) {
      lines.push(`${indent}${head} {`);
      indent += '  ';
      content();
      indent = indent.slice(2);
      lines.push(`${indent}}`);
    },
    owned(kind, id, content) {
      const from = lines.length + 1;
      content();
      if (lines.length >= from) owners.push({ kind, id, file: path, from, to: lines.length });
    },
    atomic(content) {
      const before = { indent, lines: lines.length, owners: owners.length };
      try {
        content();
      } catch (error) {
        ({ indent } = before);
        lines.length = before.lines;
        owners.length = before.owners;
        throw error;
      }
    },
    file: () => ({ path, text: `${lines.join('\n')}\n` }),
  };
}

/** What nginx said about a configuration, as far as it leads to an object. */
export type Blame = { file?: string; line?: number; path?: string; address?: string };

/** Whose fault it is; the innermost lines count. Null when it is no one's or cannot be told. */
export function ownerOf(
  owners: readonly Owner[],
  { file, line, path, address }: Blame,
): { kind: OwnerKind; id: number } | null {
  const [found] = owners
    .flatMap((owner) => ('file' in owner && owner.file === file ? [owner] : []))
    .filter(({ from, to }) => line !== undefined && from <= line && line <= to)
    .toSorted((left, right) => left.to - left.from - (right.to - right.from));
  const owner =
    found ??
    owners.find((candidate) => 'path' in candidate && candidate.path === path) ??
    owners.find((candidate) => 'address' in candidate && candidate.address === address);
  return owner === undefined ? null : { kind: owner.kind, id: owner.id };
}

/** nginx reads a parameter, with its quotes and escapes, into a buffer of this size. */
const MAX_VALUE_BYTES = 4096;

/**
 * Any text as one parameter. Within double quotes only the quote and the backslash mean something to nginx's parser,
 * but most directives expand `$name` afterwards and know no way to escape it; so a dollar sign is refused.
 * @throws {UnquotableError}
 */
export function quoted(value: string): string {
  if (typeof value === 'string' && value.includes('$')) throw unquotable(value);
  return pattern(value);
}

/**
 * A pattern, or another text in which a dollar sign means nothing to nginx: the keys of a `map`, the place of a `location`.
 * @throws {UnquotableError}
 */
export function pattern(value: string): string {
  if (typeof value !== 'string' || /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value)) throw unquotable(value);
  const text = `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
  if (new TextEncoder().encode(text).length > MAX_VALUE_BYTES) throw unquotable(value);
  return text;
}

const unquotable = (value: unknown): UnquotableError =>
  new UnquotableError(`The value ${inWords(value)} cannot stand in a configuration.`);

/** What a `map` would take for something else than a key. */
const MAP_WORDS = ['default', 'hostnames', 'include', 'volatile'];

/** A host name as a key of a `map`. @throws {UnquotableError} */
export const mapKey = (name: string): string => {
  const key = matching(name, /^[a-z0-9_](?:[a-z0-9_.-]{0,251}[a-z0-9_])?$/, 'host name');
  return MAP_WORDS.includes(key) ? `\\${key}` : key;
};

/** A name for `server_name`: no wildcard, no pattern, nothing that ends a parameter. @throws {UnquotableError} */
export function serverName(name: string): string {
  return matching(name, /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, 'domain name');
}

/**
 * A path without its last slash; the root is empty. Only characters that mean nothing to nginx.
 * @throws {UnquotableError}
 */
export function pathPrefix(path: string): string {
  const checked = matching(path, /^\/[A-Za-z0-9._~/-]{0,199}$/, 'path');
  if (/\/\/|\/\.{1,2}(?:\/|$)/.test(checked)) throw wrong(path, 'path');
  return checked.replace(/\/$/, '');
}

/**
 * An address or a network for `allow` and `deny`, in one spelling and without the bits of a host: nginx writes a line at
 * each load for every entry that has them, or stands twice in a list. The characters alone keep it from being anything
 * else (`all`, `unix:`); whether it is a right one is nginx's to say. IPv4 in the spelling of IPv6 is written as IPv4:
 * visitors come by sockets of their own family, so that nginx would never find the other spelling.
 * @throws {UnquotableError}
 */
export function network(value: string): string {
  const checked = matching(value, /^[0-9A-Fa-f.:]{2,45}(?:\/\d{1,3})?$/, 'IP address or network');
  const [spelled = '', prefix] = checked.split('/');
  // Once a way to write IPv4, for which `ipaddr.js` still takes it; no visitor comes from there.
  const text = spelled.replace(/^::(?=\d+\.)/, '::0:');
  if (!isAddress(text) || (prefix !== undefined && !ipaddr.isValidCIDR(checked))) return checked;
  let address = ipaddr.parse(text);
  let bits = prefix === undefined ? null : Number(prefix);
  // A network larger than all of IPv4 is one of IPv6.
  if (address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && (bits ?? 128) >= MAPPED_PREFIX_BITS) {
    address = address.toIPv4Address();
    if (bits !== null) bits -= MAPPED_PREFIX_BITS;
  }
  // nginx takes it for no address. No visitor can come from it, but its networks have others.
  if (address.toString() === '255.255.255.255' && (bits ?? 32) === 32) return '::ffff:ffff:ffff';
  if (bits === null) return address.toNormalizedString();
  const family = address instanceof ipaddr.IPv6 ? ipaddr.IPv6 : ipaddr.IPv4;
  return `${family.networkAddressFromCIDR(`${address.toString()}/${bits}`).toNormalizedString()}/${bits}`;
}

const MAPPED_PREFIX_BITS = 96;

const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || (text.includes(':') && ipaddr.IPv6.isValid(text));

/**
 * The address and port of a backend; names never get here. In nginx's eyes `::` stands for two groups at least, in
 * everybody else's also for one, so all groups are written.
 * @throws {UnquotableError}
 */
export function peer(address: string, port: number): string {
  const checked = matching(address, /^[0-9A-Fa-f.:]{2,45}$/, 'IP address');
  const host = isAddress(checked) ? ipaddr.parse(checked).toNormalizedString() : checked;
  return `${host.includes(':') ? `[${host}]` : host}:${whole(port, 1, 65_535)}`;
}

/** Makes nginx connect to a backend from this address of the machine; none: from whichever it takes. @throws {UnquotableError} */
export const boundTo = (address: string | null): string[] =>
  address === null ? [] : [`proxy_bind ${matching(address, /^\d{1,3}(?:\.\d{1,3}){3}$/, 'IPv4 address')}`];

/** A whole number. @throws {UnquotableError} */
export function whole(value: number, min: number, max: number): string {
  if (!Number.isSafeInteger(value) || value < min || value > max)
    throw wrong(value, `whole number from ${min} to ${max}`);
  return String(value);
}

/** `listen` parameters for one address. */
export function listenOn(host: string, port: number): string {
  const v6only = host.startsWith('[') ? ' ipv6only=on' : '';
  return `${host}:${whole(port, 1, 65_535)}${v6only}`;
}

function matching(value: string, wanted: RegExp, noun: string): string {
  if (typeof value !== 'string' || !wanted.test(value)) throw wrong(value, noun);
  return value;
}

function wrong(value: unknown, noun: string): UnquotableError {
  return new UnquotableError(`${inWords(value)} is not a valid ${noun}.`);
}

/** As JSON, so that control characters cannot reach a log or a screen, and not longer than a sentence stands. */
function inWords(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
