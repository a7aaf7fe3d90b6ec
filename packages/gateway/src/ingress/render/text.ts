import { UnquotableError } from '../../rules/attempt.ts';
import { ipv6Groups, mappedIpv4, nginxIpv6 } from './ipv6.ts';

const MAX_VALUE_CHARS = 4096;

/**
 * Any text as one parameter. Within double quotes only the quote and the backslash mean something to nginx's parser,
 * but most directives expand `$name` afterwards and know no way to escape it; so a dollar sign is refused.
 * @throws {UnquotableError}
 */
export function quoted(value: string): string {
  if (typeof value !== 'string' || value.length > MAX_VALUE_CHARS || /[$\p{Cc}\p{Cs}\u2028\u2029]/u.test(value)) {
    throw new UnquotableError(`The value ${inWords(value)} cannot stand in a configuration.`);
  }
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/**
 * A pattern, or another text in which a dollar sign means nothing to nginx: the keys of a `map`, the place of a `location`.
 * @throws {UnquotableError}
 */
export function pattern(value: string): string {
  if (typeof value !== 'string' || value.length > MAX_VALUE_CHARS || /[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value)) {
    throw new UnquotableError(`The value ${inWords(value)} cannot stand in a configuration.`);
  }
  return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

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
  const [address = '', prefix] = checked.split('/');
  const meant = mappedIpv4(address);
  const bits = Number(prefix ?? 128) - MAPPED_PREFIX_BITS;
  // A network larger than all of IPv4 is one of IPv6.
  if (meant !== null && bits >= 0) return network(`${meant}/${bits}`);
  // nginx takes it for no address. Nobody can come from it, but its networks have others.
  if (address === '255.255.255.255' && (prefix ?? '32') === '32') return '::ffff:ffff:ffff';
  const end = prefix === undefined ? '' : `/${prefix}`;
  if (isIpv4(address)) return masked(address.split('.').map(Number), 8, prefix).join('.') + end;
  const groups = ipv6Groups(address);
  if (groups === null) return checked;
  return (
    masked(groups, 16, prefix)
      .map((group) => group.toString(16))
      .join(':') + end
  );
}

const isIpv4 = (address: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(address) && address.split('.').every((part) => Number(part) <= 255);

/** The parts of an address, of so many bits each, without those after the prefix. */
const masked = (parts: readonly number[], bits: number, prefix = '128'): number[] =>
  parts.map((part, index) => {
    const others = 2 ** Math.min(Math.max((index + 1) * bits - Number(prefix), 0), bits);
    return part - (part % others);
  });

const MAPPED_PREFIX_BITS = 96;

/** The address and port of a backend; names never get here. @throws {UnquotableError} */
export function peer(address: string, port: number): string {
  const checked = matching(address, /^[0-9A-Fa-f.:]{2,45}$/, 'IP address');
  return `${checked.includes(':') ? `[${nginxIpv6(checked)}]` : checked}:${whole(port, 1, 65_535)}`;
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
