import { parseNetwork } from '../contract/field.ts';

/** The first and the last address, as numbers. */
export type Ipv4Range = { first: number; last: number };

const toNumber = (address: string): number => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

/** The addresses of an IPv4 network, or the one of an IPv4 address; null when it is neither. */
export function ipv4Range(network: string): Ipv4Range | null {
  const parsed = parseNetwork(network);
  if (parsed === null || parsed.family !== 4) return null;
  const size = 2 ** (32 - (parsed.prefix ?? 32));
  const first = Math.floor(toNumber(parsed.address) / size) * size;
  return { first, last: first + size - 1 };
}

/** An IPv4 address of which the number is known. */
export const ipv4Text = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** Whether two IPv4 networks or addresses have an address in common; of IPv6 it is not said. */
export function networksOverlap(one: string, other: string): boolean {
  const [left, right] = [ipv4Range(one), ipv4Range(other)];
  return left !== null && right !== null && left.first <= right.last && right.first <= left.last;
}
