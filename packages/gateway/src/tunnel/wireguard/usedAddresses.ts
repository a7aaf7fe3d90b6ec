import { existsSync, readFileSync } from 'node:fs';
import { isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { UsedAddress } from '../../world.ts';
import { addressOfHex, kernelRouteLines, ROUTES_FILE } from './localRoutes.ts';

/** Where programs look for DNS servers, and where systemd keeps those that its own resolver on loopback asks. */
const RESOLVER_FILES = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/**
 * The IPv4 addresses that this machine cannot do without: its own, its routers and its DNS servers. No subnet
 * behind a node contains one of them.
 * @param tunnel the name of the tunnel's interface
 */
export function usedAddresses(tunnel: string): UsedAddress[] {
  const own = Object.entries(networkInterfaces()).flatMap(([name, all]) =>
    (all ?? []).flatMap(({ family, address }) =>
      name !== tunnel && family === 'IPv4' ? [{ address, use: `the address of ${name}` }] : [],
    ),
  );
  const routers = routersIn(textOf(ROUTES_FILE)).flatMap(({ address, device }) =>
    device === tunnel ? [] : [{ address, use: `the router at ${device}` }],
  );
  const nameServers = new Set(RESOLVER_FILES.map(textOf).flatMap(nameServersIn));
  return [...own, ...routers, ...[...nameServers].map((address) => ({ address, use: 'a DNS server of this machine' }))];
}

/** The IPv4 addresses of DNS servers in the text of a resolv.conf; those on the machine itself ask others. */
export const nameServersIn = (text: string): string[] =>
  text.split('\n').flatMap((line) => {
    const [word, address = ''] = line.trim().split(/\s+/);
    return word === 'nameserver' && isIPv4(address) && !address.startsWith('127.') ? [address] : [];
  });

/** The next hops in the kernel's table of routes, with the interfaces that lead to them. */
export const routersIn = (text: string): { address: string; device: string }[] =>
  kernelRouteLines(text).flatMap(({ device, gateway }) => {
    const address = addressOfHex(gateway);
    return address === null || address === '0.0.0.0' ? [] : [{ address, device }];
  });

const textOf = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');
