import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { release } from 'node:os';
import { join } from 'node:path';
import { quietly, withRetries } from './commands.mjs';
import { Halt, say } from './say.mjs';

const BINARY_FOLDERS = ['usr/local/sbin', 'usr/local/bin', 'usr/sbin', 'usr/bin', 'sbin', 'bin'];

const hasBinary = (root, name) => BINARY_FOLDERS.some((folder) => existsSync(join(root, folder, name)));
const hasFile = (root, path) => existsSync(join(root, path));

/** Each thing that the gateway or the tests need of the system: how one sees that it is there, and what brings it. */
const NEEDS = [
  { for: ['start'], package: 'nginx-light', isPresent: (root) => hasBinary(root, 'nginx') },
  ...['stream', 'http-headers-more-filter'].map((name) => ({
    for: ['start'],
    package: `libnginx-mod-${name}`,
    // Only Debian's nginx has its modules in packages of their own; any other is taken as it is.
    isPresent: (root) =>
      hasFile(root, `usr/lib/nginx/modules/ngx_${name.replaceAll('-', '_')}_module.so`) ||
      (hasBinary(root, 'nginx') && !hasFile(root, 'etc/nginx/modules-enabled')),
  })),
  { for: ['start'], package: 'openssl', isPresent: (root) => hasBinary(root, 'openssl') },
  // Its `ss` ends the open connections of services that are closed.
  { for: ['start'], package: 'iproute2', isPresent: (root) => hasBinary(root, 'ss') },
  // Certificates of Let's Encrypt; the gateway serves self-signed ones without it.
  {
    for: ['start'],
    package: 'certbot',
    isPresent: (root) => hasBinary(root, 'certbot') || hasFile(root, 'snap/bin/certbot'),
  },
  // The authority of the tests.
  { for: ['test'], package: 'pebble', isPresent: (root) => hasBinary(root, 'pebble') },
  // Nodes join by WireGuard. Where the kernel has none, a program does its work.
  { for: ['start'], package: 'wireguard-tools', isPresent: (root) => hasBinary(root, 'wg') },
  {
    for: ['start'],
    package: 'wireguard-go',
    isPresent: (root) => hasBinary(root, 'wireguard-go') || kernelHasWireguard(root),
  },
  { for: ['start'], package: 'nftables', isPresent: (root) => hasBinary(root, 'nft') },
  // The host of a node may have it instead.
  { for: ['test'], package: 'iptables', isPresent: (root) => hasBinary(root, 'iptables') },
  // The shells that the command completes its words in.
  { for: ['test'], package: 'zsh', isPresent: (root) => hasBinary(root, 'zsh') },
  { for: ['test'], package: 'fish', isPresent: (root) => hasBinary(root, 'fish') },
  // What keeps the host of a node connected.
  { for: ['test'], package: 'systemd', isPresent: (root) => hasFile(root, 'usr/lib/systemd/systemd') },
  { for: ['test'], package: 'curl', isPresent: (root) => hasBinary(root, 'curl') },
  // What a host that is no Debian unpacks the command with.
  { for: ['test'], package: 'xz-utils', isPresent: (root) => hasBinary(root, 'xz') },
  // The packages for arm64 are run by a processor that this one plays.
  { for: ['test'], package: 'qemu-user-static', isPresent: (root) => hasBinary(root, 'qemu-aarch64-static') },
  {
    for: ['test'],
    package: 'libstdc++6-arm64-cross',
    isPresent: (root) => hasFile(root, 'usr/aarch64-linux-gnu/lib/libstdc++.so.6'),
  },
  // What is said of the packages, of the manual pages and of the manifests for Kubernetes.
  { for: ['test'], package: 'lintian', isPresent: (root) => hasBinary(root, 'lintian') },
  { for: ['test'], package: 'man-db', isPresent: (root) => hasBinary(root, 'man') },
  { for: ['test'], package: 'kubernetes-client', isPresent: (root) => hasBinary(root, 'kubectl') },
  // The images of containers are built and run by these.
  ...['podman', 'podman-compose', 'runc'].map((name) => ({
    for: ['test'],
    package: name,
    isPresent: (root) => hasBinary(root, name),
  })),
  ...['netavark', 'aardvark-dns'].map((name) => ({
    for: ['test'],
    package: name,
    isPresent: (root) => hasFile(root, `usr/lib/podman/${name}`),
  })),
  // The gateway's package wants it, also where the kernel has WireGuard.
  { for: ['test'], package: 'wireguard-go', isPresent: (root) => hasBinary(root, 'wireguard-go') },
  // What the images have, so that they are built without the mirror.
  { for: ['test'], package: 'tini', isPresent: (root) => hasBinary(root, 'tini') },
  { for: ['test'], package: 'iputils-ping', isPresent: (root) => hasBinary(root, 'ping') },
  { for: ['test'], package: 'firefox-esr', isPresent: (root) => hasBinary(root, 'firefox-esr') },
  { for: ['test', 'bench'], package: 'chromium', isPresent: (root) => hasBinary(root, 'chromium') },
  { for: ['test', 'bench'], package: 'fonts-liberation', isPresent: (root) => hasFonts(root) },
  { for: ['bench'], package: 'wrk', isPresent: (root) => hasBinary(root, 'wrk') },
];

/**
 * Gets what is missing from the packages of Debian or Ubuntu: for `start` what the gateway works with, for `test` a
 * browser and fonts besides, for `bench` these and a load generator. Names every package that it installs.
 * Where it may not (no root, no apt-get, `SALLYPORT_INSTALL=0`) it says which command would do it.
 * Returns whether all is there.
 */
export async function ensureSystemPackages(purpose, system = thisSystem()) {
  const missing = missingPackages(purpose, system.root);
  if (missing.length === 0) return true;
  const refusal = refusalOf(system);
  if (refusal !== undefined) {
    say(`${refusal}; run: ${system.isRoot ? '' : 'sudo '}apt-get install --no-install-recommends ${missing.join(' ')}`);
    return false;
  }
  say(`installing from the system's packages: ${missing.join(', ')} ...`);
  const failure = await withoutServiceStarts(system.root, (signal) =>
    // A list of a minute ago may name what the mirror has replaced since, so each attempt begins with it.
    withRetries(
      async () =>
        (await apt(system, ['update', '-qq'], signal)) ??
        (await apt(system, ['install', '-y', '-qq', '--no-install-recommends', ...missing], signal)),
      { signal, pausesMs: system.pausesMs },
    ),
  );
  if (failure !== undefined) say(failure);
  const installed = missing.filter((name) => !missingPackages(purpose, system.root).includes(name));
  for (const { unit, why } of await disableDebianServices(system.root, installed)) {
    say(`disabled ${unit}, which came with a package and ${why}; to have it back: systemctl enable ${unit}`);
  }
  const still = missingPackages(purpose, system.root);
  if (failure === undefined && still.length > 0) say(`the packages of this system do not bring ${still.join(', ')}`);
  return still.length === 0;
}

function thisSystem() {
  return {
    root: '/',
    isRoot: process.getuid?.() === 0,
    mayInstall: process.env['SALLYPORT_INSTALL'] !== '0',
    apt: 'apt-get',
  };
}

function missingPackages(purpose, root) {
  const missing = NEEDS.filter((need) => need.for.includes('start') || need.for.includes(purpose))
    .filter((need) => !need.isPresent(root))
    .map((need) => need.package);
  return [...new Set(missing)];
}

function refusalOf({ root, isRoot, mayInstall }) {
  if (!hasBinary(root, 'apt-get'))
    return 'some programs are missing and this is neither Debian nor Ubuntu; on those one would';
  if (!mayInstall) return 'some programs are missing and SALLYPORT_INSTALL=0 forbids to install them';
  if (!isRoot) return 'some programs are missing and only root can install them';
  return undefined;
}

function kernelHasWireguard(root) {
  const module = `lib/modules/${release()}/kernel/drivers/net/wireguard/wireguard.ko`;
  return ['sys/module/wireguard', module, `${module}.xz`, `${module}.zst`].some((path) => hasFile(root, path));
}

function hasFonts(root) {
  const folder = join(root, 'usr/share/fonts/truetype');
  return existsSync(folder) && readdirSync(folder).length > 0;
}

/** What went wrong, or undefined. */
async function apt(system, args, signal) {
  const { code, tail } = await quietly(
    system.apt,
    ['-o', 'DPkg::Lock::Timeout=120', '-o', 'Acquire::Retries=3', ...args],
    {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      signal,
      // Away from the terminal's Ctrl+C: only the interruption above reaches it.
      detached: true,
    },
  );
  if (signal.aborted) throw new Halt('interrupted.');
  return code === 0 ? undefined : `apt-get ${args[0]} failed:\n${tail}`;
}

/** The units that Debian enables with a package, and what they would do after the next reboot. */
const UNITS = {
  'nginx-light': { unit: 'nginx.service', why: 'would take ports 80 and 443' },
  certbot: { unit: 'certbot.timer', why: 'would renew certificates that the gateway renews itself' },
};

/** Where `systemctl enable` puts its links, below /etc/systemd/system. */
const WANTED_BY = ['multi-user.target.wants', 'timers.target.wants'];

/**
 * Disables the services of packages that were just installed for the gateway, which runs these programs itself: Debian
 * enables them, and at the next start of the machine its nginx would be first at port 80. Also works where systemd does not
 * run, and does nothing where a unit is not there.
 * @returns {Promise<{ unit: string, why: string }[]>} those that are disabled now and were not before
 */
async function disableDebianServices(root, packages) {
  const disabled = [];
  for (const { unit, why } of packages.flatMap((name) => UNITS[name] ?? [])) {
    const links = WANTED_BY.map((wants) => join(root, 'etc/systemd/system', wants, unit)).filter(isLink);
    if (links.length === 0) continue;
    await quietly('systemctl', [...(root === '/' ? [] : ['--root', root]), '--quiet', 'disable', unit], {}).catch(
      () => undefined,
    );
    // Where there is no systemctl, or it was refused, its links are all that it would have removed.
    for (const link of links.filter(isLink)) await rm(link);
    disabled.push({ unit, why });
  }
  return disabled;
}

/** A link is one wherever it leads; those of another root lead nowhere from here. */
function isLink(path) {
  return existsSync(path) || lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

const OURS = '# Put here by Sallyport while it installs packages.';
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs `work` while Debian's packages may not start their services, so that a freshly installed nginx does not take
 * port 80. The policy that was there before is put back afterwards, also when a signal interrupts: `work` is given an
 * AbortSignal and ends early. What a killed process has left behind is put right at the next call.
 */
async function withoutServiceStarts(root, work) {
  const policy = join(root, 'usr/sbin/policy-rc.d');
  const kept = `${policy}.sallyport-kept`;
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    await restore(policy, kept);
    if (existsSync(policy)) await rename(policy, kept);
    await writeFile(policy, `#!/bin/sh\n${OURS}\nexit 101\n`, { mode: 0o755 });
    return await work(interruption.signal);
  } finally {
    await restore(policy, kept);
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

async function restore(policy, kept) {
  if (existsSync(policy) && readFileSync(policy, 'utf8').includes(OURS)) await rm(policy);
  if (existsSync(kept)) await rename(kept, policy);
}
