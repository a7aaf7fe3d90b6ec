import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

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
