import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { putFile } from '../../machine/atomicFile.ts';
import { endSockets, listSockets, listUdpSockets } from '../../machine/openSockets.ts';
import type { IngressLayout } from './ingress.ts';
import { addressFinder, overlaps } from '../../rules/ipNetwork.ts';
import {
  findMaster,
  findOrphans,
  isAlive,
  listClosing,
  listWorkers,
  nameOf,
  type NginxWorker,
  type ProcessId,
  signal,
  socketsOf,
} from './process.ts';

/** Whose open connections are to end. */
export type ConnectionTarget =
  | {
      /** The visitors of a TCP service, by its public port. */
      kind: 'public';
      port: number;
      /** Addresses or networks of visitors (`192.0.2.7`, `2001:db8::/32`); all when left out. */
      clients?: readonly string[];
    }
  | {
      /** What leads to a backend. For UDP this is the only way: the visitors of a public port share one socket. */
      kind: 'backend';
      protocol: 'tcp' | 'udp';
      address: string;
      port: number;
      /**
       * Into the tunnel, or to a network of the machine: another backend may have the same address there. Left out: either.
       */
      through?: 'tunnel' | 'machine';
    };

/** Workers on their way out at some moment. Each knows what nginx served when it was started, and nothing later. */
export type ClosingWorkers = readonly ProcessId[];

/** Open connections through nginx. */
export type OpenConnections = {
  /** The workers that are on their way out now, with what a former generation left open. */
  closing(): ClosingWorkers;
  /** No worker that runs was started so late, and any other will be; as the kernel tells the start of a process. */
  nextStart(): number;
  /** By which the kernel's times of one start of the machine are told from those of another. */
  boot(): string;
  /**
   * Ends connections that a former generation left open, and returns how many there were. It is to be called when the
   * generation without them is served: only workers that are on their way out are looked at, so anyone who came since,
   * even to the same backend, is left alone.
   *
   * Null when this machine does not let the gateway do it: there is no `ss`, the gateway is not root, or the kernel
   * cannot end connections. They then end by themselves, after `worker_shutdown_timeout` at the latest.
   * @param among only those that these workers hold
   */
  cut(targets: readonly ConnectionTarget[], among: ClosingWorkers): Promise<number | null>;
  /**
   * Ends what old workers hold open and no one needs, or more than a node may have: all of UDP, whose answers a worker on
   * its way out does not pass on any more, and of TCP to nodes the oldest.
   * @param nodes the networks of each node
   * @param most how many connections to each of them old workers may hold together
   * @returns how many were ended
   * @throws {ProgramError}
   */
  limit(nodes: readonly (readonly string[])[], most: number): Promise<number>;
  /**
   * Ends workers that are on their way out, at once and with all that they have open.
   * @returns whether all of them are gone
   */
  endWorkers(workers: ClosingWorkers): Promise<boolean>;
  /** Keeps a text about what is open for the next gateway. One that a full disk refuses is as if it had not been given. */
  record(text: string): void;
  /** What was last recorded, by this gateway or one before; null: nothing. */
  recorded(): string | null;
};

/** One connected socket: its inode, and the two ends as `ss` writes them. */
type OpenSocket = { protocol: string; inode: number; local: string; remote: string };

const RECORD_FILE = 'open-services.json';
/** A worker ends as soon as it has done with what it is at. */
const END_LIMIT_MS = 2000;
const END_POLL_MS = 10;

/** The gateway's own address in the tunnel, from which it reaches nodes and nothing else, and the tunnel's network. */
type TunnelNetwork = { gateway: string; network: string };

/** The connections of the nginx of this layout. */
export function createOpenConnections(layout: IngressLayout, tunnel: TunnelNetwork, binary = 'ss'): OpenConnections {
  const closingAmong = (among: ClosingWorkers): NginxWorker[] => {
    const names = new Set(among.map(nameOf));
    return listClosing(layout).filter((worker) => names.has(nameOf(worker)));
  };

  /** The sockets that a target names, in any process. */
  const find = async (terms: readonly string[]): Promise<OpenSocket[]> =>
    (await listSockets(terms, binary)).flatMap(readSocket);

  const recordFile = join(layout.directory, RECORD_FILE);
  // No other gateway takes its times for those of the same start.
  const unknownBoot = randomUUID();

  return {
    closing: () => listClosing(layout),
    nextStart: () => {
      const master = findMaster(layout);
      // Those of a master that was killed are older than any of the next one.
      const workers = master === null ? findOrphans(layout) : listWorkers(master);
      return Math.max(-1, ...workers.map(({ startTime }) => Number(startTime))) + 1;
    },
    boot: () => {
      try {
        return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      } catch {
        return unknownBoot;
      }
    },
    limit: async (nodes, most) => {
      const inTunnel = await listSockets([`src ${checkedNetwork(tunnel.gateway)}`], binary);
      const tcp = inTunnel.flatMap(readSocket).filter(({ protocol }) => protocol === 'tcp');
      // `ss` leaves the protocol out where it is asked for one alone.
      const udp = (await listUdpSockets(binary)).flatMap((line) => readSocket(`udp ${line}`));
      // As in `cut`: to look into each worker takes long.
      if (tcp.length <= most && udp.length === 0) return 0;
      const workers = listClosing(layout).toSorted((one, other) => Number(one.startTime) - Number(other.startTime));
      const inodes = workers.flatMap(({ pid }) => socketsOf(pid));
      const heldOf = (sockets: readonly OpenSocket[]): OpenSocket[] => {
        const byInode = new Map(sockets.map((socket) => [socket.inode, socket]));
        return inodes.flatMap((inode) => byInode.get(inode) ?? []);
      };
      const ended = [...heldOf(udp), ...surplus(heldOf(tcp), nodes, most)];
      await endSockets(ended.map(pairOf), binary);
      return ended.length;
    },
    endWorkers: async (among) => {
      const workers = closingAmong(among);
      for (const name of ['SIGTERM', 'SIGKILL'] as const) {
        for (const worker of workers) signal(worker, name);
        const deadline = performance.now() + END_LIMIT_MS;
        while (workers.some(isAlive) && performance.now() < deadline) await delay(END_POLL_MS);
      }
      return !workers.some(isAlive);
    },
    record: (text) => {
      try {
        putFile(recordFile, text);
      } catch {
        // The one from before makes the next gateway look for more than it would have to.
      }
    },
    recorded: () => {
      try {
        return readFileSync(recordFile, 'utf8');
      } catch {
        return null;
      }
    },
    cut: async (targets, among) => {
      const terms = targets.map((target) => termOf(target, tunnel));
      if (terms.length === 0 || among.length === 0) return 0;
      try {
        const named = await find(terms);
        // To look into each worker takes a tenth of a second for 10,000 connections: only where there is something to find.
        if (named.length === 0) return 0;
        const held = new Set(closingAmong(among).flatMap(({ pid }) => socketsOf(pid)));
        const open = named.filter(({ inode }) => held.has(inode));
        if (open.length === 0) return 0;
        // By both ends: the target alone would end what other workers and other programs have with it.
        await endSockets(open.map(pairOf), binary);
        // It says nothing when the kernel cannot do it, so only another look tells.
        const left = new Set((await find(terms)).map(({ inode }) => inode));
        return open.some(({ inode }) => left.has(inode)) ? null : open.length;
      } catch {
        return null;
      }
    },
  };
}

/** @throws {TypeError} for what is no address: it would be read as something else */
function termOf(target: ConnectionTarget, { gateway, network }: TunnelNetwork): string {
  if (target.kind === 'backend') {
    const to = `dst ${withPort(target.address, target.port)}`;
    // A service of the gateway's own machine may lead to a node's address, too.
    if (target.through === undefined || (target.through === 'machine' && overlaps(network, target.address))) return to;
    return `( ${target.through === 'tunnel' ? '' : '! '}src ${checkedNetwork(gateway)} and ${to} )`;
  }
  const port = `sport = :${checkedPort(target.port)}`;
  if (target.clients === undefined) return `( ${port} )`;
  const clients = target.clients.map((client) => `dst ${checkedNetwork(client)}`);
  // No one at all, rather than everybody.
  return clients.length === 0 ? `( ${port} and ! ${port} )` : `( ${port} and ( ${clients.join(' or ')} ) )`;
}

function withPort(address: string, port: number): string {
  if (isIP(address) === 0) throw new TypeError(`${JSON.stringify(address)} is not an IP address.`);
  return `${address.includes(':') ? `[${address}]` : address}:${checkedPort(port)}`;
}

function checkedPort(port: number): number {
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new TypeError(`${port} is not a port.`);
  return port;
}

function checkedNetwork(network: string): string {
  const [address = '', bits, ...rest] = network.split('/');
  const family = isIP(address);
  const most = family === 6 ? 128 : 32;
  const isBits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (family === 0 || !isBits || rest.length > 0) {
    throw new TypeError(`${JSON.stringify(network)} is not an address or network.`);
  }
  return family === 6 ? `[${network}]` : network;
}

const pairOf = ({ local, remote }: OpenSocket): string => `( src ${local} and dst ${remote} )`;

/** Of the connections to each node the first ones, as many as there are more than `most`. */
function surplus(held: readonly OpenSocket[], nodes: readonly (readonly string[])[], most: number): OpenSocket[] {
  if (held.length <= most) return [];
  const addressOf = ({ remote }: OpenSocket): string => remote.slice(0, remote.lastIndexOf(':'));
  const find = addressFinder([...new Set(held.map(addressOf))]);
  return nodes.flatMap((networks) => {
    const addresses = new Set(networks.flatMap(find));
    if (addresses.size === 0) return [];
    const its = held.filter((socket) => addresses.has(addressOf(socket)));
    return its.slice(0, Math.max(0, its.length - most));
  });
}

/** A line such as `tcp ESTAB 0 0 127.0.0.1:39516 127.0.0.1:3000 uid:33 ino:858127 sk:e <->`. */
function readSocket(line: string): OpenSocket[] {
  const inode = Number(/ ino:(\d+)/.exec(line)?.[1]);
  const [protocol = '', , , , local, remote] = line.trim().split(/\s+/);
  return local === undefined || remote === undefined || !(inode > 0) ? [] : [{ protocol, inode, local, remote }];
}
