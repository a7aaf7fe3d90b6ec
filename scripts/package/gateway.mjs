import { readFileSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { gatewayCompletion, gatewayManual } from '../gatewayDocs.mjs';
import { buildDebianPackage, openStage, scriptsOf } from './debian.mjs';
import { LAUNCHER, SETTINGS } from './launcher.mjs';
import { ARCHITECTURES } from './node.mjs';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'packages/gateway');
const debian = join(folder, 'debian');
const NAME = 'sallyport-gateway';
const LIBRARY = `usr/lib/${NAME}`;
const SYNOPSIS = 'gateway that exposes services in private networks';

/** What the bundle leaves in node_modules. */
const UNBUNDLED = ['better-sqlite3', 'pino'];
/** Programs that the gateway runs. */
const DEPENDS = [
  'nginx-light | nginx-core | nginx',
  'libnginx-mod-stream',
  'libnginx-mod-http-headers-more-filter',
  'openssl',
  'iproute2',
  'wireguard-tools',
  // Where the kernel has no WireGuard. As a mere recommendation it would come with those of others, a kernel among them.
  'wireguard-go',
  'nftables',
  'certbot',
  'init-system-helpers (>= 1.54)',
];
/** A setting of `npm start`, not of the gateway. */
const OF_START = 'SALLYPORT_INSTALL';

/**
 * The gateway as a Debian package, with the console and a Node of its own.
 * @param {string[]} commands the packages of the command, which hosts that join are given
 * @returns the file
 */
export async function gatewayDebianPackage(stageFolder, commands, how) {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const stage = openStage(stageFolder);
  const { put, copy } = stage;
  put(`usr/bin/${NAME}`, LAUNCHER, 0o755);
  stage.putNode(`${LIBRARY}/node`, how.node);
  put(`${LIBRARY}/packages/gateway/package.json`, '{"type":"module"}\n');
  copy(
    join(folder, 'dist'),
    `${LIBRARY}/packages/gateway/dist`,
    (file) => file.endsWith('.js') && file !== 'testing.js',
  );
  copy(join(root, 'packages/web/dist'), `${LIBRARY}/packages/web/dist`);
  for (const [name, source] of unbundledLibraries()) {
    copy(source, `${LIBRARY}/node_modules/${name}`, (file) => isNeeded(file, how.architecture));
  }
  for (const command of commands) stage.copyFile(command, `${LIBRARY}/packages/cli/packages/${basename(command)}`);
  // The timer is for `systemctl enable`, and begins nothing by itself.
  for (const unit of [`${NAME}.service`, `${NAME}-backup.service`, `${NAME}-backup.timer`]) {
    put(`usr/lib/systemd/system/${unit}`, readFileSync(join(debian, unit)));
  }
  put(SETTINGS.slice(1), settingsFile(), 0o600);
  put(`usr/share/man/man8/${NAME}.8.gz`, gzipSync(gatewayManual({ version, synopsis: SYNOPSIS }), { level: 9 }));
  put(`usr/share/bash-completion/completions/${NAME}`, gatewayCompletion('bash'));
  put(`usr/share/zsh/vendor-completions/_${NAME}`, gatewayCompletion('zsh'));
  put(`usr/share/fish/vendor_completions.d/${NAME}.fish`, gatewayCompletion('fish'));
  const facts = {
    name: NAME,
    version,
    synopsis: SYNOPSIS,
    description: [
      'Hosts join it through a reverse WireGuard tunnel, and visitors reach their',
      'HTTP, TCP and UDP services under names with certificates. It comes with a',
      'console in the browser, and brings its own Node.',
    ],
    depends: DEPENDS,
    scripts: scriptsOf(folder),
  };
  return buildDebianPackage(stage, { ...facts, conffiles: [SETTINGS] }, how);
}

/** The libraries that stay files, with what they need in turn: their folders by their names. */
export function unbundledLibraries() {
  return librariesOf(UNBUNDLED, join(folder, 'package.json'));
}

/** Libraries and what they need in turn, each with its folder. */
function librariesOf(names, from, found = new Map()) {
  for (const name of names) {
    const manifest = realpathSync(manifestOf(name, from));
    const before = found.get(name);
    if (before === dirname(manifest)) continue;
    if (before !== undefined) throw new Error(`The gateway needs two versions of ${name}.`);
    found.set(name, dirname(manifest));
    librariesOf(Object.keys(JSON.parse(readFileSync(manifest, 'utf8')).dependencies ?? {}), manifest, found);
  }
  return found;
}

/** The `package.json` of a library, as a file at `from` would find it. */
export function manifestOf(name, from) {
  const folders = createRequire(from).resolve.paths(name) ?? [];
  for (const each of folders) {
    try {
      return realpathSync(join(each, name, 'package.json'));
    } catch {
      // It is in one of the others.
    }
  }
  throw new Error(`${name} is not installed.`);
}

/** What a library is built or tested from stays away, and what is for other machines. */
const isNeeded = (file, architecture) =>
  !/^(?:\.|node_modules\/|bin\.js$|(?:deps|src|test|benchmarks|docs|tools|examples)\/)/.test(file) &&
  !/\.(?:d\.c?ts|h|html|ico|map|md|gypi?|sh|tgz)$/.test(file) &&
  (!file.startsWith('prebuilds/') || file === `prebuilds/linux-${ARCHITECTURES[architecture]}.node`);

/** The file of settings: each that `docs/operating.md` has, with what it says of it, as a comment. */
export function settingsFile() {
  const rows = readFileSync(join(root, 'docs/operating.md'), 'utf8').matchAll(
    /^\| (`SALLYPORT_\w+`(?:, `SALLYPORT_\w+`)*) \| (.*?) \| (.*) \|$/gm,
  );
  const text = [...rows]
    .filter(([, names]) => names !== `\`${OF_START}\``)
    .map(([, names = '', value = '', meaning = '']) => {
      const plainText = `${meaning}. Default: ${value}.`.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll('`', '');
      const settings = names.split(', ').map((name) => `#${name.replaceAll('`', '')}=\n`);
      return `${wrapped(`${plainText[0]?.toUpperCase()}${plainText.slice(1)}`)}${settings.join('')}`;
    });
  return `# Settings of the Sallyport gateway, a line each: NAME=value. They count from the next start on, or from
#   systemctl reload ${NAME}
# which visitors and nodes do not notice.

${text.join('\n')}`;
}

const COLUMNS = 100;

function wrapped(text) {
  const lines = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < COLUMNS) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(`# ${word}`);
  }
  return lines.map((line) => `${line}\n`).join('');
}
