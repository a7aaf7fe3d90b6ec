import { execFile } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ensureSystemPackages } from './systemPackages.mjs';

/** Files by which one sees that a Debian system has all that `start` needs. */
const ALL_FOR_START = [
  'usr/sbin/nginx',
  'usr/lib/nginx/modules/ngx_stream_module.so',
  'usr/lib/nginx/modules/ngx_http_headers_more_filter_module.so',
  'usr/bin/openssl',
  'usr/bin/ss',
  'usr/bin/certbot',
  'usr/bin/wg',
  'usr/bin/wireguard-go',
  'usr/sbin/nft',
];
const POLICY = 'usr/sbin/policy-rc.d';

let root;
let said;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sallyport-system-'));
  await put('usr/bin/apt-get');
  await mkdir(join(root, 'usr/sbin'), { recursive: true });
  said = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(root, { recursive: true });
});

async function put(path, content = '') {
  const whole = join(root, path);
  await mkdir(dirname(whole), { recursive: true });
  await writeFile(whole, content);
}

/** A made-up system whose apt-get notes its arguments and the policy of the moment, then does as told. */
async function system({ isRoot = true, mayInstall = true, onInstall = 'true' } = {}) {
  const apt = join(root, 'apt');
  await writeFile(
    apt,
    `#!/bin/sh
cd ${root}
echo "$@" >> calls
case "$*" in *install*) cat ${POLICY} > policy-then; ${onInstall};; esac
`,
  );
  await chmod(apt, 0o755);
  return { root, isRoot, mayInstall, apt, pausesMs: [1] };
}

const calls = async () => (existsSync(join(root, 'calls')) ? await readFile(join(root, 'calls'), 'utf8') : '');
const installsAll = `mkdir -p ${ALL_FOR_START.map(dirname).join(' ')}; touch ${ALL_FOR_START.join(' ')}`;

describe('what is missing', () => {
  it('is installed and named, and nothing else', async () => {
    for (const path of ALL_FOR_START.slice(1)) await put(path);
    expect(await ensureSystemPackages('start', await system({ onInstall: installsAll }))).toBe(true);
    expect(said).toContain(': nginx-light ...');
    expect(await calls()).toMatch(/update .*\n.*install .*--no-install-recommends nginx-light\n$/);
  });

  it('is no program for WireGuard where the kernel does it', async () => {
    for (const path of ALL_FOR_START.filter((each) => !each.endsWith('wireguard-go'))) await put(path);
    await put('sys/module/wireguard/version');
    expect(await ensureSystemPackages('start', await system())).toBe(true);
    expect(await calls()).toBe('');
  });

  it('includes a browser and fonts for the tests', async () => {
    for (const path of ALL_FOR_START) await put(path);
    expect(await ensureSystemPackages('test', await system({ onInstall: 'true' }))).toBe(false);
    expect(await calls()).toContain(' firefox-esr chromium fonts-liberation\n');
    expect(said).toContain(
      'do not bring pebble, iptables, zsh, fish, systemd, curl, xz-utils, qemu-user-static, libstdc++6-arm64-cross, lintian, man-db, kubernetes-client, podman, podman-compose, runc, netavark, aardvark-dns, tini, iputils-ping, firefox-esr, chromium, fonts-liberation',
    );
  });

  it("does not touch another maker's nginx", async () => {
    await put('usr/local/sbin/nginx');
    await ensureSystemPackages('start', await system());
    expect(await calls()).not.toContain('nginx');
  });

  it.each([
    ['without root', { isRoot: false }, 'run: sudo apt-get install --no-install-recommends nginx-light'],
    ['when installing is forbidden', { mayInstall: false }, 'SALLYPORT_INSTALL=0'],
  ])('is only named %s', async (_, circumstances, sentence) => {
    expect(await ensureSystemPackages('start', await system(circumstances))).toBe(false);
    expect(said).toContain(sentence);
    expect(await calls()).toBe('');
  });

  it('is only named where there is no apt-get', async () => {
    await rm(join(root, 'usr/bin/apt-get'));
    expect(await ensureSystemPackages('start', await system())).toBe(false);
    expect(said).toContain('neither Debian nor Ubuntu');
  });

  it('is reported with what apt-get said last', async () => {
    const failing = await system({ onInstall: 'echo E: no space left; exit 100' });
    expect(await ensureSystemPackages('start', failing)).toBe(false);
    expect(said).toContain('E: no space left');
    expect((await calls()).match(/update/g)).toHaveLength(2);
  });

  it('is installed although the mirror failed the first time', async () => {
    const once = `test -e tried || { touch tried; echo E: connection reset; exit 100; }; ${installsAll}`;
    expect(await ensureSystemPackages('start', await system({ onInstall: once }))).toBe(true);
    expect(said).toMatch(/connection reset\nsallyport: trying again in /);
  });
});

/** What installing Debian's nginx and certbot leaves enabled. */
const ENABLED = ['multi-user.target.wants/nginx.service', 'timers.target.wants/certbot.timer'].map(
  (link) => `etc/systemd/system/${link}`,
);
const enables = ENABLED.map((link) => {
  const unit = link.slice(link.lastIndexOf('/') + 1);
  return `mkdir -p ${dirname(link)} usr/lib/systemd/system; touch usr/lib/systemd/system/${unit}; ln -sf /usr/lib/systemd/system/${unit} ${link}`;
}).join('; ');
const isEnabled = (link) => lstatSync(join(root, link), { throwIfNoEntry: false }) !== undefined;

describe('the services that packages bring', () => {
  it('are disabled when they were installed here, and that is said', async () => {
    await ensureSystemPackages('start', await system({ onInstall: `${installsAll}; ${enables}` }));
    expect(ENABLED.filter(isEnabled)).toEqual([]);
    expect(said).toContain('disabled nginx.service, which came with a package and would take ports 80 and 443');
    expect(said).toContain('disabled certbot.timer');
    expect(said).toContain('systemctl enable nginx.service');
  });

  it('stay as they are when they were there before', async () => {
    for (const path of ALL_FOR_START.filter((each) => !each.endsWith('certbot'))) await put(path);
    await promisify(execFile)('sh', ['-c', enables], { cwd: root });
    await ensureSystemPackages('start', await system({ onInstall: installsAll }));
    expect(ENABLED.filter(isEnabled)).toEqual([ENABLED[0]]);
    expect(said).not.toContain('nginx.service');
  });
});

describe('the policy about starting services', () => {
  it('forbids it during the installation and is gone afterwards', async () => {
    await ensureSystemPackages('start', await system());
    expect(await readFile(join(root, 'policy-then'), 'utf8')).toContain('exit 101');
    expect(existsSync(join(root, POLICY))).toBe(false);
  });

  it('is put back as it was', async () => {
    await put(POLICY, 'the own one');
    await ensureSystemPackages('start', await system({ onInstall: 'exit 1' }));
    expect(await readFile(join(root, 'policy-then'), 'utf8')).toContain('exit 101');
    expect(await readFile(join(root, POLICY), 'utf8')).toBe('the own one');
  });

  it('is put back when the installation is interrupted', async () => {
    await put(POLICY, 'the own one');
    const interrupted = await system({ onInstall: `kill -TERM ${process.pid}; exec sleep 20` });
    await expect(ensureSystemPackages('start', interrupted)).rejects.toThrow('interrupted');
    expect(await readFile(join(root, POLICY), 'utf8')).toBe('the own one');
  });

  it('is put back by the next installation after a crash', async () => {
    await put(`${POLICY}.sallyport-kept`, 'the own one');
    await put(POLICY, '# Put here by Sallyport while it installs packages.');
    await ensureSystemPackages('start', await system());
    expect(await readFile(join(root, POLICY), 'utf8')).toBe('the own one');
  });
});
