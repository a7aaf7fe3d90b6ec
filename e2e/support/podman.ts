import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Namespace, type Namespaces, namespacesProblem, openNamespaces, sweepNamespaces } from './namespaces.ts';

const CHECKOUT = path.resolve(import.meta.dirname, '../..');
const BASE_SCRIPT = path.join(import.meta.dirname, 'containerBase.sh');
const BASE_IMAGE = 'docker.io/library/debian:bookworm-slim';
/** What the two images install; what this machine lacks of it is fetched as they are built. */
const PACKAGES =
  'nginx-light libnginx-mod-stream libnginx-mod-http-headers-more-filter openssl iproute2 iputils-ping wireguard-tools wireguard-go nftables certbot init-system-helpers libstdc++6 tini'.split(
    ' ',
  );
/** What one of them needs by a virtual name, which is not followed. */
const VIRTUAL = ['python3-cffi-backend'];
const STEP_MAX_MS = 600_000;
const PROGRAMS = ['podman', 'podman-compose', 'runc', 'nsenter', 'setpriv', 'iptables', 'apt-cache', 'dpkg-query'];
/** What Debian's podman calls by their paths. */
const HELPERS = ['/usr/lib/podman/netavark', '/usr/lib/podman/aardvark-dns'];
/** The names at the top of the two files, which podman-compose does not read. */
const PROJECTS: Readonly<Record<Composed, string>> = { gateway: 'sallyport', node: 'sallyport-node' };
const FOLDER_PREFIX = 'sallyport-podman-';
const run = promisify(execFile);

/** How a program ended. */
export type Ended = { code: number; out: string; err: string };

/** What has a `compose.yaml`, by its folder in `containers`. */
export type Composed = 'gateway' | 'node';

/** Podman with images and networks of its own, which no other program of this machine sees. */
export type Podman = {
  /** The network in which everything runs. */
  home: Namespace;
  /** A directory for what a test gives to containers. */
  folder: string;
  /** Runs podman to its end. */
  (...args: string[]): Promise<Ended>;
  /** Runs it and wants it to succeed. Fulfilled with what it printed. */
  must(...args: string[]): Promise<string>;
  /** The folders of `containers`, next to the packages of this checkout, as the guide has them. */
  containers: string;
  /** Runs podman-compose in the folder of a `compose.yaml`, and wants it to succeed. Fulfilled with what it printed. */
  compose(name: Composed, ...args: string[]): Promise<string>;
  /** Builds an image as its `compose.yaml` says. */
  build(name: Composed): Promise<void>;
  /** Builds the app for Home Assistant on the image of a node. */
  buildApp(nodeImage: string): Promise<void>;
  /** What a container has said so far. */
  said(name: string): Promise<string>;
  close(): Promise<void>;
};

/** Opens it; a sentence that says why this machine cannot have it. */
export async function openPodman(): Promise<Podman | string> {
  const missing = [
    ...PROGRAMS.filter((program) => !isInstalled(program)),
    ...HELPERS.filter((file) => !existsSync(file)),
  ];
  if (missing.length > 0) return `${missing.join(', ')} is missing`;
  const problem = (await namespacesProblem()) ?? (await machineProblem());
  if (problem !== null) return problem;
  const spaces = openNamespaces();
  const podman = await make(spaces);
  try {
    const base = await baseImage(podman.folder);
    const refused = await tryOut(podman, base);
    if (refused === null) return podman;
    await podman.close();
    return `podman runs no container here (${refused.trim().split('\n').at(-1)})`;
  } catch (error) {
    await podman.close();
    throw error;
  }
}

/** What podman says where it cannot do what every test needs: layers, a network, an interface of a tunnel. Null: it can. */
async function tryOut(podman: Podman, base: string): Promise<string | null> {
  const needs = ['--network', 'trial', '--cap-add', 'NET_ADMIN', '--device', '/dev/net/tun'];
  for (const args of [
    ['import', base, BASE_IMAGE],
    ['network', 'create', '--subnet', '172.30.76.0/24', 'trial'],
    ['run', '--rm', ...needs, BASE_IMAGE, 'true'],
    ['network', 'rm', 'trial'],
  ]) {
    const { code, err } = await podman(...args);
    if (code !== 0) return err;
  }
  return null;
}

async function make(spaces: Namespaces): Promise<Podman> {
  await sweepNamespaces();
  leftFolders().forEach(removeFolder);
  const home = await spaces.add('podman');
  const folder = mkdtempSync(path.join(tmpdir(), `${FOLDER_PREFIX}${process.pid}-`));
  const config = path.join(folder, 'containers.conf');
  // Without more rights to its limits than some machines give.
  writeFileSync(
    config,
    '[containers]\ndefault_ulimits = []\nlog_driver = "k8s-file"\n[network]\nnetwork_backend = "netavark"\n',
  );
  const env = { ...process.env, CONTAINERS_CONF: config, BUILDAH_FORMAT: 'docker' };
  const storage = ['--root', path.join(folder, 'root'), '--runroot', path.join(folder, 'run')];
  const networks = ['--network-config-dir', path.join(folder, 'networks')];
  const runtime = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', '--log-level', 'fatal'];
  // One that podman-compose can be told to use.
  const program = path.join(folder, 'podman');
  const words = ['podman', ...storage, ...networks, ...runtime];
  writeFileSync(program, `#!/bin/sh\nexec ${words.join(' ')} "$@"\n`, { mode: 0o755 });
  const machine = await openMachine(home);
  const context = path.join(folder, 'context');
  const containers = path.join(context, 'containers');
  for (const name of ['containers', '.dockerignore']) {
    cpSync(path.join(CHECKOUT, name), path.join(context, name), { recursive: true });
  }
  let packages: Promise<unknown> | undefined;

  const within = async (...command: string[]): Promise<Ended> => {
    try {
      const { stdout, stderr } = await run('nsenter', [...machine.inside, ...command], { env, timeout: STEP_MAX_MS });
      return { code: 0, out: stdout, err: stderr };
    } catch (error) {
      const {
        code,
        stdout = '',
        stderr = String(error),
      } = error as { code?: number; stdout?: string; stderr?: string };
      return { code: typeof code === 'number' ? code : -1, out: stdout, err: stderr };
    }
  };
  const podman = (...args: string[]): Promise<Ended> => within('--net', program, ...args);
  const must = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await podman(...args);
    if (code !== 0) throw new Error(`podman ${args.join(' ')} ended with ${code}: ${err}`);
    return out;
  };
  const compose = (name: Composed): string[] => {
    const file = path.join(containers, name, 'compose.yaml');
    return ['podman-compose', '--podman-path', program, '--project-name', PROJECTS[name], '--file', file];
  };
  /** Whatever it was to do, podman-compose ends with 0; it prints how each command of podman ended. */
  const composed = async (...command: string[]): Promise<string> => {
    const { code, out, err } = await within(...command);
    if (code !== 0 || /^exit code: [^0]/m.test(out)) throw new Error(`${command.join(' ')}: ${out}${err}`);
    return out + err;
  };
  // In the network of this machine: it has the mirror.
  const building = ['--isolation', 'chroot', '--network', 'host'];
  return Object.assign(podman, {
    home,
    folder,
    containers,
    must,
    compose: (name: Composed, ...args: string[]) => composed('--net', ...compose(name), ...args),
    async build(name: Composed) {
      await (packages ??= makePackages(path.join(context, 'dist')));
      await composed(...compose(name), `--podman-build-args=${building.join(' ')}`, 'build');
    },
    async buildApp(nodeImage: string) {
      const how = ['build', ...building, '--build-arg', `NODE_IMAGE=${nodeImage}`];
      // Home Assistant gives an app its own folder alone.
      const what = ['--tag', 'localhost/sallyport-home-assistant', path.join(containers, 'home-assistant/sallyport')];
      const { code, err } = await within(program, ...how, ...what);
      if (code !== 0) throw new Error(`The app was not built: ${err}`);
    },
    async said(name: string) {
      const { out, err } = await podman('logs', name);
      return out + err;
    },
    async close() {
      // Their control groups do not end with the namespaces.
      await podman('rm', '--all', '--force', '--time', '0', '--volumes');
      await machine.close();
      await spaces.close();
      removeFolder(folder);
    },
  });
}

/** What podman keeps at places that no setting moves is kept for it alone; so is what it mounts. */
const OWN_PLACES = `set -e
for place in /run/containers /run/libpod /run/netns /dev/shm; do
  mkdir -p "$place"
  mount -t tmpfs tmpfs "$place"
done
echo ready
sleep infinity & wait`;

const OWN = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];

async function machineProblem(): Promise<string | null> {
  try {
    await run('unshare', [...OWN, 'mount', '-t', 'tmpfs', 'tmpfs', '/dev/shm']);
    return null;
  } catch (error) {
    return `this machine lets no one make namespaces of processes and mounts (${error instanceof Error ? error.message.trim() : String(error)})`;
  }
}

/** Namespaces of processes and mounts in a network: all that runs in them ends with them, and they end with this process. */
async function openMachine(home: Namespace) {
  // Not `ip netns exec`, which hides the control groups.
  const words = ['--pdeathsig', 'KILL', 'nsenter', `--net=/run/netns/${home.name}`, 'unshare', ...OWN];
  const child = spawn('setpriv', [...words, 'sh', '-c', OWN_PLACES], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await Promise.race([
    once(child.stdout, 'data'),
    ended.then(() => Promise.reject(new Error('Podman has no namespaces of its own.'))),
  ]);
  // The first process in there, which `unshare` has forked.
  const [first = ''] = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
  return {
    inside: ['--target', first, '--mount', '--pid'],
    async close() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true });

/** The folders of runs that were killed. */
function leftFolders(): string[] {
  return readdirSync(tmpdir())
    .filter((name) => name.startsWith(FOLDER_PREFIX))
    .filter((name) => !existsSync(`/proc/${/^\d+(?=-)/.exec(name.slice(FOLDER_PREFIX.length))?.[0] ?? 'self'}`))
    .map((name) => path.join(tmpdir(), name));
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v "$0"', program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function baseImage(folder: string): Promise<string> {
  const base = path.join(folder, 'base');
  mkdirSync(base);
  await run('sh', [BASE_SCRIPT, base, ...PACKAGES, ...VIRTUAL], { timeout: STEP_MAX_MS });
  return path.join(base, 'base.tar');
}

/** The packages of what was built last. */
const makePackages = (folder: string) =>
  run(process.execPath, [path.join(CHECKOUT, 'scripts/package.mjs'), '--out', folder, '--quick', '--native'], {
    timeout: STEP_MAX_MS,
  });

const LISTS = {
  cap_drop: '--cap-drop',
  cap_add: '--cap-add',
  tmpfs: '--tmpfs',
  security_opt: '--security-opt',
  devices: '--device',
  sysctls: '--sysctl',
};

/**
 * What a `compose.yaml` gives a service to run with, as podman takes it: what users get is what is tried.
 * @param without what is left out of it
 */
export function composeFlags(name: Composed, without?: string): string[] {
  const text = readFileSync(path.join(CHECKOUT, 'containers', name, 'compose.yaml'), 'utf8');
  const flags = Object.entries(LISTS).flatMap(([key, flag]) => {
    const [, list = ''] = new RegExp(`^ {4}${key}: \\[(.*)\\]$`, 'm').exec(text) ?? [];
    if (list === '') throw new Error(`The compose.yaml of the ${name} has no ${key}.`);
    const given = list.split(', ').filter((each) => each !== without);
    return given.flatMap((each) => [flag, each.replaceAll("'", '').replace(/^ALL$/, 'all')]);
  });
  if (!/^ {4}read_only: true$/m.test(text)) throw new Error(`The compose.yaml of the ${name} is not read-only.`);
  return ['--read-only', '--read-only-tmpfs=false', ...flags];
}
