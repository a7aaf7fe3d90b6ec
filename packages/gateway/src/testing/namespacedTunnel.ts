import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { findProgram, runProgram } from '../machine/runProgram.ts';
import { type TrialPlan, trialTable, tunnelPlanOf, type TunnelTrial } from '../tunnel/wireguard/tunnel.contract.ts';
import { createWireguardTunnel } from '../tunnel/wireguard/wireguardTunnel.ts';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Programs that take the place of the machine's own, so that its kernel seems another one. */
export type KernelPrograms = { directory: string; close(): Promise<void> };

const PLAYED = path.join(import.meta.dirname, 'fakeWireguard.mjs');
const ENDED_BY_USE = `#!/bin/sh
echo "wireguard-go: nobody needs it where the kernel has WireGuard" >&2
exit 1
`;

/** Makes the kernel seem to have WireGuard: its interfaces are bridges, of which `wg` speaks as if they were WireGuard's. */
export async function kernelWithWireguard(): Promise<KernelPrograms> {
  const add = (ip: string) => `"link add dev "*" type wireguard") exec ${ip} link add dev "$4" type bridge;;`;
  const directory = await programsWith(add);
  await writeProgram(directory, 'wg', `#!/bin/sh\nexec '${process.execPath}' '${PLAYED}' '${directory}' "$@"\n`);
  await writeProgram(directory, 'wireguard-go', ENDED_BY_USE);
  return { directory, close: () => rm(directory, { recursive: true }) };
}

/** Makes the kernel seem to have none, whatever it has. */
export async function kernelWithoutWireguard(): Promise<KernelPrograms> {
  const directory = await programsWith(() => '*" type wireguard") echo "Error: Unknown device type." >&2; exit 2;;');
  return { directory, close: () => rm(directory, { recursive: true }) };
}

/** A directory with an `ip` that answers one case by itself. */
async function programsWith(answer: (ip: string) => string): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'sallyport-kernel-'));
  const ip = findProgram('ip', ['/usr/sbin', '/sbin', '/usr/bin', '/bin']) ?? 'ip';
  await writeProgram(directory, 'ip', `#!/bin/sh\ncase "$*" in\n${answer(ip)}\n*) exec ${ip} "$@";;\nesac\n`);
  return directory;
}

async function writeProgram(directory: string, name: string, text: string): Promise<void> {
  await writeFile(path.join(directory, name), text);
  await chmod(path.join(directory, name), 0o755);
}

/** A tunnel of this machine in a network of its own, out of which no packet gets. */
export type NamespacedTunnel = TunnelTrial & {
  interface: string;
  /** Runs a program in that network; fulfilled with what it printed. */
  run(program: string, ...args: string[]): Promise<string>;
  /**
   * Lets go of the tunnel and opens it again, as the next gateway does.
   * @param formerKey the public key that it had before its keys were replaced
   */
  reopen(formerKey?: string): Promise<void>;
};

type Question = { id: number; verb: string; args: unknown[] };
type Answer = { id: number; value?: unknown; error?: string };

/** So long a program may run beside the changes of a test. */
const PROGRAM_MS = 60_000;

let made = 0;

/**
 * Opens one that has an interface of another name than any other.
 * @param programs a directory with programs that it runs instead of the machine's own
 */
export async function openNamespacedTunnel(programs?: string): Promise<NamespacedTunnel> {
  const name = `spt${process.pid.toString(36)}x${(made += 1)}`;
  const words = ['--net', process.execPath, '--conditions=source', import.meta.filename, name];
  const own = process.env['PATH'] ?? '';
  const child = spawn('unshare', words, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, PATH: programs === undefined ? own : `${programs}:${own}` },
  });
  const ended = once(child, 'exit');
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let asked = 0;
  child.on('message', ({ id, value, error }: Answer) => {
    const answer = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) answer?.resolve(value);
    else answer?.reject(new Error(error));
  });
  child.once('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error('The network of the tunnel is gone.'));
  });
  /** The far end has the types. */
  const ask = <T>(verb: string, ...args: unknown[]): Promise<T> => {
    const answer = Promise.withResolvers<unknown>();
    waiting.set((asked += 1), answer);
    child.send({ id: asked, verb, args } satisfies Question);
    return answer.promise as Promise<T>;
  };
  await ask('open');
  return {
    interface: name,
    status: () => ask('status'),
    present: () => ask('present'),
    apply: (plan) => ask('apply', plan),
    read: () => ask('read'),
    remove: () => ask('remove'),
    alarms: () => ask('alarms'),
    damage: async () => void (await ask('run', 'ip', 'link', 'delete', name)),
    run: (program, ...args) => ask('run', program, ...args),
    reopen: (formerKey = '') => ask('open', formerKey),
    async close() {
      child.disconnect();
      await ended;
    },
  };
}

/** The far end: a process within that network, which ends with the one that asks it. */
async function host(name: string): Promise<void> {
  await runProgram('ip', ['link', 'set', 'lo', 'up']);
  // A new network takes this over from the machine, and that of a host of containers forwards.
  await writeFile('/proc/sys/net/ipv4/ip_forward', '0');
  const removal = `table inet ${trialTable(name)}\ndelete table inet ${trialTable(name)}\n`;
  const guard = (devices: readonly string[]): string =>
    devices.length === 0 ? '' : `add element inet ${trialTable(name)} forwards_for_nodes { ${devices.join(', ')} }\n`;
  const firewall = { table: trialTable(name), removal, guard };
  const create = (formerKey = '') => createWireguardTunnel({ interface: name, port: 51_820, firewall, formerKey });
  let tunnel = await create();
  let alarms = 0;
  const verbs: Record<string, (...args: never[]) => unknown> = {
    async open(formerKey: string) {
      tunnel.close();
      tunnel = await create(formerKey);
      alarms = 0;
      tunnel.onDamage(() => (alarms += 1));
    },
    status: () => tunnel.status(),
    present: () => tunnel.present(),
    apply: (plan: TrialPlan) => tunnel.apply(tunnelPlanOf(plan)),
    read: () => tunnel.read(),
    remove: () => tunnel.remove(),
    alarms: () => alarms,
    run: (program: string, ...args: string[]) => runProgram(program, args, undefined, PROGRAM_MS),
  };
  // Anyone who asked may be gone by now, which harms no one; without someone to take the error it would end this process.
  const reply = (answer: Answer) => process.send?.(answer, undefined, undefined, () => undefined);
  process.on('message', ({ id, verb, args }: Question) => {
    void (async () => verbs[verb]?.(...(args as never[])))().then(
      (value) => reply({ id, value }),
      (error: unknown) => reply({ id, error: String(error) }),
    );
  });
  await once(process, 'disconnect');
  // A daemon of WireGuard ends with its interface, no matter who made it.
  tunnel.close();
  await runProgram('ip', ['link', 'delete', name]).catch(() => undefined);
}

if (import.meta.main) await host(process.argv[2] ?? '');
