import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findProgram } from '../machine/findProgram.ts';

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
  await program(directory, 'wg', `#!/bin/sh\nexec '${process.execPath}' '${PLAYED}' '${directory}' "$@"\n`);
  await program(directory, 'wireguard-go', ENDED_BY_USE);
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
  await program(directory, 'ip', `#!/bin/sh\ncase "$*" in\n${answer(ip)}\n*) exec ${ip} "$@";;\nesac\n`);
  return directory;
}

async function program(directory: string, name: string, text: string): Promise<void> {
  await writeFile(path.join(directory, name), text);
  await chmod(path.join(directory, name), 0o755);
}
