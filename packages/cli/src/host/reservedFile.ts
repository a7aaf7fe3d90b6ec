import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { Failure } from '../failure.ts';
import { type FileAdvice, guardFile, writePrivateFile } from '../storedFile.ts';

/** Room on the disk for the next content of a file, taken before that content exists. */
export type ReservedFile = {
  /** Where the room is; the content stands there when `replace` failed behind `fill`. */
  readonly path: string;
  /** Writes the content into the room. */
  fill(text: string): void;
  /** Puts it in the place of the file, as a whole. */
  replace(): void;
  /** Gives the room back. */
  release(): void;
};

/**
 * Takes so many bytes next to `path`, on disk when this returns, readable by their owner alone.
 * @throws what the file system says; nothing is left then
 */
export function reserveFile(path: string, bytes: number): ReservedFile {
  removeAbandoned(path);
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(fresh, 'wx', 0o600);
  // Who interrupts a second time ends the process at once.
  const removeAtExit = () => rmSync(fresh, { force: true });
  process.once('exit', removeAtExit);
  const keep = () => process.off('exit', removeAtExit);
  const release = () => {
    keep();
    closeSync(file);
    rmSync(fresh, { force: true });
  };
  try {
    writeSync(file, Buffer.alloc(bytes));
    fsyncSync(file);
  } catch (error) {
    release();
    throw error;
  }
  return {
    path: fresh,
    release,
    fill(text) {
      const content = Buffer.from(text);
      // From here on it may be the only place where the content is.
      keep();
      // Over what is there: that takes no room again.
      for (let at = 0; at < content.length;) at += writeSync(file, content, at, content.length - at, at);
      ftruncateSync(file, content.length);
      fsyncSync(file);
    },
    replace() {
      renameSync(fresh, path);
      closeSync(file);
    },
  };
}

/** Longer than any call to the gateway takes for which room is held. */
const ABANDONED_MS = 120_000;

/** Removes the room that killed runs have left. What was filled is not touched: it may be what its user was told to move. */
function removeAbandoned(path: string): void {
  const directory = dirname(path);
  try {
    for (const name of readdirSync(directory)) {
      if (!name.startsWith(`${basename(path)}.`) || !/\.[0-9a-f]{12}$/.test(name)) continue;
      const other = join(directory, name);
      const isOld = Date.now() - statSync(other).mtimeMs > ABANDONED_MS;
      if (isOld && readFileSync(other).every((byte) => byte === 0)) rmSync(other, { force: true });
    }
  } catch {
    // Old files do no harm; what cannot be written is reported when the new room is taken.
  }
}

/** Room for a configuration that cannot be had a second time. */
export type Reservation = {
  /** Puts the text in the place of the one before. When that fails, the `Failure` says where it stands instead. */
  write(text: string): void;
  /** Gives the room back. */
  release(): void;
};

/** Takes the room next to the configuration. @throws {Failure} when there is none; nothing is left then */
export function reserveConfig(advice: FileAdvice, bytes: number): Reservation {
  const { path } = advice;
  const room = guardFile(advice, () => reserveFile(path, bytes));
  return {
    release: room.release,
    write(text) {
      let kept: string | null = room.path;
      try {
        guardFile(advice, () => {
          try {
            room.fill(text);
          } catch (error) {
            kept = keepElsewhere(text);
            room.release();
            throw error;
          }
          room.replace();
        });
      } catch (error) {
        throw rescued(error, path, kept);
      }
    },
  };
}

/** Where a text found room that found none where it belongs; null: nowhere. */
function keepElsewhere(text: string): string | null {
  for (const directory of [tmpdir(), '/run']) {
    const path = join(directory, `sallyport-config-${randomBytes(6).toString('hex')}.json`);
    try {
      writePrivateFile(path, text);
      return path;
    } catch {
      // The next one may have room.
    }
  }
  return null;
}

function rescued(error: unknown, path: string, kept: string | null): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure(
    'failed',
    `The gateway has given this host a new token, but ${reason}`,
    kept === null
      ? 'It is lost: get another one in the console and give it to `sallyport config`.'
      : `The new configuration stands in ${kept}, which its owner alone can read: move it to ${path}, then run \`sallyport connect\`.`,
    { cause: error },
  );
}
