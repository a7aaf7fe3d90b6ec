import { isIP } from 'node:net';
import { listenProblem } from '../../machine/listenPorts.ts';
import type { Fault } from './faults.ts';

/** An address that a configuration tells nginx to listen on. */
export type ListenAddress =
  | { kind: 'port'; protocol: 'tcp' | 'udp'; host: string; port: number }
  | { kind: 'socket'; path: string };

// The render room writes one directive a line and no line breaks within values, so lines are enough here.
const LISTEN = /^[ \t]*listen[ \t]+("(?:\\.|[^"\\\n])*"|[^\s;"]+)([^;\n]*);/gm;

/** The addresses of all `listen` directives, each once, by the spelling that nginx uses in its messages. */
export function listenAddresses(texts: Iterable<string>): Map<string, ListenAddress> {
  const addresses = new Map<string, ListenAddress>();
  for (const text of texts) {
    for (const [, address, options] of text.matchAll(LISTEN)) {
      if (address === undefined || options === undefined) continue;
      const found = readAddress(unquoted(address), / udp\b/.test(options) ? 'udp' : 'tcp');
      if (found !== null) addresses.set(addressKey(found), found);
    }
  }
  return addresses;
}

/** Within quotes the backslash makes the next character an ordinary one. */
function unquoted(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1).replaceAll(/\\(.)/g, '$1') : word;
}

/** The address as nginx writes it, with `/udp` behind it for that protocol. */
export function addressKey(address: ListenAddress): string {
  if (address.kind === 'socket') return `unix:${address.path}`;
  const suffix = address.protocol === 'udp' ? '/udp' : '';
  return `${address.host.includes(':') ? `[${address.host}]` : address.host}:${address.port}${suffix}`;
}

/** Null for what cannot be foretold: names and ranges of ports. nginx itself then has the only word. */
function readAddress(text: string, protocol: 'tcp' | 'udp'): ListenAddress | null {
  if (text.startsWith('unix:')) return { kind: 'socket', path: text.slice('unix:'.length) };
  const parts = /^(?:(\[[^\]]+\]|[^:]*):)?(\d+)$/.exec(text);
  const host = (parts?.[1] ?? '*').replace(/^\[|\]$/g, '').replace(/^\*?$/, '0.0.0.0');
  const port = Number(parts?.[2]);
  if (parts === null || isIP(host) === 0 || port < 1 || port > 65_535) return null;
  return { kind: 'port', protocol, host, port };
}

// As the kernel words and numbers them, so that a fault reads the same no matter who found it.
const KERNEL_WORDS: Record<string, string> = {
  EACCES: '13: Permission denied',
  EAFNOSUPPORT: '97: Address family not supported by protocol',
  EADDRINUSE: '98: Address already in use',
  EADDRNOTAVAIL: '99: Cannot assign requested address',
};

/**
 * Finds the addresses that nginx would fail to get, by trying them.
 *
 * A master that reloads stops for two and a half seconds at an address in use, and can get it in the end although it
 * was refused. Looking first spares that in all but a race.
 * @param held addresses that our nginx has already
 */
export async function probeAddresses(
  wanted: ReadonlyMap<string, ListenAddress>,
  held: ReadonlyMap<string, ListenAddress>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [key, address] of wanted) {
    if (held.has(key) || address.kind !== 'port') continue;
    // One after the other: two of them may be each other's hindrance only while they are tried.
    const problem = await listenProblem(address.protocol, address.host, address.port);
    if (problem === null) continue;
    const name = addressKey({ ...address, protocol: 'tcp' });
    faults.push({ message: `bind() to ${name} failed (${KERNEL_WORDS[problem] ?? problem})`, address: name });
  }
  return faults;
}
