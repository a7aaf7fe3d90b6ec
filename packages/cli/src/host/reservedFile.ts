import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, ftruncateSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

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
 * Takes so many bytes beside `path`, on disk when this returns, readable by their owner alone.
 * @throws what the file system says; nothing is left then
 */
export function reserveFile(path: string, bytes: number): ReservedFile {
  const fresh = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(fresh, 'wx', 0o600);
  const release = () => {
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
      // Over what is there: that takes no room anew.
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
