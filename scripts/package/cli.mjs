import { execFile, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { HOST_CONFIG_FILE } from '../../packages/cli/src/host/hostConfig.ts';
import { systemdUnit, UNIT_NAME } from '../../packages/cli/src/host/systemd.ts';
import { buildDebianPackage, openStage, plain, scriptsOf } from './debian.mjs';

const folder = join(import.meta.dirname, '../../packages/cli');
const dist = join(folder, 'dist');
const { version, description } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/** Where `sallyport` finds its runtime and itself, wherever the package was unpacked. */
const LAUNCHER = `#!/bin/sh
here=$(dirname -- "$(readlink -f -- "$0")")
exec "$here/../lib/sallyport/node" "$here/../lib/sallyport/main.js" "$@"
`;

/** The command as an npm package. @returns the file */
export async function cliNpmPackage({ out }) {
  const { stdout } = await promisify(execFile)('pnpm', ['pack', '--json', '--pack-destination', out], { cwd: folder });
  const { filename } = JSON.parse(stdout);
  return resolve(out, filename);
}

/** The command as a Debian package. @returns the file */
export async function cliDebianPackage(stageFolder, how) {
  const stage = openStage(stageFolder);
  const { put } = stage;
  put('usr/bin/sallyport', LAUNCHER, 0o755);
  stage.putNode('usr/lib/sallyport/node', how.node);
  put('usr/lib/sallyport/package.json', '{"type":"module"}\n');
  stage.copy(dist, 'usr/lib/sallyport', (file) => file.endsWith('.js'));
  put('usr/share/man/man1/sallyport.1.gz', gzipSync(manPage(), { level: 9 }));
  // It is there for `systemctl enable`, and starts nothing by itself; what `service install` writes goes before it.
  put(
    `usr/lib/systemd/system/${UNIT_NAME}`,
    systemdUnit(['/usr/bin/sallyport'], HOST_CONFIG_FILE, dirname(HOST_CONFIG_FILE)),
  );
  put('usr/share/bash-completion/completions/sallyport', sallyport(['completion', 'bash']));
  put('usr/share/zsh/vendor-completions/_sallyport', sallyport(['completion', 'zsh']));
  put('usr/share/fish/vendor_completions.d/sallyport.fish', sallyport(['completion', 'fish']));
  const facts = {
    name: 'sallyport',
    version,
    synopsis: 'command line of the Sallyport gateway',
    description: [
      'Hosts join a gateway with it, publish their services there, and stay',
      'connected; operators script a gateway with it. It brings its own Node.',
    ],
    recommends: ['wireguard-tools'],
    scripts: scriptsOf(folder),
  };
  return buildDebianPackage(stage, facts, how);
}

function sallyport(argv) {
  return execFileSync(process.execPath, [join(dist, 'main.js'), ...argv], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
  });
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
