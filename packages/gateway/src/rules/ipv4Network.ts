import { isIPv4 } from 'node:net';

const PREFIX_MIN = 8;
/** This network, loopback, what clouds and cables keep for themselves, and groups. */
const NEVER_ROUTED = [
  { first: 0, bits: 8 },
  { first: 127 * 2 ** 24, bits: 8 },
  { first: 169 * 2 ** 24 + 254 * 2 ** 16, bits: 16 },
  { first: 224 * 2 ** 24, bits: 3 },
];

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const toText = (value: number): string => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
const startOf = (value: number, bits: number): number => Math.floor(value / 2 ** (32 - bits)) * 2 ** (32 - bits);

/** A network as routes are written, without the bits of a host; null for what must not be routed into a tunnel. */
export function ipv4Network(text: unknown): string | null {
  if (typeof text !== 'string') return null;
  const [address = '', prefix = '32', ...rest] = text.split('/');
  const bits = /^\d{1,2}$/.test(prefix) ? Number(prefix) : Number.NaN;
  if (!isIPv4(address) || rest.length > 0 || !(bits >= PREFIX_MIN && bits <= 32)) return null;
  const first = startOf(toNumber(address), bits);
  if (NEVER_ROUTED.some((never) => startOf(first, never.bits) === never.first)) return null;
  return `${toText(first)}/${bits}`;
}

/** The first and the last address of a network, or the one of an address, as numbers. What it is given is none but these. */
export function rangeOf(network: string): { first: number; last: number } {
  const [address = '', prefix = '32'] = network.split('/');
  const first = startOf(toNumber(address), Number(prefix));
  return { first, last: first + 2 ** (32 - Number(prefix)) - 1 };
}

/** Whether an address is in one of these networks, which `ipv4Network` wrote. */
export function isWithin(address: string, networks: readonly string[]): boolean {
  if (!isIPv4(address)) return false;
  const value = toNumber(address);
  return networks.map(rangeOf).some(({ first, last }) => first <= value && value <= last);
}
