import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import pLimit from 'p-limit';
import { failure } from '../failure.ts';

/** Hashes and checks passwords. */
export type Passwords = {
  hash(password: string): Promise<string>;
  verify(password: string, hash: string): Promise<boolean>;
};

const BLOCK_SIZE = 8;
const PARALLELIZATION = 1;
const KEY_BYTES = 32;
const SALT_BYTES = 16;
/** log2 of scrypt's N; one hash then takes 128 MiB. */
const COST_LOG2 = 17;
/** More would take more memory at once than a small machine has. */
const HASHES_AT_ONCE = 2;
const WAITING_MAX = 32;
const RETRY_SECONDS = 5;

/** The largest cost takes as much memory as a gateway can spare. */
const HASH = /^scrypt\$(\d|1\d|20)\$([\w-]+)\$([\w-]+)$/;

/**
 * scrypt, with its parameters in the hash, so that they can be raised later.
 * @param costLog2 log2 of N; lower only in tests
 */
export function createPasswords(costLog2 = COST_LOG2): Passwords {
  const inTurn = pLimit(HASHES_AT_ONCE);

  /** @throws {Failure} when too many wait already */
  const derive = async (password: string, salt: Buffer, log2: number): Promise<Buffer> => {
    if (inTurn.activeCount + inTurn.pendingCount >= HASHES_AT_ONCE + WAITING_MAX)
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
    async hash(password) {
      const salt = randomBytes(SALT_BYTES);
      const key = await derive(password, salt, costLog2);
      return ['scrypt', costLog2, salt.toString('base64url'), key.toString('base64url')].join('$');
    },
    async verify(password, hash) {
      const [, log2 = '', salt = '', expected = ''] = HASH.exec(hash) ?? [];
      // A damaged one matches no password.
      if (log2 === '') return false;
      const key = await derive(password, Buffer.from(salt, 'base64url'), Number(log2));
      const wanted = Buffer.from(expected, 'base64url');
      return wanted.length === key.length && timingSafeEqual(wanted, key);
    },
  };
}
