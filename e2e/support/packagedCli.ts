import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/package.mjs');

/** The CLI's Debian package, unpacked where nothing else is. */
export type PackagedCli = { folder: string; close(): Promise<void> };

/** Makes the package of what was built, and unpacks it. */
export async function unpackCli(): Promise<PackagedCli> {
  const base = await mkdtemp(path.join(tmpdir(), 'sallyport-packaged-'));
  await run(process.execPath, [SCRIPT, '--out', base, '--level', '1'], { timeout: 60_000 });
  const name = (await readdir(base)).find((file) => file.endsWith('.deb'));
  if (name === undefined) throw new Error('There is no Debian package.');
  const folder = path.join(base, 'unpacked');
  await run('dpkg-deb', ['--extract', path.join(base, name), folder]);
  return { folder, close: () => rm(base, { recursive: true }) };
}
