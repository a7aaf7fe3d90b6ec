// `pnpm run package [--out FOLDER] [--level 1-19] [--only command]`: the CLI as an npm package and as a Debian package, and the gateway as a
// Debian package, out of what `pnpm build` made. Two runs with one SOURCE_DATE_EPOCH make the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { cliDebianPackage, cliNpmPackage } from './package/cli.mjs';
import { gatewayDebianPackage } from './package/gateway.mjs';
import { say } from './say.mjs';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist') },
    level: { type: 'string', default: '19' },
    only: { type: 'string' },
  },
});

const epoch = Number(
  process.env['SOURCE_DATE_EPOCH'] ??
    execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' }).trim(),
);
const out = resolve(values.out);
const how = { out, epoch, level: values.level };
mkdirSync(out, { recursive: true });
const stage = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
try {
  const made = (what, make) => {
    say(`${what} ...`);
    return make();
  };
  const command = made('the command as a Debian package', () => cliDebianPackage(join(stage, 'cli'), how));
  const others = () => [
    made('the command as an npm package', () => cliNpmPackage(how)),
    made('the gateway as a Debian package', () => gatewayDebianPackage(join(stage, 'gateway'), command, how)),
  ];
  const files = [command, ...(values.only === 'command' ? [] : others())];
  const digest = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');
  writeFileSync(join(out, 'SHA256SUMS'), files.map((file) => `${digest(file)}  ${basename(file)}\n`).join(''));
  process.stdout.write(files.map((file) => `${file}\n`).join(''));
} finally {
  rmSync(stage, { recursive: true });
}
