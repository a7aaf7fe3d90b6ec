import { addressKey, type ListenAddress } from './listenAddresses.ts';
import { listenProblem } from '../../machine/listenPorts.ts';
import type { Fault } from './faults.ts';

type PortAddress = Extract<ListenAddress, { kind: 'port' }>;

// As the kernel words and numbers them, so that a fault reads the same no matter who found it.
const KERNEL_WORDS: Record<string, string> = {
  EACCES: '13: Permission denied',
  EAFNOSUPPORT: '97: Address family not supported by protocol',
  EADDRINUSE: '98: Address already in use',
  EADDRNOTAVAIL: '99: Cannot assign requested address',
};

/**
 * Finds the addresses that nginx would fail to get, by trying them.
 *
 * A master that reloads stops for two and a half seconds at an address in use, and can get it in the end although it
 * was refused. Looking first spares that in all but a race.
 * @param held addresses that our nginx has already
 */
export async function probeAddresses(
  wanted: ReadonlyMap<string, ListenAddress>,
  held: ReadonlyMap<string, ListenAddress>,
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const [key, address] of wanted) {
    if (held.has(key) || address.kind !== 'port' || isCovered(address, wanted)) continue;
    // One after the other: two of them may be each other's hindrance only while they are tried.
    const problem = await listenProblem(address.protocol, address.host, address.port);
    if (problem === null) continue;
    const name = addressKey({ ...address, protocol: 'tcp' });
    faults.push({ message: `bind() to ${name} failed (${KERNEL_WORDS[problem] ?? problem})`, address: name });
  }
  return faults;
}

/** nginx does not bind an address when it binds all addresses of the same port. */
function isCovered(address: PortAddress, wanted: ReadonlyMap<string, ListenAddress>): boolean {
  const host = address.host.includes(':') ? '::' : '0.0.0.0';
  return host !== address.host && wanted.has(addressKey({ ...address, host }));
}
