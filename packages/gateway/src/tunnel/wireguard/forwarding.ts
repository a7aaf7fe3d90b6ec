import { readFileSync, writeFileSync } from 'node:fs';
import { kernelRouteLines, ROUTES_FILE } from './localNetworks.ts';

const MACHINE = '/proc/sys/net/ipv4/ip_forward';
const flagOf = (device: string): string => `/proc/sys/net/ipv4/conf/${device}/forwarding`;
/** Names that can stand in a packet filter and in a path. */
const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,14}$/;
/** Stands at the tunnel's interface: the gateway that takes it over knows what it has to turn off again. */
const NOTE = 'sallyport forwards at ';

/**
 * Where packets from nodes may go on to the internet, and its answers come in: the interfaces at which forwarding has to
 * be turned on. `net.ipv4.ip_forward` is not touched. It would turn on all interfaces, and other programs that need it
 * (Docker) have to see that it is off; once it is on, nothing is left to turn on.
 * @param ours where we turned it on before
 */
export function devicesToOpen(tunnel: string, ours: readonly string[]): string[] {
  if (isOn(MACHINE)) return [];
  const devices = new Set(kernelRouteLines(readFileSync(ROUTES_FILE, 'utf8')).map(({ device }) => device));
  return [...devices]
    .filter((device) => device !== tunnel && NAME.test(device) && (ours.includes(device) || !isForwarding(device)))
    .toSorted();
}

/** Whether packets that come in at this interface are forwarded. */
export const isForwarding = (device: string): boolean => isOn(flagOf(device));

/** Has packets forwarded that come in there. Returns why they are not, in a sentence. */
export function startForwarding(devices: readonly string[]): string | null {
  try {
    for (const device of devices) if (!isForwarding(device)) writeFileSync(flagOf(device), '1');
    return null;
  } catch {
    return 'This machine does not forward packets, and the gateway may not change that. Run sysctl -w net.ipv4.ip_forward=1.';
  }
}

/** Turns it off again, unless the machine was told to forward by now. */
export function stopForwarding(devices: readonly string[]): void {
  if (isOn(MACHINE)) return;
  for (const device of devices) if (isForwarding(device)) writeFileSync(flagOf(device), '0');
}

export const noteOf = (devices: readonly string[]): string =>
  devices.length === 0 ? '' : `${NOTE}${devices.join(' ')}`;

/** The devices of a note; none of another program's. */
export const devicesIn = (note: string): string[] =>
  note.startsWith(NOTE)
    ? note
        .slice(NOTE.length)
        .split(' ')
        .filter((device) => NAME.test(device))
    : [];

/** An interface that is gone does not forward. */
function isOn(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').trim() === '1';
  } catch {
    return false;
  }
}
