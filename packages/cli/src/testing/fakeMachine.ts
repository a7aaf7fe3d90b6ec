import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import type { Machine } from '../host/machine.ts';
import type { ProgramEnd } from '../host/runProgram.ts';
import type { UsedNetwork } from '../host/networks.ts';

const OK: ProgramEnd = { code: 0, out: '', err: '' };
const NO_DEVICE: ProgramEnd = { code: 1, out: '', err: 'Unable to access interface: No such device\n' };

/** A machine on which nothing is real but files: `wg-quick` remembers what it was given, `wg` shows it. */
export type FakeMachine = Machine & {
  isRoot: boolean;
  hasSystemd: boolean;
  kernelHasWireguard: boolean | null;
  unitDirectory: string;
  packagedUnitDirectory: string;
  /** The text of each interface that is up. */
  readonly up: Map<string, string>;
  /** Every program that ran, with its words. */
  readonly ran: string[];
  /** What this host uses besides its own networks. */
  readonly used: UsedNetwork[];
  /** What is not installed. */
  readonly missing: Set<string>;
  /** Whether the gateway answers through a tunnel that is up: its handshake, and pings. */
  answers: boolean;
  answersPings: boolean;
  /** Names that have no address. */
  readonly unknownNames: Set<string>;
  /** How `wg-quick up` ends from now on; null: well. */
  failsUp: ((text: string) => ProgramEnd | null) | null;
  /** What `ss` says of listening sockets, a line each: `tcp 127.0.0.1:8080`. */
  listens: string[];
  /** The settings of the kernel below /proc/sys that were changed. */
  readonly settings: Map<string, string>;
  /** How `systemctl` ends with these words. */
  systemctl: (words: readonly string[]) => ProgramEnd;
};

/** @param now what the last handshake's age is counted from */
export function createFakeMachine(now: () => Date): FakeMachine {
  const up = new Map<string, string>();
  const ran: string[] = [];
  const missing = new Set<string>(['sallyport-gateway']);
  /** Ends with the last of those who hold a directory. */
  let turn = Promise.resolve();

  function quick([verb, path = '']: readonly string[]): ProgramEnd {
    const name = basename(path, '.conf');
    if (!existsSync(path)) return { code: 1, out: '', err: `wg-quick: \`${path}' does not exist\n` };
    if (verb === 'down') {
      machine.settings.clear();
      return up.delete(name) ? OK : NO_DEVICE;
    }
    const text = readFileSync(path, 'utf8');
    const failed = machine.failsUp?.(text) ?? null;
    if (failed) return failed;
    up.set(name, text);
    return OK;
  }

  function show(name: string): ProgramEnd {
    if (!up.has(name)) return NO_DEVICE;
    const handshake = machine.answers ? Math.floor(now().getTime() / 1000) - 5 : 0;
    const peer = ['peer', 'psk', '198.51.100.7:51820', '10.88.0.0/16', handshake, 2048, 1024, 10].join('\t');
    return { code: 0, out: `private\tpublic\t51820\toff\n${peer}\n`, err: '' };
  }

  const machine: FakeMachine = {
    isRoot: true,
    hasSystemd: true,
    kernelHasWireguard: null,
    unitDirectory: '/nonexistent',
    packagedUnitDirectory: '/nonexistent',
    hostname: 'web-1',
    distribution: 'debian',
    self: ['/usr/bin/sallyport'],
    up,
    ran,
    missing,
    answers: true,
    answersPings: true,
    unknownNames: new Set(),
    resolves: async (host) => !machine.unknownNames.has(host),
    async answersPing(address) {
      ran.push(`ping ${address}`);
      return machine.answers && machine.answersPings;
    },
    failsUp: null,
    systemctl: () => OK,
    listens: [],
    settings: new Map(),
    // Those of an interface are there while it is.
    setting: (name) => (up.has(name.split('/')[3] ?? '') ? (machine.settings.get(name) ?? '0') : null),
    changeSetting(name, value) {
      machine.settings.set(name, value);
      return true;
    },
    async lock() {
      const before = turn;
      const { promise, resolve } = Promise.withResolvers<void>();
      turn = promise;
      await before;
      return resolve;
    },
    network: () => ({ interface: 'eth0', subnet: '192.0.2.0/24' }),
    networks: () => ['192.0.2.0/24', '192.168.7.0/24'],
    used: [],
    usedNetworks: async () => machine.used,
    find: (program) => (missing.has(program) ? null : `/usr/bin/${program}`),
    async run(program, words) {
      ran.push([program, ...words].join(' '));
      if (program === 'wg-quick') return quick(words);
      if (program === 'ss') {
        const line = (each: string) => each.replace(' ', ' LISTEN 0 511 ');
        return { ...OK, out: machine.listens.map((each) => `${line(each)} 0.0.0.0:*\n`).join('') };
      }
      // What was loaded last is what it has.
      if (program === 'nft' && words.includes('list'))
        return { ...OK, out: ran.findLast((line) => line.startsWith('nft table')) ?? '' };
      if (program === 'wg') return show(words[1] ?? '');
      return program === 'systemctl' ? machine.systemctl(words) : OK;
    },
  };
  return machine;
}
