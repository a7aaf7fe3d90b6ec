import { UnquotableError } from '../../rules/attempt.ts';
import { mappedIpv4, nginxIpv6 } from './ipv6.ts';

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
 * An address or a network for `allow` and `deny`. The characters alone keep it from being anything else (`all`, `unix:`);
 * whether it is a right one is nginx's to say. IPv4 in the spelling of IPv6 is written as IPv4: visitors come by sockets
 * of their own family, so that nginx would never find the other spelling.
 * @throws {UnquotableError}
 */
export function network(value: string): string {
  const checked = matching(value, /^[0-9A-Fa-f.:]{2,45}(?:\/\d{1,3})?$/, 'IP address or network');
  const [address = '', prefix] = checked.split('/');
  const meant = mappedIpv4(address);
  const bits = Number(prefix ?? 128) - MAPPED_PREFIX_BITS;
  // A network larger than all of IPv4 is one of IPv6.
  if (meant !== null && bits >= 0) return withoutBroadcast(`${meant}/${bits}`);
  return withoutBroadcast(`${nginxIpv6(address)}${prefix === undefined ? '' : `/${prefix}`}`);
}

/** nginx takes 255.255.255.255 for no address. Nobody can come from it, but its networks have others. */
function withoutBroadcast(value: string): string {
  const [address, prefix = '32'] = value.split('/');
  if (address !== '255.255.255.255') return value;
  return prefix === '32' ? '::ffff:ffff:ffff' : `255.255.255.254/${prefix}`;
}

const MAPPED_PREFIX_BITS = 96;

/** The address and port of a backend; names never get here. @throws {UnquotableError} */
export function peer(address: string, port: number): string {
  const checked = matching(address, /^[0-9A-Fa-f.:]{2,45}$/, 'IP address');
  return `${checked.includes(':') ? `[${nginxIpv6(checked)}]` : checked}:${whole(port, 1, 65_535)}`;
}

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
