import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import { failure } from '../failure.ts';
import ipaddr from 'ipaddr.js';
import { LOGIN_ATTEMPTS_MAX, LOGIN_WINDOW_MS } from '@sallyport/sdk/contract';

const BLOCK_SIZE = 8;
const PARALLELIZATION = 1;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** log2 of scrypt's N; one hash then takes 128 MiB. */
const COST_LOG2 = 17;
/** More would take more memory at once than a small machine has. */
const HASHES_AT_ONCE = 2;
/** For this machine itself, apart: who floods the others leaves a way in. */
const OWN_HASHES_AT_ONCE = 1;
const WAITING_MAX = 32;
const RETRY_SECONDS = 5;

/** The largest cost takes as much memory as a gateway can spare. */
const HASH = /^scrypt\$(\d|1\d|20)\$([\w-]+)\$([\w-]+)$/;

/**
 * scrypt, with its parameters in the hash, so that they can be raised later.
 * @param costLog2 log2 of N; lower only in tests
 */
export function createPasswords(costLog2 = COST_LOG2) {
  const others = pLimit(HASHES_AT_ONCE);
  const own = pLimit(OWN_HASHES_AT_ONCE);

  /** @throws {Failure} when too many wait already */
  const derive = async (password: string, salt: Buffer, log2: number, inTurn = others): Promise<Buffer> => {
    if (inTurn.activeCount + inTurn.pendingCount >= inTurn.concurrency + WAITING_MAX)
      throw failure.throttled(RETRY_SECONDS);
    return inTurn(
      () =>
        new Promise<Buffer>((resolve, reject) => {
          const N = 2 ** log2;
          const options = { N, r: BLOCK_SIZE, p: PARALLELIZATION, maxmem: 256 * N * BLOCK_SIZE };
          scrypt(password.normalize('NFC'), salt, KEY_BYTES, options, (error, key) =>
            error === null ? resolve(key) : reject(error),
          );
        }),
    );
  };

  return {
    async hash(password: string): Promise<string> {
      const salt = randomBytes(SALT_BYTES);
      const key = await derive(password, salt, costLog2);
      return ['scrypt', costLog2, salt.toString('base64url'), key.toString('base64url')].join('$');
    },
    /** @param isDirect whether it comes past nginx, from this machine */
    async verify(password: string, hash: string, isDirect = false): Promise<boolean> {
      const [, log2 = '', salt = '', expected = ''] = HASH.exec(hash) ?? [];
      // A damaged one matches no password.
      if (log2 === '') return false;
      const key = await derive(password, Buffer.from(salt, 'base64url'), Number(log2), isDirect ? own : others);
      const wanted = Buffer.from(expected, 'base64url');
      return wanted.length === key.length && timingSafeEqual(wanted, key);
    },
  };
}

/** Hashes and checks passwords. */
export type Passwords = ReturnType<typeof createPasswords>;

const ADDRESSES_MAX = 10_000;

/**
 * Counts sign-ins per address, so that passwords cannot be guessed. Those that come past nginx count by themselves: any
 * process on the machine can make them, and must not lock out an administrator who signs in to the console from there.
 */
export function createLoginAttempts(now: () => Date) {
  const tries = new Map<string, number[]>();
  return {
    /** Counts one try, before it is looked at: tries in parallel cannot pass. Answers the seconds to wait, 0: go on. */
    begin(address: string, isDirect = false): number {
      const at = now().getTime();
      const key = keyOf(address, isDirect);
      const recent = (tries.get(key) ?? []).filter((time) => time > at - LOGIN_WINDOW_MS);
      const [oldest] = recent;
      if (oldest !== undefined && recent.length >= LOGIN_ATTEMPTS_MAX) {
        return Math.max(1, Math.ceil((oldest + LOGIN_WINDOW_MS - at) / 1000));
      }
      // Set again, so that the map is ordered by the last try and the first one is the one to forget.
      tries.delete(key);
      tries.set(key, [...recent, at]);
      if (tries.size > ADDRESSES_MAX) {
        const [first = ''] = tries.keys();
        tries.delete(first);
      }
      return 0;
    },
    /** The last try was not looked at. */
    takeBack(address: string, isDirect = false): void {
      const key = keyOf(address, isDirect);
      tries.set(key, (tries.get(key) ?? []).slice(0, -1));
    },
    /** The try was right: the address starts again. */
    succeeded(address: string, isDirect = false): void {
      tries.delete(keyOf(address, isDirect));
    },
  };
}

export type LoginAttempts = ReturnType<typeof createLoginAttempts>;

const keyOf = (address: string, isDirect: boolean): string => `${isDirect ? 'direct ' : ''}${addressGroup(address)}`;

/** An IPv4 address, or the /64 of an IPv6 one: anyone who has one address of it has them all. */
function addressGroup(text: string): string {
  if (!ipaddr.isValid(text)) return text;
  const address = ipaddr.process(text);
  return address instanceof ipaddr.IPv6 ? `${address.parts.slice(0, 4).join(':')}::/64` : address.toString();
}
