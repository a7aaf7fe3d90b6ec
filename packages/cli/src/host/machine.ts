import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { hostname, release } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockDirectory, type ProgramEnd, runProgram } from './runProgram.ts';
import { type OwnNetwork, ownNetwork, ownNetworks, type UsedNetwork, usedNetworksOf } from './networks.ts';

/** What the host's commands ask of the machine; tests give another one. */
export type Machine = {
  readonly isRoot: boolean;
  readonly hostname: string;
  /** The network by which this machine reaches others, by its default route; null when it has none. */
  network(except: string): OwnNetwork | null;
  /** The networks that this machine is in, as CIDR, but those of the named interface. */
  networks(except: string): string[];
  /** What else it uses: networks that it reaches otherwise than by the named interface, its routers, its DNS servers. */
  usedNetworks(except: string): Promise<UsedNetwork[]>;
  /** Where a program is; null when it is not installed. */
  find(program: string): string | null;
  /** Runs a program with a list of arguments. */
  run(program: string, args: readonly string[]): Promise<ProgramEnd>;
  /** A setting of the kernel below /proc/sys; null: there is none, as for an interface that is not there. */
  setting(name: string): string | null;
  /** Changes it; false where that is not allowed. */
  changeSetting(name: string, value: string): boolean;
  /** Whether a name has an address, as far as this machine finds out within a few seconds. */
  resolves(host: string): Promise<boolean>;
  /** Whether an address answers a ping within a second; true as well where no program can find out. */
  answersPing(address: string): Promise<boolean>;
  /** Holds a directory against all others who would; fulfilled, when it is free, with what lets go of it. */
  lock(directory: string): Promise<() => void>;
  /** The command line that runs this very program. */
  readonly self: readonly string[];
  /** Whether the kernel has WireGuard; null where that cannot be seen, as in most containers. */
  readonly kernelHasWireguard: boolean | null;
  /** Whether systemd runs this machine. */
  readonly hasSystemd: boolean;
  /** Where units of this machine stand. */
  readonly unitDirectory: string;
  /** Where packages put theirs; one above of the same name counts instead. */
  readonly packagedUnitDirectory: string;
  /** The names by which the distribution calls itself and what it is like, e.g. `ubuntu debian`. */
  readonly distribution: string;
};

/** `wg` would try for more than a minute to find a name; the user is told sooner, and can try again. */
const WG_ENDPOINT_RESOLUTION_RETRIES = '2';
const LOOKUP_MAX_MS = 5000;
/** How `ping` ends when nothing came back; otherwise it could not ask. */
const NO_REPLY = 1;

// sudo and cron may leave them out, and wg-quick lies and looks there.
const SYSTEM_DIRECTORIES = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** This machine. `env` is that of the run, `self` the command line that started it. */
export function createMachine(env: Record<string, string | undefined>, self: readonly string[]): Machine {
  const directories = [...new Set([...(env['PATH'] ?? '').split(delimiter), ...SYSTEM_DIRECTORIES])].filter(Boolean);
  const childEnv = {
    PATH: directories.join(delimiter),
    LANG: 'C',
    LC_ALL: 'C',
    HOME: env['HOME'] ?? '/',
    WG_ENDPOINT_RESOLUTION_RETRIES,
  };
  const find = (program: string): string | null =>
    directories.map((directory) => join(directory, program)).find(isExecutable) ?? null;
  return {
    isRoot: process.getuid?.() === 0,
    hostname: hostname(),
    network: ownNetwork,
    networks: ownNetworks,
    usedNetworks: (except) => usedNetworksOf((args) => runProgram('ip', args, childEnv), except),
    find,
    async lock(directory) {
      const flock = find('flock');
      // Without the program two commands at once may fail, which the next one fixes.
      return flock === null ? () => undefined : lockDirectory(flock, directory, childEnv);
    },
    setting(name) {
      try {
        return readFileSync(join('/proc/sys', name), 'utf8').trim();
      } catch {
        return null;
      }
    },
    changeSetting(name, value) {
      try {
        writeFileSync(join('/proc/sys', name), value);
        return true;
      } catch {
        return false;
      }
    },
    resolves: (host) =>
      Promise.race([
        lookup(host).then(
          () => true,
          () => false,
        ),
        sleep(LOOKUP_MAX_MS, false, { ref: false }),
      ]),
    async answersPing(address) {
      if (find('ping') === null) return true;
      const { code } = await runProgram('ping', ['-n', '-c', '1', '-W', '1', address], childEnv);
      return code !== NO_REPLY;
    },
    run: (program, args) => runProgram(program, args, childEnv),
    self,
    kernelHasWireguard: kernelHasWireguard(),
    hasSystemd: existsSync('/run/systemd/system'),
    unitDirectory: '/etc/systemd/system',
    packagedUnitDirectory: '/usr/lib/systemd/system',
    distribution: distributionOf(),
  };
}

function kernelHasWireguard(): boolean | null {
  if (existsSync('/sys/module/wireguard')) return true;
  const modules = `/lib/modules/${release()}`;
  const loadable = `${modules}/kernel/drivers/net/wireguard/wireguard.ko`;
  if (['', '.xz', '.zst', '.gz'].some((ending) => existsSync(loadable + ending))) return true;
  try {
    // Where the list of what is built in is readable, all modules of this kernel are there to be seen.
    return readFileSync(`${modules}/modules.builtin`, 'utf8').includes('/wireguard.ko');
  } catch {
    return null;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function distributionOf(): string {
  try {
    const text = readFileSync('/etc/os-release', 'utf8');
    return Array.from(text.matchAll(/^ID(?:_LIKE)?="?([^"\n]*)"?$/gm), ([, names]) => names).join(' ');
  } catch {
    return '';
  }
}
