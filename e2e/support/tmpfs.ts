import { execFile } from 'node:child_process';
import { mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A small file system of its own, in memory. */
export type Tmpfs = {
  directory: string;
  /** Fills it to the last byte, but for so many. */
  fill(leftBytes?: number): Promise<void>;
  /** Makes all the room again that `fill` took. */
  empty(): Promise<void>;
  freeBytes(): Promise<number>;
  unmount(): Promise<void>;
};

/** Mounts one; null where that is not allowed. */
export async function mountTmpfs(megabytes: number): Promise<Tmpfs | null> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sallyport-disk-'));
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=711`, 'sallyport-fault', directory]);
  } catch {
    await rm(directory, { recursive: true });
    return null;
  }
  // The one name that the gateway does not take for someone else's data.
  const file = path.join(directory, 'lost+found');
  const freeBytes = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  };
  return {
    directory,
    freeBytes,
    async fill(leftBytes = 0) {
      const handle = await open(file, 'a');
      try {
        const chunk = Buffer.alloc(4096);
        for (let left = (await freeBytes()) - leftBytes; left > 0; left -= chunk.length) await handle.write(chunk);
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      } finally {
        await handle.close();
      }
    },
    empty: () => rm(file, { force: true }),
    async unmount() {
      await run('umount', [directory]);
      await rm(directory, { recursive: true });
    },
  };
}
