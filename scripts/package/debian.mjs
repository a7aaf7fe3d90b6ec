import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** What Debian calls the processors that Node knows. */
const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };
/** The Node that the packages carry is linked to these. */
const NEEDED_BY_NODE = ['libc6 (>= 2.28)', 'libstdc++6'];

/** A folder that becomes a package: what is put there by its path on the machine. */
export function openStage(folder) {
  const put = (path, content, mode = 0o644) => {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    chmodSync(target, mode);
  };
  const copyFile = (source, path) => {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(source, target);
    chmodSync(target, lstatSync(source).mode & 0o111 ? 0o755 : 0o644);
  };
  return {
    folder,
    put,
    copyFile,
    /**
     * Puts the files of a folder there.
     * @param {string} source
     * @param {string} path
     * @param {(file: string) => boolean} isWanted whether a file of that path below `source` is one of them
     */
    copy(source, path, isWanted = () => true) {
      for (const file of filesOf(source).filter(isWanted)) copyFile(join(source, file), join(path, file));
    },
    /**
     * Puts the Node there that runs this script. A host's own is none of a package's business, and Debian's is too old. A
     * program of a single file (SEA) would be as large, start five times as slowly, and need a second toolchain.
     */
    putNode(path) {
      copyFile(process.execPath, path);
    },
  };
}

/**
 * Makes a Debian package out of a stage. The same stage and `epoch` make the same bytes.
 * @param {ReturnType<typeof openStage>} stage
 * @param {{ name: string, version: string, description: string, depends?: string[], recommends?: string[],
 *   conffiles?: string[], scripts?: Record<string, string | Buffer>, withGzip?: boolean }} facts
 *   `scripts` are those that the package manager runs, by their names
 *   `withGzip`: a host without `zstd` can unpack it, too
 * @param {{ out: string, epoch: number, level: string }} how
 * @returns {string} the file
 */
export function buildDebianPackage({ folder, put }, facts, { out, epoch, level }) {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`No Debian package is made for ${process.arch}.`);
  const {
    name,
    version,
    description,
    depends = [],
    recommends = [],
    conffiles = [],
    scripts = {},
    withGzip = false,
  } = facts;
  const files = filesOf(folder);
  const bytes = files.reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);
  const md5 = (path) =>
    createHash('md5')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  put('DEBIAN/md5sums', files.map((path) => `${md5(path)}  ${path}\n`).join(''));
  if (conffiles.length > 0) put('DEBIAN/conffiles', conffiles.map((path) => `${path}\n`).join(''));
  for (const [script, text] of Object.entries(scripts)) put(`DEBIAN/${script}`, text, 0o755);
  put(
    'DEBIAN/control',
    `${[
      `Package: ${name}`,
      `Version: ${version}`,
      `Architecture: ${architecture}`,
      'Maintainer: Sallyport <sallyport@localhost>',
      `Installed-Size: ${Math.ceil(bytes / 1024)}`,
      `Depends: ${[...NEEDED_BY_NODE, ...depends].join(', ')}`,
      ...(recommends.length === 0 ? [] : [`Recommends: ${recommends.join(', ')}`]),
      'Section: net',
      'Priority: optional',
      `Description: ${description}`,
    ].join('\n')}\n`,
  );
  for (const path of [...directoriesOf(folder), ...filesOf(folder)]) lutimesSync(join(folder, path), epoch, epoch);
  const target = join(out, `${name}_${version}_${architecture}.deb`);
  const compression = withGzip ? ['-Zgzip', `-z${Math.min(9, Number(level))}`] : ['-Zzstd', `-z${level}`];
  const how = ['--root-owner-group', ...compression, '--threads-max=1', '--build'];
  execFileSync('dpkg-deb', [...how, folder, target], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return target;
}

function entriesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: relative(folder, join(entry.parentPath, entry.name)),
    isDirectory: entry.isDirectory(),
  }));
}

function filesOf(folder) {
  const files = entriesOf(folder).filter(({ isDirectory }) => !isDirectory);
  return files.map(({ path }) => path).toSorted();
}

function directoriesOf(folder) {
  const directories = entriesOf(folder).filter(({ isDirectory }) => isDirectory);
  // A directory's time is set last, from the inside out.
  return ['.', ...directories.map(({ path }) => path).toSorted()].toReversed();
}

/** A text that troff takes for nothing but text. */
export function plain(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}
