import { isLoopbackHost } from '@sallyport/sdk/rules';
import ipaddr from 'ipaddr.js';

/** The kind of network that an address is of, as `ipaddr.js` calls it. */
export const addressRange = (address: string): string => ipaddr.process(address).range();

/** The kinds of address that the internet does not lead to. */
const PRIVATE: readonly string[] = [
  'private',
  'carrierGradeNat',
  'uniqueLocal',
  'linkLocal',
  'loopback',
  'unspecified',
];

/** Whether the internet leads to an address. */
export const isPublicAddress = (address: string): boolean => !PRIVATE.includes(addressRange(address));

/** An address as all spellings of it are written: one of IPv4 within IPv6 as IPv4. */
export const plainAddress = (address: string): string => ipaddr.process(address).toString();

/** Whether two texts are one address: it may be written in several ways. */
export const sameAddress = (one: string, other: string): boolean => plainAddress(one) === plainAddress(other);

/** What stands for all addresses of a machine, and is none by which another one reaches it. */
const UNSPECIFIED: readonly string[] = ['0.0.0.0', '::'];

/** Whether no other machine reaches this one by a host name or address: each means itself by it. */
export const isOwnHostOnly = (host: string): boolean => isLoopbackHost(host) || UNSPECIFIED.includes(host);
