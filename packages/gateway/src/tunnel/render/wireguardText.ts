/** A value that cannot stand in a configuration of WireGuard; the message is a sentence for the administrator. */
export class WireguardTextError extends Error {
  override readonly name = 'WireguardTextError';
}

// Whatever the database holds is checked here again: some of these words are part of a command that root runs.
const ADDRESS = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const NETWORK = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!\/)|(?=\/))){4}\/(?:3[0-2]|[12]?\d)$/;
const INTERFACE = /^(?!(?:all|default|lo)$)[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$/;
const KEY = /^[A-Za-z0-9+/]{43}=$/;
const HOST = /^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const IPV6 = /^[0-9A-Fa-f:][0-9A-Fa-f:.]{1,44}$/;

/** An IPv4 address. @throws {WireguardTextError} */
export const ipv4Address = (value: unknown): string => matching(value, ADDRESS, 'IPv4 address');

/** An IPv4 network with its prefix. @throws {WireguardTextError} */
export const ipv4Network = (value: unknown): string => matching(value, NETWORK, 'IPv4 network');

/** The name of a network interface. @throws {WireguardTextError} */
export const interfaceName = (value: unknown): string => matching(value, INTERFACE, 'name of an interface');

/** A key of 32 bytes. It is not told when it is wrong. @throws {WireguardTextError} */
export function wireguardKey(value: unknown): string {
  if (typeof value === 'string' && KEY.test(value)) return value;
  throw new WireguardTextError('A stored key is damaged. Restore the database from a backup.');
}

/** Whether it is IPv4 or IPv6, without a network. */
export const isIpAddress = (value: string): boolean => (value.includes(':') ? IPV6 : ADDRESS).test(value);

/** A host as it stands before a port: IPv6 in brackets. @throws {WireguardTextError} */
export function endpointHost(value: string): string {
  return value.includes(':') ? `[${matching(value, IPV6, 'IP address')}]` : matching(value, HOST, 'host name');
}

/** A whole number. @throws {WireguardTextError} */
export function wholeNumber(value: unknown, min: number, max: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw wrong(value, `whole number from ${min} to ${max}`);
}

function matching(value: unknown, pattern: RegExp, noun: string): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw wrong(value, noun);
}

/** As JSON and short, so that nothing of it reaches a terminal as it is. */
function wrong(value: unknown, noun: string): WireguardTextError {
  const text = JSON.stringify(value) ?? String(value);
  const shown = text.length > 80 ? `${text.slice(0, 77)}…` : text;
  return new WireguardTextError(`${shown} is not a valid ${noun}. Edit the node and save it again.`);
}
