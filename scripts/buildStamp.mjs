import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { quietly } from './commands.mjs';
import { Halt, say } from './say.mjs';

const STAMP = join('.cache', 'build-stamp');
const ROOT_FILES = ['pnpm-lock.yaml', 'package.json', 'tsconfig.base.json', 'LICENSE', 'SECURITY.md'];
const IS_FOLDER_OF_SOURCE = /^(src|public|docs|bundle)$/;
const IS_FILE_OF_SOURCE = /^(index\.html|package\.json|tsconfig.*\.json|.+\.config\.ts)$/;
const IS_TEST = /\.test\.tsx?$/;

/** Whether the packages were built from the very sources that are there now. */
export function isBuilt(root) {
  const stamp = join(root, STAMP);
  const outputs = packageFolders(root).map((folder) => join(folder, 'dist'));
  return (
    outputs.every((path) => existsSync(path)) && existsSync(stamp) && readFileSync(stamp, 'utf8') === stampOf(root)
  );
}

/** Says how to build where these packages were never built. */
export function requireBuilt(root, names) {
  if (names.every((name) => existsSync(join(root, 'packages', name, 'dist')))) return;
  throw new Halt('nothing is built yet. Build first: npm run boot -- build');
}

/** Remembers that a build of the sources with this stamp has come through. */
export function keepStamp(root, value) {
  const stamp = join(root, STAMP);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, value);
}

/** The fingerprint of everything that a build reads. To be taken before the build: what changes during it is newer. */
export function stampOf(root) {
  const hash = createHash('sha256');
  const rootFiles = ROOT_FILES.map((name) => join(root, name));
  for (const path of [...rootFiles, ...guidesOf(root), ...sourcesOf(root)]) {
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex');
}

/** The gateway serves them as pages. */
function guidesOf(root) {
  return filesUnder(join(root, 'docs')).filter((path) => path.endsWith('.md'));
}

function sourcesOf(root) {
  return packageFolders(root).flatMap((folder) =>
    entriesOf(folder).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return IS_FOLDER_OF_SOURCE.test(entry.name) ? filesUnder(path) : [];
      return IS_FILE_OF_SOURCE.test(entry.name) ? [path] : [];
    }),
  );
}

function filesUnder(folder) {
  return entriesOf(folder).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesUnder(path);
    return IS_TEST.test(entry.name) ? [] : [path];
  });
}

function packageFolders(root) {
  const packages = join(root, 'packages');
  return entriesOf(packages)
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(packages, entry.name));
}

/** In the same order on every machine. */
function entriesOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Builds the packages unless their last build was of the sources that are there now. */
export async function ensureBuilt(root) {
  if (isBuilt(root)) return;
  say('building the packages ...');
  const stamp = stampOf(root);
  const { code, tail } = await quietly('pnpm', ['run', 'build'], { cwd: root });
  if (code !== 0) throw new Halt(`the build failed:\n${tail}`);
  keepStamp(root, stamp);
}
