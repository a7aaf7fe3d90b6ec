import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { findProgram, ProgramError, runProgram } from '../../machine/runProgram.ts';
import type { PeerReading, TunnelStatus } from './tunnel.ts';
import { openUapi, readDump } from './uapi.ts';
import { hasNetworkRights } from '../../machine/ownProcess.ts';

const TUN = '/dev/net/tun';
const MORE_DIRECTORIES = ['/usr/sbin', '/sbin', '/usr/bin', '/bin'];
const AGAIN = 'then start the gateway again.';

/** `command` is what to type for a tunnel. */
type TunnelMachine = { available: true } | (Extract<TunnelStatus, { available: false }> & { command: string });

/** Whether this machine can have a tunnel, as far as can be told without making one. */
export async function tunnelMachine(): Promise<TunnelMachine> {
  const no = (reason: string, fix: string, command: string): TunnelMachine => ({
    available: false,
    reason,
    fix,
    command,
  });
  if (!hasNetworkRights()) {
    return process.getuid?.() === 0
      ? no(
          'This container may not set up network interfaces.',
          'Start it with --cap-add=NET_ADMIN --device=/dev/net/tun.',
          'docker run --cap-add=NET_ADMIN --device=/dev/net/tun …',
        )
      : no('Only root can set up network interfaces.', 'Run the gateway as root, with sudo.', 'sudo npm start');
  }
  const needs = { wg: 'wireguard-tools', nft: 'nftables', ip: 'iproute2' };
  const missing = Object.entries(needs).filter(([program]) => !hasProgram(program));
  const hasWireguard =
    (hasProgram('wireguard-go') && existsSync(TUN)) || (hasProgram('ip') && (await kernelHasWireguard()));
  const packages = missing.map(([, name]) => name);
  if (!hasWireguard && !hasProgram('wireguard-go')) packages.push('wireguard-go');
  if (packages.length > 0) {
    const install = `apt-get install --no-install-recommends ${packages.join(' ')}`;
    return no(`This machine lacks ${packages.join(', ')}.`, `Run ${install}, ${AGAIN}`, `sudo ${install}`);
  }
  if (!hasWireguard)
    return no(
      `This machine has no ${TUN}.`,
      `Start the container with --device=${TUN}.`,
      `docker run --device=${TUN} …`,
    );
  return { available: true };
}

const hasProgram = (name: string): boolean => findProgram(name, MORE_DIRECTORIES) !== null;

/** A WireGuard interface of this machine. */
export type WireguardDevice = {
  /** The gateway's key that it was given; null: none yet. */
  publicKey(): Promise<string | null>;
  /** @throws {ProgramError} or {Error} when it is gone */
  read(): Promise<readonly PeerReading[]>;
  /** Never, where only a look tells that it is gone. */
  gone: Promise<void>;
  close(): void;
};

const NO_KERNEL_WIREGUARD = /Unknown device type|not supported/i;

/** Whether this network namespace has an interface of that name, of whatever kind. */
export function hasInterface(name: string): boolean {
  // The list of the process's own namespace, which /sys need not be.
  return readFileSync('/proc/self/net/dev', 'utf8')
    .split('\n')
    .some((line) => line.trimStart().startsWith(`${name}:`));
}

/** The WireGuard interface of that name; null when there is none, or it is another kind. */
export async function findDevice(name: string): Promise<WireguardDevice | null> {
  if (!hasInterface(name)) return null;
  const uapi = await openUapi(name);
  const publicKey = async (): Promise<string | null> => {
    const key = (await runProgram('wg', ['show', name, 'public-key'])).trim();
    return key === '(none)' || key === '' ? null : key;
  };
  if (uapi !== null) return { publicKey, read: uapi.read, gone: uapi.closed, close: uapi.close };
  const isWireguard = await publicKey().then(
    () => true,
    () => false,
  );
  if (!isWireguard) return null;
  return {
    publicKey,
    read: async () => readDump(await runProgram('wg', ['show', name, 'dump'])),
    gone: new Promise(() => undefined),
    close: () => undefined,
  };
}

/** The WireGuard interfaces of this network namespace that have one of these public keys; none without `wg`. */
export async function devicesWith(publicKeys: readonly string[]): Promise<string[]> {
  const text = await runProgram('wg', ['show', 'all', 'public-key']).catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [name = '', key = ''] = line.split('\t');
    // Those of `wireguard-go` in other networks are listed as well.
    return publicKeys.includes(key) && hasInterface(name) ? [name] : [];
  });
}

/**
 * Makes a WireGuard interface: the kernel's, where it can, else by `wireguard-go`, a daemon of its own.
 * @throws {ProgramError} with the reason
 */
export async function makeDevice(name: string): Promise<WireguardDevice> {
  try {
    await runProgram('ip', ['link', 'add', 'dev', name, 'type', 'wireguard']);
  } catch (error) {
    if (!(error instanceof ProgramError) || !NO_KERNEL_WIREGUARD.test(error.message)) throw error;
    await startUserspace(name);
  }
  const device = await findDevice(name);
  if (device === null) throw new ProgramError(`the interface ${name} was made, but is not there`);
  return device;
}

/** A note at the interface, which lives as long as it does; '' when there is none. @throws {ProgramError} */
export async function noteAt(name: string): Promise<string> {
  const [link] = JSON.parse(await runProgram('ip', ['-json', 'link', 'show', 'dev', name])) as { ifalias?: string }[];
  return link?.ifalias ?? '';
}

/** @throws {ProgramError} */
export async function setNoteAt(name: string, note: string): Promise<void> {
  await runProgram('ip', ['link', 'set', 'dev', name, 'alias', note]);
}

/** Takes the interface away; the daemon behind it ends by itself. */
export async function removeDevice(name: string): Promise<void> {
  if (hasInterface(name)) await runProgram('ip', ['link', 'delete', 'dev', name]);
}

/** Whether this kernel can do WireGuard, without making anything of that name. */
export async function kernelHasWireguard(): Promise<boolean> {
  if (existsSync('/sys/module/wireguard')) return true;
  const trial = `spt${process.pid}`;
  try {
    await runProgram('ip', ['link', 'add', 'dev', trial, 'type', 'wireguard']);
    await runProgram('ip', ['link', 'delete', 'dev', trial]);
    return true;
  } catch {
    return false;
  }
}

const START_LIMIT_MS = 10_000;

async function startUserspace(name: string): Promise<void> {
  // In a session of its own: the Ctrl+C that ends the gateway must not end it in the middle of something.
  const child = spawn('wireguard-go', [name], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore'],
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'silent' },
    timeout: START_LIMIT_MS,
  });
  // What was started goes on in the background once the interface is there.
  const [code] = (await once(child, 'exit').catch((cause: Error) => {
    throw new ProgramError(`wireguard-go: ${cause.message}`, { cause });
  })) as [number | null];
  if (code !== 0) throw new ProgramError(`wireguard-go could not make the interface ${name}`);
}
