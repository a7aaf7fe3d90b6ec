import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../failure.ts';
import { guardFile, makeDirectory, readIfThere, writePrivateFile } from '../storedFile.ts';
import type { Machine } from './machine.ts';
import type { ProgramEnd } from './runProgram.ts';
import type { Forwarding, Port } from './loopback.ts';
import { checkGuard, endForwarding, forwardedPorts, forwardLoopback, isForwarding } from './loopbackForwarding.ts';

/** A tunnel counts as alive so long after its last handshake; WireGuard makes a new one every two minutes. */
export const HANDSHAKE_MAX_MS = 180_000;

/** How the WireGuard interface is. */
export type TunnelState = {
  isUp: boolean;
  /** Where the gateway is reached, `address:port`. */
  endpoint: string | null;
  /** Milliseconds since 1970; null before the first. */
  latestHandshakeTimestamp: number | null;
  /** Bytes. */
  transferRx: number | null;
  transferTx: number | null;
};

const DOWN: TunnelState = {
  isUp: false,
  endpoint: null,
  latestHandshakeTimestamp: null,
  transferRx: null,
  transferTx: null,
};

/**
 * Whether the node is a gateway to its network, which needs nftables as well. `asked`: the user will say so at the terminal;
 * `unknown`: the gateway will, so nftables alone stops no host that may never need it.
 */
export type IsGateway = boolean | 'asked' | 'unknown';

/** What bringing a tunnel up came to. */
export type TunnelChange = 'started' | 'unchanged' | 'replaced';

/** The WireGuard interface of this host, made and removed by wg-quick. */
export type Tunnel = {
  /** The file that wg-quick reads. */
  readonly path: string;
  state(): Promise<TunnelState>;
  /** A `Failure` when a program that is needed is missing, with the one command that installs all. */
  requireTools(isGateway: IsGateway): void;
  /** Brings it up as `text` says. When that fails, all is as it was before, and so is the file. */
  up(text: string): Promise<TunnelChange>;
  /** The same where that is still wanted once it is its turn; null: it is not, and nothing was done. */
  keepUp(text: string, isWanted: () => boolean): Promise<TunnelChange | null>;
  /** Takes it down and removes the file; false when it was not up. */
  down(): Promise<boolean>;
  /** Starts it again from its file, so that the name of the gateway is looked up again. */
  restart(): Promise<void>;
  /** The service that keeps a host connected and the commands of its administrator change one tunnel: in turns. */
  inTurn<T>(change: () => Promise<T>): Promise<T>;
  /** Whether anything is forwarded to loopback addresses. */
  isForwarding(): boolean;
  /** The ports that are. */
  forwardedPorts(): Promise<Port[]>;
  /**
   * Forwards these ports of the host's address in the tunnel to its loopback address, and no others; to be called in turn.
   * @returns why that is not possible; null: it is done
   */
  forward(forwarding: Forwarding): Promise<string | null>;
  /** Ends forwarding whose rules another program has taken away. */
  checkForwarding(): Promise<void>;
};

/** The interface `name`, whose file stands in `directory`. */
export function createTunnel(machine: Machine, directory: string, name: string): Tunnel {
  const path = join(directory, `${name}.conf`);
  const advice = {
    path,
    purpose: "the tunnel's configuration",
    elsewhere: 'name another configuration with --config',
    permission: 'Run the command as root, with sudo.',
    renew: 'run `sallyport connect`',
  };

  async function state(): Promise<TunnelState> {
    if (machine.find('wg') === null) return DOWN;
    const { code, out, err } = await machine.run('wg', ['show', name, 'dump']);
    if (code === 0) return stateOf(out);
    if (/not permitted|denied/i.test(err)) throw notRoot('see the tunnel');
    return DOWN;
  }

  async function quick(verb: 'up' | 'down'): Promise<void> {
    const ended = await machine.run('wg-quick', [verb, path]);
    if (ended.code !== 0) throw quickFailure(machine, verb, name, ended);
  }

  async function inTurn<T>(change: () => Promise<T>): Promise<T> {
    const letGo = await machine.lock(directory);
    try {
      return await change();
    } finally {
      letGo();
    }
  }

  const write = (text: string) => guardFile(advice, () => writePrivateFile(path, text));
  const remove = () => guardFile(advice, () => rmSync(path, { force: true }));

  return {
    path,
    state,
    requireTools(isGateway) {
      const missing = missingTools(machine, isGateway !== false);
      const needed = isGateway === 'unknown' ? missingTools(machine, false) : missing;
      if (needed.length === 0) return;
      const hasChoice = isGateway === 'asked' && missing.includes(NFTABLES);
      throw notInstalled(machine, missing, hasChoice ? ' With --no-gateway this host needs no nftables.' : '');
    },
    up: (text) => withDirectory(() => raise(text)),
    keepUp: (text, isWanted) => withDirectory(async () => (isWanted() ? raise(text) : null)),
    async down() {
      // Nothing of this tunnel is there, and no one else at it.
      if (!existsSync(directory)) return false;
      return inTurn(lower);
    },
    restart: () =>
      inTurn(async () => {
        await quick('down').catch(() => undefined);
        await quick('up');
      }),
    inTurn,
    isForwarding: () => isForwarding(machine, name),
    forwardedPorts: () => forwardedPorts(machine, name),
    forward: (forwarding) =>
      forwardLoopback(machine, name, forwarding, installCommand(machine.distribution, NFTABLES.package)),
    checkForwarding: () => checkGuard(machine, name),
  };

  async function withDirectory<T>(change: () => Promise<T>): Promise<T> {
    const unmake = guardFile(advice, () => makeDirectory(directory));
    try {
      return await inTurn(change);
    } catch (error) {
      unmake();
      throw error;
    }
  }

  async function raise(text: string): Promise<TunnelChange> {
    const before = guardFile(advice, () => readIfThere(path));
    const { isUp } = await state();
    if (isUp && before === text) return 'unchanged';
    if (isUp && before === null) {
      throw new Failure(
        'failed',
        `There is an interface "${name}" already that sallyport did not make.`,
        'Choose another name with --wg-interface.',
      );
    }
    if (isUp) await quick('down');
    try {
      write(text);
      await quick('up');
    } catch (error) {
      if (before === null) remove();
      else {
        write(before);
        if (isUp) await quick('up').catch(() => undefined);
      }
      throw error;
    }
    return isUp ? 'replaced' : 'started';
  }

  async function lower(): Promise<boolean> {
    const { isUp } = await state();
    if (isUp) {
      if (guardFile(advice, () => readIfThere(path)) === null) return false;
      await endForwarding(machine, name);
      await quick('down');
    }
    remove();
    return isUp;
  }
}

/** Reads what `wg show IF dump` prints: a line of the interface, then one of its only peer. */
function stateOf(dump: string): TunnelState {
  const [, , endpoint, , handshake, received, sent] = dump.split('\n')[1]?.split('\t') ?? [];
  const seconds = Number(handshake ?? 0);
  return {
    isUp: true,
    endpoint: endpoint === undefined || endpoint === '(none)' ? null : endpoint,
    latestHandshakeTimestamp: seconds > 0 ? seconds * 1000 : null,
    transferRx: received === undefined ? null : Number(received),
    transferTx: sent === undefined ? null : Number(sent),
  };
}

/** Whether the gateway has answered through the tunnel lately. */
export const isAlive = ({ isUp, latestHandshakeTimestamp }: TunnelState, now: Date): boolean =>
  isUp && latestHandshakeTimestamp !== null && now.getTime() - latestHandshakeTimestamp < HANDSHAKE_MAX_MS;

type Tool = { what: string; package: string };

const WIREGUARD_GO: Tool = { what: 'wireguard-go, as this kernel has no WireGuard', package: 'wireguard-go' };
const NFTABLES: Tool = { what: 'nftables for a gateway', package: 'nftables' };

/** All that a tunnel needs and this machine lacks, so that one command brings it. */
function missingTools(machine: Machine, forGateway: boolean): Tool[] {
  const lacks = (...programs: string[]) => programs.some((program) => machine.find(program) === null);
  return [
    ...(lacks('wg', 'wg-quick') ? [{ what: "WireGuard's tools", package: 'wireguard-tools' }] : []),
    ...(lacks('ip') ? [{ what: 'iproute2', package: 'iproute2' }] : []),
    ...(machine.kernelHasWireguard === false && lacks('wireguard-go') ? [WIREGUARD_GO] : []),
    ...(forGateway && lacks('nft') ? [NFTABLES] : []),
  ];
}

function notInstalled(machine: Machine, missing: readonly Tool[], choice = ''): Failure {
  const names = missing.map(({ what }) => what);
  const last = names.pop() ?? '';
  const all = names.length === 0 ? last : `${names.join(', ')} and ${last}`;
  const packages = missing.map((each) => each.package).join(' ');
  return new Failure('failed', `Not installed: ${all}.`, installCommand(machine.distribution, packages) + choice);
}

/** Only root may do this; says how to become root. */
export const notRoot = (what: string): Failure =>
  new Failure('failed', `Only root may ${what}.`, 'Run the same command with sudo.');

const NO_WIREGUARD = /Unknown device type|not supported|Missing WireGuard kernel module/i;

function quickFailure(machine: Machine, verb: string, name: string, { out, err }: ProgramEnd): Failure {
  if (NO_WIREGUARD.test(err) && machine.find('wireguard-go') === null) {
    return notInstalled(machine, [WIREGUARD_GO]);
  }
  if (/Operation not permitted|must be root|Permission denied/i.test(err)) {
    return new Failure(
      'failed',
      `The interface ${name} could not be made: this root may not configure the network.`,
      'In a container, give it the capability NET_ADMIN and the device /dev/net/tun.',
    );
  }
  // Its own lines of what it does begin with `[#]`, warnings with `[!]`; the last other one says what went wrong.
  const lines = `${out}\n${err}`.split('\n').map((line) => line.trim());
  const reason = lines.findLast((line) => line !== '' && !/^\[[#!]\]|^[|│└┌┐┘─ ]/.test(line));
  return new Failure(
    'failed',
    `The interface ${name} could not be ${verb === 'up' ? 'brought up' : 'taken down'}${reason ? `: ${reason.replace(/[.]$/, '')}` : ''}.`,
    `See what \`wg-quick ${verb}\` says.`,
  );
}

/** What to type on which distribution to get WireGuard's tools. */
const BY_DISTRIBUTION: readonly (readonly [RegExp, string])[] = [
  [/\b(debian|ubuntu)\b/, 'apt-get install'],
  [/\b(fedora|rhel|centos)\b/, 'dnf install'],
  [/\balpine\b/, 'apk add'],
  [/\barch\b/, 'pacman -S'],
  [/\b(opensuse|suse|sles)\b/, 'zypper install'],
];

/** The command that installs a package here; on an unknown distribution it names the package alone. */
export function installCommand(distribution: string, packageName: string): string {
  const found = BY_DISTRIBUTION.find(([pattern]) => pattern.test(distribution));
  return found ? `Run \`${found[1]} ${packageName}\` as root.` : `Install the package ${packageName}.`;
}
