import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Namespace, type Namespaces, namespacesProblem, openNamespaces } from './namespaces.ts';

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
const PROGRAMS = ['podman', 'buildah', 'runc', 'nsenter'];
const run = promisify(execFile);

/** How a program ended. */
export type Ended = { code: number; out: string; err: string };

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
  /** Builds an image from its folder in `containers` and the packages of this checkout. */
  build(name: 'gateway' | 'node' | 'home-assistant/sallyport', ...flags: string[]): Promise<void>;
  /** What a container has said so far. */
  said(name: string): Promise<string>;
  close(): Promise<void>;
};

/** Opens it; a sentence that says why this machine cannot have it. */
export async function openPodman(): Promise<Podman | string> {
  const missing = PROGRAMS.filter((program) => !isInstalled(program));
  if (missing.length > 0) return `${missing.join(', ')} is missing`;
  const problem = await namespacesProblem();
  if (problem !== null) return problem;
  const spaces = openNamespaces();
  const podman = await make(spaces);
  try {
    await podman.must('import', await baseImage(podman.folder), BASE_IMAGE);
    const { code, err } = await podman('run', '--rm', '--network', 'none', BASE_IMAGE, 'true');
    if (code === 0) return podman;
    await podman.close();
    return `podman runs no container here (${err.trim().split('\n').at(-1)})`;
  } catch (error) {
    await podman.close();
    throw error;
  }
}

async function make(spaces: Namespaces): Promise<Podman> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sallyport-podman-'));
  const home = await spaces.add('podman');
  const config = path.join(folder, 'containers.conf');
  // Without more rights to its limits than some machines give.
  writeFileSync(config, '[containers]\ndefault_ulimits = []\n[network]\nnetwork_backend = "netavark"\n');
  const env = { ...process.env, CONTAINERS_CONF: config };
  const storage = ['--root', path.join(folder, 'root'), '--runroot', path.join(folder, 'run')];
  const networks = ['--network-config-dir', path.join(folder, 'networks')];
  const runtime = ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs', '--log-level', 'fatal'];

  const podman = async (...args: string[]): Promise<Ended> => {
    // Not `ip netns exec`, which hides the control groups.
    const within = [`--net=/run/netns/${home.name}`, 'podman', ...storage, ...networks, ...runtime];
    try {
      const { stdout, stderr } = await run('nsenter', [...within, ...args], { env, timeout: STEP_MAX_MS });
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
  const must = async (...args: string[]): Promise<string> => {
    const { code, out, err } = await podman(...args);
    if (code !== 0) throw new Error(`podman ${args.join(' ')} ended with ${code}: ${err}`);
    return out;
  };
  let context: string | null = null;
  return Object.assign(podman, {
    home,
    folder,
    must,
    async build(name: 'gateway' | 'node' | 'home-assistant/sallyport', ...flags: string[]) {
      context ??= await buildContext(folder);
      const isApp = name.startsWith('home-assistant');
      const place = path.join(context, 'containers', name);
      const how = ['--isolation', 'chroot', '--network', 'host', '--format', 'docker', ...flags];
      // Home Assistant gives an app its own folder alone.
      const what = isApp ? [place] : ['--file', path.join(place, 'Containerfile'), context];
      const tag = ['--tag', `localhost/sallyport-${path.dirname(name) === '.' ? name : path.dirname(name)}`];
      await run('buildah', [...storage, 'bud', ...how, ...tag, ...what], { env, timeout: STEP_MAX_MS });
    },
    async said(name: string) {
      const { out, err } = await podman('logs', name);
      return out + err;
    },
    async close() {
      await podman('rm', '--all', '--force', '--time', '0', '--volumes');
      await spaces.close();
      // What is mounted in there must not be followed.
      await podman('unmount', '--all');
      await run('sh', ['-c', 'grep -o " $0/[^ ]*" /proc/self/mounts | sort -r | xargs -r umount', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  });
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

/** What the Containerfiles are given of a checkout, with the packages of what was built last. */
async function buildContext(folder: string): Promise<string> {
  const context = path.join(folder, 'context');
  mkdirSync(context);
  for (const name of ['containers', '.dockerignore']) {
    cpSync(path.join(CHECKOUT, name), path.join(context, name), { recursive: true });
  }
  const script = path.join(CHECKOUT, 'scripts/package.mjs');
  await run(process.execPath, [script, '--out', path.join(context, 'dist'), '--quick', '--native'], {
    timeout: STEP_MAX_MS,
  });
  return context;
}

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
export function composeFlags(name: 'gateway' | 'node', without?: string): string[] {
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
