import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Started } from '../../packages/cli/src/testing/process.ts';
import { makeBareRoot } from '../support/bareRoot.ts';
import { type Layer, layerProblem, openLayer } from '../support/layer.ts';
import { type Namespaces, namespacesProblem, openNamespaces } from '../support/namespaces.ts';

const problem = layerProblem() ?? (await namespacesProblem());
if (problem !== null) process.stderr.write(`skipped: the installation of a package is cut off, because ${problem}\n`);

const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/package.mjs');
const INSTALL_MAX_MS = 240_000;
const NEW = '9.9.9';
/** All that the packages need is installed here: nothing is fetched, nor are lists of what could be read. */
const NO_SOURCES = ['sourcelist', 'sourceparts'].flatMap((each) => ['--option', `Dir::Etc::${each}=/dev/null`]);
/** Less than Node needs. */
const ROOM_BYTES = 40_000_000;

type Package = { name: string; main: string; version: string; settings: string };

const GATEWAY: Package = {
  name: 'sallyport-gateway',
  main: 'usr/lib/sallyport-gateway/packages/gateway/dist/main.js',
  version: 'version',
  settings: '/etc/sallyport/gateway.env',
};
const COMMAND: Package = {
  name: 'sallyport',
  main: 'usr/lib/sallyport/main.js',
  version: '--version',
  settings: '/etc/sallyport/config.json',
};

/** Nothing of it leaves the network of the test, in which nothing else answers either. */
const SETTINGS = `SALLYPORT_TUNNEL=off
SALLYPORT_VPN_HOST=gateway.example.test
SALLYPORT_DNS_SERVERS=127.0.0.1:1
SALLYPORT_ACME_URL=https://127.0.0.1:1/directory
`;

/** Ends dpkg with all that it has started, as a power cut does. */
const CUT = 'kill -KILL 0';
/** What dpkg or a script of the package finds instead of a program, and when that cuts it off. */
const CUTS = {
  unpacked: {
    program: 'dpkg-deb',
    script: `case $1 in --fsys-tarfile) /usr/bin/dpkg-deb "$@" | head -c ${ROOM_BYTES}; ${CUT} ;; esac
exec /usr/bin/dpkg-deb "$@"`,
  },
  configured: {
    program: 'systemctl',
    script: `case $(tr '\\0' ' ' </proc/$PPID/cmdline) in *'postinst configure'*) ${CUT} ;; esac`,
  },
};

let base: string;
let namespaces: Namespaces;
let layer: Layer;

const debOf = ({ name }: Package, version = '0.'): string => {
  const found = readdirSync(base).find((file) => file.startsWith(`${name}_${version}`) && file.endsWith('.deb'));
  return path.join(base, found ?? 'none');
};

/** The same package with a higher version, which one can tell by its main program. */
function makeNext(packaged: Package): void {
  const { name, main } = packaged;
  const folder = path.join(base, 'next');
  execFileSync('dpkg-deb', ['--raw-extract', debOf(packaged), folder]);
  const change = (file: string, part: RegExp, text: string) => {
    const whole = path.join(folder, file);
    writeFileSync(whole, readFileSync(whole, 'utf8').replace(part, text));
  };
  change('DEBIAN/control', /^Version: .*$/m, `Version: ${NEW}`);
  change(main, /$/, `\n// ${NEW}\n`);
  const sum = createHash('md5')
    .update(readFileSync(path.join(folder, main)))
    .digest('hex');
  change('DEBIAN/md5sums', new RegExp(`^\\w+(?=  ${main}$)`, 'm'), sum);
  const target = path.join(base, `${name}_${NEW}.deb`);
  execFileSync('dpkg-deb', ['--root-owner-group', '-Znone', '--build', folder, target]);
  rmSync(folder, { recursive: true });
}

const dpkg = (deb: string): Started['ended'] => layer.run('dpkg', '--install', deb);

async function isTruncated(deb: string): Promise<void> {
  const short = path.join(base, 'short.deb');
  copyFileSync(deb, short);
  truncateSync(short, Math.floor(statSync(short).size * 0.6));
  expect(await dpkg(short)).toMatchObject({ code: 1, err: expect.stringContaining('unexpected end of file') });
}

async function fillsDisk(deb: string): Promise<void> {
  await layer.leave(ROOM_BYTES);
  expect(await dpkg(deb)).toMatchObject({ code: 1, err: expect.stringContaining('No space left on device') });
  await layer.leave(null);
}

async function isKilled(deb: string, { program, script }: (typeof CUTS)['unpacked']): Promise<void> {
  const standIn = `/usr/local/sbin/${program}`;
  const make = `printf '#!/bin/sh\\n%s\\n' "$0" >${standIn}; chmod 755 ${standIn}; mkdir -p /run/systemd/system`;
  await layer.run('sh', '-c', make, script);
  expect(await dpkg(deb)).toMatchObject({ code: null });
  await layer.run('rm', '-r', standIn, '/run/systemd');
  expect((await layer.run('dpkg', '--audit')).out).not.toBe('');
}

/** That all its files are those of one version, and that it runs. */
async function isWhole({ name, version }: Package, deb: string): Promise<void> {
  const check = `dpkg-deb --info "$0" md5sums | grep -v ' etc/' | (cd / && md5sum --quiet --check)`;
  expect(await layer.run('sh', '-c', check, deb)).toMatchObject({ code: 0, out: '', err: '' });
  expect(await layer.run(name, version)).toMatchObject({ code: 0 });
}

/** What the guide says to do: after it, the package is there. */
async function installAgain(packaged: Package, deb: string): Promise<void> {
  expect(await layer.run('dpkg', '--configure', '--pending')).toMatchObject({ code: 0 });
  const apt = ['apt-get', ...NO_SOURCES, 'install', '--yes', '--no-install-recommends', deb];
  expect(await layer.run(...apt)).toMatchObject({ code: 0 });
  expect((await layer.run('dpkg', '--audit')).out).toBe('');
  await isWhole(packaged, deb);
  const left = ['find', `/usr/lib/${packaged.name}`, '/var/lib/misc', '-name', '*.dpkg-*', '-o', '-name', '*.kept*'];
  expect(await layer.run(...left)).toMatchObject({ code: 0, out: '' });
}

/** A first installation that is cut off in several ways, and then done. */
async function installFirst(packaged: Package): Promise<void> {
  const deb = debOf(packaged);
  for (const cut of [isTruncated, fillsDisk]) {
    await cut(deb);
    expect(await layer.run('test', '-e', `/usr/lib/${packaged.name}`)).toMatchObject({ code: 1 });
  }
  await isKilled(deb, CUTS.unpacked);
  await installAgain(packaged, deb);
}

/** An update that is cut off in several ways, and then done. `check` is run after each. */
async function update(packaged: Package, check: () => Promise<void>): Promise<void> {
  const [before, after] = [debOf(packaged), debOf(packaged, NEW)];
  for (const cut of [isTruncated, fillsDisk, (deb: string) => isKilled(deb, CUTS.unpacked)]) {
    await cut(after);
    await isWhole(packaged, before);
    await check();
  }
  await isKilled(after, CUTS.configured);
  await isWhole(packaged, after);
  await check();
  await installAgain(packaged, after);
}

const write = (file: string, text: string) =>
  layer.run('sh', '-c', 'mkdir -p "$(dirname "$1")" && printf %s "$0" >"$1"', text, file);
const read = async (file: string) => (await layer.run('cat', file)).out;

/** Removes it, which keeps what it has written and says so of the gateway's data; then purges it, which says what it deletes. */
async function remove(
  { name, main, settings }: Package,
  command: string[],
  verbs = ['remove', 'purge'],
): Promise<string> {
  const isThere = async (file: string) => (await layer.run('test', '-e', file)).code === 0;
  let said = '';
  for (const verb of verbs) {
    const { code, out } = await layer.run(...command, verb, name);
    expect(code).toBe(0);
    said += out;
    expect([await isThere(`/${main}`), await isThere(settings)]).toEqual([
      false,
      verb.endsWith('remove') || name === 'sallyport',
    ]);
  }
  return said.match(/^sallyport.*/gm)?.join('\n') ?? '';
}
/** What the gateway's package says then. */
const REMOVED = `sallyport-gateway: /var/lib/sallyport, with its services, keys and certificates, stays unless this is a purge; to delete it later: apt purge sallyport-gateway
sallyport-gateway: deleting /var/lib/sallyport, with its services, keys, certificates and logs`;

/** Starts the gateway; fulfilled with what tells it from others, and the way to end it. */
async function startGateway() {
  const started = layer.start('sallyport-gateway', 'start');
  await started.until(/Sallyport is running/);
  const [, fingerprint = 'none'] = /SHA-256 ([0-9A-F:]{95})/.exec(started.out()) ?? [];
  return {
    fingerprint,
    async end() {
      started.child.kill('SIGINT');
      expect((await started.ended).code).toBe(0);
    },
  };
}

describe.skipIf(problem !== null)('the installation of a package', { timeout: INSTALL_MAX_MS }, () => {
  beforeAll(() => {
    base = mkdtempSync(path.join(tmpdir(), 'sallyport-cut-off-'));
    execFileSync(process.execPath, [SCRIPT, '--out', base, '--quick', '--native'], { stdio: 'ignore' });
    [GATEWAY, COMMAND].forEach(makeNext);
    namespaces = openNamespaces();
  }, INSTALL_MAX_MS);
  afterAll(async () => {
    await namespaces?.close();
    rmSync(base, { recursive: true, force: true });
  }, 60_000);
  beforeEach(async () => {
    layer = await openLayer(await namespaces.add('bare'));
  });
  afterEach(() => layer.close());

  it('is cut off and done again, and so is its update: the command, with its settings', async () => {
    await installFirst(COMMAND);
    await write(COMMAND.settings, '{}');
    await update(COMMAND, async () => expect(await read(COMMAND.settings)).toBe('{}'));
    expect(await remove(COMMAND, ['dpkg'], ['--remove', '--purge'])).toBe('');
    expect(await read(COMMAND.settings)).toBe('{}');
  });

  it('is cut off and done again, and so is its update: the gateway, which serves meanwhile, with data and settings', async () => {
    await installFirst(GATEWAY);
    await write(GATEWAY.settings, SETTINGS);
    const before = await startGateway();
    await update(GATEWAY, async () => {
      expect(await layer.run('sallyport-gateway', 'health')).toMatchObject({ code: 0 });
      expect(await read(GATEWAY.settings)).toBe(SETTINGS);
    });
    await before.end();
    const after = await startGateway();
    expect(after.fingerprint).toBe(before.fingerprint);
    await after.end();
    expect(await remove(GATEWAY, ['dpkg'], ['--remove', '--purge'])).toBe(REMOVED);
    expect(await layer.run('ls', '/var/lib/sallyport')).toMatchObject({ code: 2 });
  });

  it(
    'brings all that the gateway needs to a bare Debian, and takes it away again',
    { timeout: 2 * INSTALL_MAX_MS },
    async ({ skip }) => {
      const bare = await makeBareRoot(debOf(GATEWAY));
      if (typeof bare === 'string') {
        process.stderr.write(`skipped: the gateway on a bare Debian, because ${bare}\n`);
        skip(bare);
        return;
      }
      onTestFinished(bare.close);
      await layer.close();
      layer = await openLayer(await namespaces.add('debian'), bare.folder);
      const programs = async () =>
        (await layer.run('sh', '-c', 'for each in nginx wg nft certbot; do command -v $each; done')).out;
      expect(await programs()).toBe('');
      const deb = `/root/${path.basename(debOf(GATEWAY))}`;
      const installed = await layer.run('apt-get', 'install', '--yes', '--no-install-recommends', deb);
      expect(installed).toMatchObject({
        code: 0,
        out: expect.stringContaining('Start it with: sallyport-gateway start') as string,
      });
      expect(installed.out).toMatch(
        /disabled nginx\.service, which came with nginx-common[^]*disabled certbot\.timer, which came with certbot/,
      );
      // Debian's nginx was started, and is stopped.
      expect(await layer.run('ss', '--tcp', '--listening', '--no-header')).toMatchObject({ code: 0, out: '' });

      const settings = SETTINGS.replace('SALLYPORT_TUNNEL=off', 'SALLYPORT_TUNNEL=on');
      await write(GATEWAY.settings, settings);
      const gateway = await startGateway();
      const check = await layer.run('sallyport-gateway', 'check');
      for (const subject of ['nginx', 'openssl', 'certbot', 'tunnel', 'ports']) {
        expect(check.out).toMatch(new RegExp(`^ok +${subject} `, 'm'));
      }
      // They are those of the settings.
      expect(check.out.match(/^FIX .*/gm)).toEqual([expect.stringContaining('name servers')]);
      await gateway.end();

      expect(await remove(GATEWAY, ['apt-get', '--yes'])).toBe(REMOVED);
      expect(await layer.run('ls', '/var/lib/sallyport')).toMatchObject({ code: 2 });
      expect(await layer.run('apt-get', '--yes', '--purge', 'autoremove')).toMatchObject({ code: 0 });
      expect(await programs()).toBe('');
    },
  );
});
