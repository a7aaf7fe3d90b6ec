import { BlockList, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Tells the addresses under which this machine reaches itself, as they are now. */
export function ownAddresses(interfaces = networkInterfaces()): (address: string) => boolean {
  const own = new BlockList();
  own.addSubnet('127.0.0.0', 8, 'ipv4');
  own.addAddress('0.0.0.0', 'ipv4');
  own.addAddress('::1', 'ipv6');
  own.addAddress('::', 'ipv6');
  for (const { address, family } of Object.values(interfaces).flatMap((all) => all ?? [])) {
    own.addAddress(address, family === 'IPv6' ? 'ipv6' : 'ipv4');
  }
  return (address) => own.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
