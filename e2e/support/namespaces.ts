import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LIMIT_MS = 20_000;

let made = 0;

/** A network of our own within this machine: nothing in it can send a packet out of it. */
export type Namespace = {
  name: string;
  /** Runs a program in it to its end; fulfilled with what it printed, rejected when it failed. */
  exec(command: string, ...args: string[]): Promise<string>;
  /** Starts a program in it. */
  spawn(command: string, ...args: string[]): ChildProcess;
};

/** Namespaces that are removed together, with all that runs in them. */
export type Namespaces = {
  add(label: string): Promise<Namespace>;
  /** A cable between two of them; each end with its interface, and its address with the prefix or null. */
  link(a: [Namespace, string, string | null], b: [Namespace, string, string | null]): Promise<void>;
  /** A name for an interface that no other program of this machine uses: WireGuard's sockets share one directory. */
  uniqueName(): string;
  close(): Promise<void>;
};

/** Why this machine cannot have them, in a sentence; null: it can. */
export async function namespacesProblem(): Promise<string | null> {
  const name = `sp-${process.pid}-trial`;
  const programs = ['wg', 'wg-quick', 'nft', 'ip', 'curl'];
  try {
    for (const program of programs) await run('/bin/sh', ['-c', 'command -v "$0"', program]);
  } catch {
    return `one of ${programs.join(', ')} is missing`;
  }
  try {
    await run('ip', ['netns', 'add', name]);
    try {
      // Entering one makes mounts of its own, which a plain chroot cannot have: its root is no mount point.
      await run('ip', ['netns', 'exec', name, 'true']);
      return null;
    } finally {
      await run('ip', ['netns', 'delete', name]);
    }
  } catch (error) {
    return `this machine lets no one make network namespaces (${error instanceof Error ? error.message.trim() : String(error)})`;
  }
}

export function openNamespaces(): Namespaces {
  const all: Namespace[] = [];
  const children: ChildProcess[] = [];
  const uniqueName = (): string => {
    made += 1;
    return `sp${process.pid.toString(36)}x${made}`;
  };
  return {
    async add(label) {
      const name = `sp-${process.pid}-${(made += 1)}-${label}`;
      await run('ip', ['netns', 'add', name]);
      const within = ['netns', 'exec', name];
      const namespace: Namespace = {
        name,
        async exec(command, ...args) {
          const { stdout } = await run('ip', [...within, command, ...args], { timeout: LIMIT_MS });
          return stdout;
        },
        spawn(command, ...args) {
          const child = spawn('ip', [...within, command, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
          children.push(child);
          return child;
        },
      };
      all.push(namespace);
      await namespace.exec('ip', 'link', 'set', 'lo', 'up');
      // A new network takes this over from the machine, and that of a host of containers forwards.
      await namespace.exec('sh', '-c', 'echo 0 > /proc/sys/net/ipv4/ip_forward');
      return namespace;
    },
    async link([left, leftName, leftAddress], [right, rightName, rightAddress]) {
      const ends = ['link', 'add', leftName, 'netns', left.name, 'type', 'veth', 'peer', 'name', rightName];
      await run('ip', [...ends, 'netns', right.name]);
      for (const [namespace, name, address] of [
        [left, leftName, leftAddress],
        [right, rightName, rightAddress],
      ] as const) {
        if (address !== null) await namespace.exec('ip', 'address', 'add', address, 'dev', name);
        await namespace.exec('ip', 'link', 'set', name, 'up');
      }
    },
    uniqueName,
    async close() {
      for (const child of children) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
      for (const { name } of all) await remove(name);
    },
  };
}

/** Removes what a run that was killed left behind: namespaces of processes that are no more, with all that runs in them. */
export async function sweepNamespaces(): Promise<void> {
  const { stdout } = await run('ip', ['-json', 'netns', 'list']);
  for (const { name } of JSON.parse(stdout || '[]') as { name: string }[]) {
    const pid = Number(/^sp-(\d+)-/.exec(name)?.[1] ?? process.pid);
    // A neighbour's sweep may have been quicker.
    if (!isAlive(pid)) await remove(name).catch(() => undefined);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function remove(name: string): Promise<void> {
  // A daemon of WireGuard ends with its interface; whatever else is left was started in here.
  const { stdout: pids } = await run('ip', ['netns', 'pids', name]);
  const { stdout: links } = await run('ip', ['netns', 'exec', name, 'ip', '-json', 'link', 'show']);
  const own = (JSON.parse(links) as { ifname: string }[]).filter(({ ifname }) => ifname.startsWith('sp'));
  for (const { ifname } of own) {
    await run('ip', ['netns', 'exec', name, 'ip', 'link', 'delete', ifname]).catch(() => undefined);
  }
  for (const pid of pids.split('\n').filter(Boolean)) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
  await run('ip', ['netns', 'delete', name]);
}
