import { randomFillSync } from 'node:crypto';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freeBytes } from '../machine/freeBytes.ts';
import { giveUpOldest, KEPT_LOG_BYTES } from '../logs/logFile.ts';

/** The gateway's database in its data directory. */
export const DATABASE_FILE = 'sallyport.db';
/** A made-up password of the administrator, until someone has signed in. */
export const INITIAL_PASSWORD_FILE = 'initial-password';

/** Within `secrets`: what an authority has issued, and certbot's own files. */
export const ISSUED_DIRECTORY = 'issued';

/** How far databases have come that were served from a data directory. */
export const WITNESS_DIRECTORY = 'served';

/** Room that is kept back on the disk of the data directory, for what has to be possible when it is full. */
export type DiskReserve = {
  /** Takes the room, where there is plenty; does nothing where it is held already. */
  hold(): void;
  /**
   * Gives up what nginx has logged and no one has read, which may have taken all else; false: that made no room.
   * @param mayUseReserve gives the reserve back as well
   */
  makeRoom(mayUseReserve: boolean): boolean;
  /** Does both where there is no room left. */
  makeRoomIfFull(): void;
};

/** Enough to start on, and to save deletions and sign-outs. */
const BYTES = 1 << 20;
/** A disk that is nearly full is not filled any more for this. */
const PLENTY = 16 * BYTES;

export function createDiskReserve(file: string, directory: string, accessLog: string): DiskReserve {
  const makeRoom = (mayUseReserve: boolean): boolean => {
    const before = freeBytes(directory);
    giveUpOldest(accessLog, KEPT_LOG_BYTES);
    if (mayUseReserve) rmSync(file, { force: true });
    // Another change that was refused in the same moment may have made it.
    const after = freeBytes(directory);
    return after > before || after >= BYTES / 2;
  };
  return {
    makeRoom,
    makeRoomIfFull() {
      if (freeBytes(directory) < BYTES) makeRoom(true);
    },
    hold() {
      try {
        // Zeros would take no room where a file system packs them.
        if (!existsSync(file) && freeBytes(directory) > PLENTY) {
          writeFileSync(file, randomFillSync(Buffer.alloc(BYTES)), { mode: 0o600, flag: 'wx' });
        }
      } catch {
        // Without it the gateway works just as well, until the disk is full.
        rmSync(file, { force: true });
      }
    },
  };
}

/**
 * What only a gateway that has begun leaves in its data directory, each by its name there. The database has its first
 * rows, and they are on the disk, before any of it is made; so where it is and they are not, a database was lost.
 * The key file is looked for in its usual place alone: elsewhere an administrator may have put one for a new gateway.
 */
const FILES = ['secrets/vault.key', INITIAL_PASSWORD_FILE];
const FILLED_DIRECTORIES = ['secrets/certificates', 'secrets/issued/pairs', 'ingress/generations', 'logs'];

/** Which files of a gateway are in a data directory, next to its database. */
export function gatewayFiles(directory: string): string[] {
  return [
    ...FILES.filter((name) => existsSync(join(directory, name))),
    ...FILLED_DIRECTORIES.filter((name) => isFilled(join(directory, name))),
  ];
}

function isFilled(directory: string): boolean {
  try {
    return readdirSync(directory).length > 0;
  } catch {
    return false;
  }
}
