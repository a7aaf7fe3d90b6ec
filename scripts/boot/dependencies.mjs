import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quietly, withRetries } from '../commands.mjs';
import { Halt, say } from '../say.mjs';

/** Installs the packages of pnpm-lock.yaml unless that was done with the very same files before. */
export async function ensureDependencies(root, { pnpm, env }, retries = {}) {
  const stamp = join(root, 'node_modules', '.sallyport-installed');
  const wanted = fingerprint(root);
  if (readStamp(stamp) === wanted) return;
  say('installing the packages of pnpm-lock.yaml ...');
  const args = ['install', '--frozen-lockfile', '--reporter=append-only', '--config.confirmModulesPurge=false'];
  const failure = await withRetries(async () => {
    const { code, tail } = await quietly(pnpm, args, { cwd: root, env });
    return code === 0 ? undefined : `pnpm could not install the packages:\n${tail}`;
  }, retries);
  if (failure !== undefined) throw new Halt(failure);
  writeFileSync(stamp, wanted);
}

function fingerprint(root) {
  const hash = createHash('sha256');
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)));
  return hash.digest('hex');
}

function readStamp(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
