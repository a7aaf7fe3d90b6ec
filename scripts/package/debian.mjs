import { execFile } from 'node:child_process';
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
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const MAINTAINER = 'Sallyport maintainers <maintainers@sallyport.example>';
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
  const copyFile = (source, path, mode = 0o644) => {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(source, target);
    chmodSync(target, mode);
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
     * Puts a Node there. A host's own is none of a package's business, and Debian's is too old. A program of a single file (SEA)
     * would be as large, start five times as slowly, and need a second toolchain.
     */
    putNode(path, { program }) {
      copyFile(program, path, 0o755);
    },
  };
}

/**
 * Makes a Debian package out of a stage. The same stage and `epoch` make the same bytes.
 * @param {ReturnType<typeof openStage>} stage
 * @param {{ name: string, version: string, synopsis: string, description: string[], depends?: string[], recommends?: string[],
 *   conffiles?: string[], scripts?: Record<string, string | Buffer>, overrides?: string[] }} facts
 *   `scripts` are those that the package manager runs, by their names; `overrides` are tags of lintian that do not count
 * @param {{ out: string, epoch: number, isQuick: boolean, architecture: string, node: { license: string } }} how
 * @returns {Promise<string>} the file
 */
export async function buildDebianPackage({ folder, put }, facts, { out, epoch, isQuick, architecture, node }) {
  const { name, version, synopsis, description, depends = [], recommends = [], conffiles = [], scripts = {} } = facts;
  const documentation = `usr/share/doc/${name}`;
  put(`${documentation}/copyright`, readFileSync(join(root, 'LICENSE')));
  put(`${documentation}/LICENSE.node.gz`, gzipSync(readFileSync(node.license), { level: 9 }));
  put(`${documentation}/CHANGELOG.md.gz`, gzipSync(readFileSync(join(root, 'CHANGELOG.md')), { level: 9 }));
  put(`${documentation}/changelog.gz`, gzipSync(changelogOf(facts, epoch), { level: 9 }));
  const overrides = [...NODE_OVERRIDES, ...(facts.overrides ?? [])];
  put(`usr/share/lintian/overrides/${name}`, overrides.map((tag) => `${name}: ${tag}\n`).join(''));
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
      `Maintainer: ${MAINTAINER}`,
      `Installed-Size: ${Math.ceil(bytes / 1024)}`,
      `Depends: ${[...NEEDED_BY_NODE, ...depends].join(', ')}`,
      ...(recommends.length === 0 ? [] : [`Recommends: ${recommends.join(', ')}`]),
      'Section: net',
      'Priority: optional',
      `Description: ${synopsis}`,
      ...description.map((line) => ` ${line}`),
    ].join('\n')}\n`,
  );
  for (const path of [...directoriesOf(folder), ...filesOf(folder)]) lutimesSync(join(folder, path), epoch, epoch);
  const target = join(out, `${name}_${version}_${architecture}.deb`);
  // xz is what Debian's own packages have, and a third smaller than gzip, which takes a sixth of the time.
  const compression = isQuick ? ['-Zgzip', '-z1'] : ['-Zxz', '-z6'];
  const how = ['--root-owner-group', ...compression, '--threads-max=1', '--build'];
  await run('dpkg-deb', [...how, folder, target], { env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) } });
  return target;
}

/** The scripts of `debian` in the folder of a package that the package manager runs, by their names. */
export function scriptsOf(folder) {
  const names = readdirSync(join(folder, 'debian')).filter((name) => /^(?:pre|post)(?:inst|rm)$/.test(name));
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, 'debian', name))]));
}

/** Node is taken as its makers publish it, with what it needs built in. */
const NODE_OVERRIDES = ['embedded-library', 'unstripped-binary-or-object', 'hardening-no-pie'];

/** What Debian's tools show of a package's versions. */
function changelogOf({ name, version }, epoch) {
  const date = new Date(epoch * 1000).toUTCString().replace('GMT', '+0000');
  const text = `Version ${version}: see CHANGELOG.md.gz next to this file.`;
  return `${name} (${version}) unstable; urgency=medium\n\n  * ${text}\n\n -- ${MAINTAINER}  ${date}\n`;
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
