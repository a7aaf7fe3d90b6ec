import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Started, watched } from '../../packages/cli/src/testing/process.ts';
import type { Namespace } from './namespaces.ts';
import { GATEWAY, openTunnelScene, type TunnelScene, type TunnelSceneOptions } from './tunnelScene.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
/** A keeper lives as long as its test. */
const PROGRAM_MAX_MS = 120_000;
const ENVIRONMENT = [
  'HOME=/root',
  'LANG=C.UTF-8',
  'TERM=xterm',
  'SHELL=/bin/sh',
  'PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin',
];

/** A host that has the packaged command and none of this checkout, with an `/etc` and a `/run` of its own. */
export type PackagedHost = {
  /** Runs any program to its end; with `input` on its standard input, which is then closed. */
  run(command: readonly string[], input?: string): Started['ended'];
  /** Runs `sallyport`, piped. */
  sallyport(argv: readonly string[], input?: string): Started['ended'];
  /** Starts `sallyport` in a pseudo-terminal. */
  atTerminal(argv: readonly string[]): Started;
  /** Starts any program. */
  start(command: readonly string[]): Started;
  close(): Promise<void>;
};

// What is mounted here is mounted for the host alone, and gone with it. The checkout is hidden: nothing of it helps the package.
export const OWN_MACHINE = `set -e
disk=$1 package=$2 checkout=$3
mount --bind "$disk/etc" /etc
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock
mount -t tmpfs -o mode=755 tmpfs /opt
mkdir /opt/sallyport
mount --bind "$package" /opt/sallyport
mount -t tmpfs -o mode=755 tmpfs /usr/local/sbin
ln -s /opt/sallyport/usr/bin/sallyport /usr/local/sbin/sallyport
mount -t tmpfs -o mode=755 tmpfs "$checkout"
`;

/** It looks as if systemd ran it; a test puts its own `systemctl` there. */
const ALONE = `${OWN_MACHINE}mkdir -p /run/systemd/system
echo ready
exec sleep 600`;

/** What runs the host: nothing, or a systemd in namespaces of its own. */
export type HostKeeper = {
  script: string;
  launcher: readonly string[];
  inside(pid: number): Promise<readonly string[]>;
  close(): Promise<void>;
};

const nobody: HostKeeper = {
  script: ALONE,
  launcher: ['unshare'],
  inside: async (pid) => ['--target', String(pid), '--mount', '--net'],
  close: async () => undefined,
};

/** What is left of a host when it is off: its `/etc` and, where systemd runs it, its `/var/lib`. */
export type HostDisk = { folder: string; remove(): Promise<void> };

/** Makes the disk of a new host; its `/etc` is a copy of this machine's. */
export async function makeHostDisk(): Promise<HostDisk> {
  const folder = await mkdtemp(path.join(tmpdir(), 'sallyport-disk-'));
  await chmod(folder, 0o755);
  await cp('/etc', path.join(folder, 'etc'), { recursive: true, verbatimSymlinks: true });
  await mkdir(path.join(folder, 'lib'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Makes a host out of a network.
 *
 * @param folder of the unpacked package
 * @param keeper what runs the host
 * @param given a disk that stays when the host is closed; by default it has a new one that does not
 */
export async function makePackagedHost(
  where: Namespace,
  folder: string,
  keeper: HostKeeper = nobody,
  given?: HostDisk,
): Promise<PackagedHost> {
  const disk = given ?? (await makeHostDisk());
  const own = ['--mount', '--propagation', 'private', 'sh', '-c', keeper.script, 'sh', disk.folder, folder, CHECKOUT];
  const [first = '', ...more] = [...keeper.launcher, ...own];
  const machine = where.spawn(first, ...more);
  if (machine.stdout === null) throw new Error('The host has no output.');
  await Promise.race([
    once(machine.stdout, 'data'),
    once(machine, 'exit').then(() => Promise.reject(new Error('The host could not be made.'))),
  ]);
  const inside = [...(await keeper.inside(machine.pid ?? 0)), '--wd=/', 'env', '-i', ...ENVIRONMENT];

  const start = (command: readonly string[], input?: string): Started => {
    const started = watched(spawn('nsenter', [...inside, ...command]), PROGRAM_MAX_MS);
    if (input !== undefined) started.child.stdin.end(input);
    return started;
  };

  return {
    start,
    run: (command, input = '') => start(command, input).ended,
    sallyport: (argv, input = '') => start(['sallyport', ...argv], input).ended,
    atTerminal(argv) {
      // No word of these tests means anything to a shell.
      const line = `stty cols 100 rows 30; exec sallyport ${argv.join(' ')}`;
      return start(['script', '--quiet', '--return', '--flush', '--command', line, '/dev/null']);
    },
    async close() {
      machine.kill('SIGKILL');
      await keeper.close();
      if (given === undefined) await disk.remove();
    },
  };
}

const run = promisify(execFile);
const SCRIPT = path.resolve(import.meta.dirname, '../../scripts/package.mjs');

/** A Debian package, unpacked where nothing else is; its scripts are in `DEBIAN`. */
export type Unpacked = { folder: string; close(): Promise<void> };

/** Makes the packages of what was built, and unpacks that of a name. */
export async function unpackPackage(wanted: 'sallyport' | 'sallyport-gateway'): Promise<Unpacked> {
  const base = await mkdtemp(path.join(tmpdir(), 'sallyport-packaged-'));
  const only = wanted === 'sallyport' ? ['--only', 'command'] : [];
  await run(process.execPath, [SCRIPT, '--out', base, '--quick', '--native', ...only], { timeout: 240_000 });
  const name = (await readdir(base)).find((file) => file.startsWith(`${wanted}_`) && file.endsWith('.deb'));
  if (name === undefined) throw new Error(`There is no Debian package ${wanted}.`);
  const folder = path.join(base, 'unpacked');
  await run('dpkg-deb', ['--raw-extract', path.join(base, name), folder]);
  return { folder, close: () => rm(base, { recursive: true }) };
}

/** A gateway in a network of its own, and hosts around it that have the packaged command. */
export type PackagedScene = TunnelScene & {
  /** Where hosts reach the gateway. */
  url: string;
  /** What an administrator sees of its certificate where the gateway was started. */
  fingerprint: string;
  /** Makes a host out of a network; it is closed with the scene. */
  packagedHost(where: Namespace, keeper?: HostKeeper): Promise<PackagedHost>;
  /** Has a host join, piped, with what it says of itself; fulfilled with the number of its node. */
  joinByCommand(host: PackagedHost, name: string, ...flags: string[]): Promise<number>;
};

/** Unpacks the package and opens a tunnel scene next to it; when either fails, nothing of the other stays. */
export async function openPackagedScene(options: TunnelSceneOptions = {}): Promise<PackagedScene> {
  const [unpacked, opened] = await Promise.allSettled([unpackPackage('sallyport'), openTunnelScene(options)]);
  if (unpacked.status === 'rejected' || opened.status === 'rejected') {
    if (unpacked.status === 'fulfilled') await unpacked.value.close();
    if (opened.status === 'fulfilled') await opened.value.close();
    throw [unpacked, opened].find((each) => each.status === 'rejected')?.reason;
  }
  return within(opened.value, unpacked.value);
}

function within(scene: TunnelScene, cli: Unpacked): PackagedScene {
  const { gateway } = scene;
  const hosts: PackagedHost[] = [];
  const url = `https://${GATEWAY}:${gateway.ports.console}`;
  const fingerprint = /SHA-256 ([0-9A-F:]{95})/.exec(gateway.output())?.[1] ?? 'none';
  return {
    ...scene,
    url,
    fingerprint,
    async packagedHost(where, keeper) {
      const host = await makePackagedHost(where, cli.folder, keeper);
      hosts.push(host);
      return host;
    },
    async joinByCommand(host, name, ...flags) {
      const who = ['--pin', fingerprint, '--username', gateway.username, '--password-stdin'];
      const argv = ['login', '--url', url, ...who, '--name', name, ...flags, '--json'];
      const joined = await host.sallyport(argv, gateway.password);
      if (joined.code !== 0) throw new Error(`The host did not join: ${joined.err}`);
      return (JSON.parse(joined.out) as { id: number }).id;
    },
    async close() {
      for (const host of hosts) await host.close();
      await scene.close();
      await cli.close();
    },
  };
}
