// `pnpm run package [--out FOLDER] [--level 1-19]`: the CLI as an npm package and as a Debian package, out of what `pnpm build` made.
//
// The Debian package carries the Node that runs this script: the Node of a host is none of its business, and Debian's own is
// too old for it. A program of a single file (SEA) would be as large, start five times as slowly, and need a second toolchain.
// Two runs with one SOURCE_DATE_EPOCH make the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { HOST_CONFIG_FILE } from '../packages/cli/src/host/hostConfig.ts';
import { systemdUnit, UNIT_NAME } from '../packages/cli/src/host/systemd.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'packages/cli/dist');
const { version, description } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'));
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    level: { type: 'string', default: '19' },
  },
});

/** Where `sallyport` finds its runtime and itself, wherever the package was unpacked. */
const LAUNCHER = `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/../lib/sallyport/node" "$here/../lib/sallyport/main.js" "$@"
`;

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

const epoch = Number(
  process.env['SOURCE_DATE_EPOCH'] ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim(),
);
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
const stage = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
try {
  process.stdout.write(`${npmPackage()}\n${debianPackage()}\n`);
} finally {
  rmSync(stage, { recursive: true });
}

function npmPackage() {
  const output = execFileSync('pnpm', ['pack', '--json', '--pack-destination', out], {
    cwd: join(root, 'packages/cli'),
    encoding: 'utf8',
  });
  const { filename } = JSON.parse(output);
  return resolve(out, filename);
}

function debianPackage() {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`No Debian package is made for ${process.arch}.`);
  const folder = join(stage, 'deb');
  const put = (path, content, mode = 0o644) => {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content);
    chmodSync(target, mode);
  };
  put('usr/bin/sallyport', LAUNCHER, 0o755);
  const library = join(folder, 'usr/lib/sallyport');
  mkdirSync(library, { recursive: true });
  copyFileSync(process.execPath, join(library, 'node'));
  chmodSync(join(library, 'node'), 0o755);
  put('usr/lib/sallyport/package.json', '{"type":"module"}\n');
  for (const name of readdirSync(dist).filter((each) => each.endsWith('.js'))) {
    put(`usr/lib/sallyport/${name}`, readFileSync(join(dist, name)));
  }
  put('usr/share/doc/sallyport/copyright', readFileSync(join(root, 'LICENSE')));
  put('usr/share/man/man1/sallyport.1.gz', gzipSync(manPage(), { level: 9 }));
  // It is there for `systemctl enable`, and starts nothing by itself; what `service install` writes goes before it.
  put(
    `usr/lib/systemd/system/${UNIT_NAME}`,
    systemdUnit(['/usr/bin/sallyport'], HOST_CONFIG_FILE, dirname(HOST_CONFIG_FILE)),
  );
  put('usr/share/bash-completion/completions/sallyport', sallyport(['completion', 'bash']));
  put('usr/share/zsh/vendor-completions/_sallyport', sallyport(['completion', 'zsh']));
  put('usr/share/fish/vendor_completions.d/sallyport.fish', sallyport(['completion', 'fish']));
  const files = filesOf(folder);
  const bytes = files.reduce((sum, path) => sum + lstatSync(join(folder, path)).size, 0);
  const md5 = (path) =>
    createHash('md5')
      .update(readFileSync(join(folder, path)))
      .digest('hex');
  put('DEBIAN/md5sums', files.map((path) => `${md5(path)}  ${path}\n`).join(''));
  put(
    'DEBIAN/control',
    `${[
      'Package: sallyport',
      `Version: ${version}`,
      `Architecture: ${architecture}`,
      'Maintainer: Sallyport <sallyport@localhost>',
      `Installed-Size: ${Math.ceil(bytes / 1024)}`,
      'Depends: libc6 (>= 2.28), libstdc++6',
      'Recommends: wireguard-tools',
      'Section: net',
      'Priority: optional',
      `Description: ${description}`,
    ].join('\n')}\n`,
  );
  for (const path of [...directoriesOf(folder), ...filesOf(folder)]) lutimesSync(join(folder, path), epoch, epoch);
  const target = join(out, `sallyport_${version}_${architecture}.deb`);
  const how = ['--root-owner-group', '-Zzstd', `-z${values.level}`, '--threads-max=1', '--build'];
  execFileSync('dpkg-deb', [...how, folder, target], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return target;
}

function sallyport(argv) {
  return execFileSync(process.execPath, [join(dist, 'main.js'), ...argv], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
  });
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
function plain(text) {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1');
}

/** The manual page of the command line, out of its own help. */
function manPage() {
  const help = sallyport(['--help']);
  return [
    `.TH SALLYPORT 1 "" "sallyport ${plain(version)}" "User Commands"`,
    '.SH NAME',
    `sallyport \\- ${plain(description)}`,
    '.SH SYNOPSIS',
    '.B sallyport',
    '[options] [command]',
    '.SH DESCRIPTION',
    '.nf',
    plain(help.trimEnd()),
    '.fi',
    '.SH SEE ALSO',
    plain('sallyport COMMAND --help explains a command, with examples.'),
    '',
  ].join('\n');
}
