import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

// The arguments are the two files and then the command; nothing of them is read as a part of the script.
const SCRIPT = 'mount --bind "$0" /etc/hosts && mount --bind "$1" /etc/nsswitch.conf && shift && exec "$@"';

/** A hosts file that one program and its children have instead of the machine's; no one else is asked for names. */
export type OwnNames = {
  /** What runs a command with it. */
  launcher: readonly string[];
  /** The names that lead to loopback from now on; all others lead nowhere. */
  set(names: readonly string[]): Promise<void>;
  remove(): Promise<void>;
};

/** Makes one; null where a program may not be given a view of the file system of its own. */
export async function makeOwnNames(): Promise<OwnNames | null> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sallyport-names-'));
  const hosts = path.join(directory, 'hosts');
  const switches = path.join(directory, 'nsswitch.conf');
  const launcher = ['unshare', '--mount', 'sh', '-c', SCRIPT, hosts, switches];
  // Written over and not replaced: the mount is of the file.
  const set = (names: readonly string[]) =>
    writeFile(
      hosts,
      ['127.0.0.1 localhost', '::1 localhost', ...names.map((name) => `127.0.0.1 ${name}`), ''].join('\n'),
    );
  const remove = () => rm(directory, { recursive: true, force: true });
  await set([]);
  await writeFile(switches, 'passwd: files\ngroup: files\nhosts: files\n');
  try {
    const [command = '', ...words] = launcher;
    await promisify(execFile)(command, [...words, 'true']);
  } catch {
    await remove();
    return null;
  }
  return { launcher, set, remove };
}
