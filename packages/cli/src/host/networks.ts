import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { ipv4Range, ipv4Text } from '@sallyport/sdk/rules';
import { Failure } from '../failure.ts';
import type { ProgramEnd } from './runProgram.ts';

/** A network that this machine is in. */
export type OwnNetwork = { interface: string; subnet: string };

/** The networks that this machine is in, as CIDR, but those of one interface; an address alone, as other tunnels give it, is none. */
export const ownNetworks = (except: string): string[] =>
  Object.entries(networkInterfaces())
    .filter(([name]) => name !== except)
    .flatMap(([, addresses = []]) =>
      addresses.flatMap(({ internal, cidr }) =>
        internal || cidr === null || /\/(?:32|128)$/.test(cidr) ? [] : [cidr],
      ),
    );

/** The network by which this machine reaches others, by its default route; null when it has none. */
export function ownNetwork(except: string): OwnNetwork | null {
  const all = Object.entries(networkInterfaces())
    .filter(([name]) => name !== except)
    .flatMap(([name, addresses = []]) => {
      const found = addresses.find(({ family, internal }) => family === 'IPv4' && !internal);
      return found?.cidr ? [{ interface: name, subnet: subnetOf(found.cidr) }] : [];
    });
  const byDefault = defaultInterface();
  return all.find((each) => each.interface === byDefault) ?? all[0] ?? null;
}

/** The interface of the IPv4 default route; undefined without one. */
function defaultInterface(): string | undefined {
  try {
    const rows = readFileSync('/proc/net/route', 'utf8').split('\n').slice(1);
    return rows
      .map((row) => row.split('\t'))
      .find(([, to, , , , , , mask]) => to === '00000000' && mask === '00000000')?.[0];
  } catch {
    return undefined;
  }
}

/** The network that an IPv4 address with a CIDR is in: `192.0.2.7/24` is in `192.0.2.0/24`. */
export function subnetOf(cidr: string): string {
  const range = ipv4Range(cidr);
  if (range === null) throw new TypeError(`not an IPv4 network: ${cidr}`);
  return `${ipv4Text(range.first)}/${cidr.split('/')[1] ?? '32'}`;
}

/** A network or an address whose traffic must not go elsewhere unasked, and what it is to this host. */
export type UsedNetwork = { network: string; use: string };

/** Where programs look for DNS servers, and where systemd keeps those that its own resolver on loopback asks. */
const RESOLVER_FILES = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/**
 * What this host reaches by routes of its own, its routers and its DNS servers.
 * @param ip runs iproute2
 * @param tunnel the interface whose routes do not count
 */
export async function usedNetworksOf(
  ip: (args: readonly string[]) => Promise<ProgramEnd>,
  tunnel: string,
): Promise<UsedNetwork[]> {
  // Other VPNs have tables of their own.
  const { code, out, err } = await ip(['-json', 'route', 'show', 'table', 'all']);
  if (code !== 0) {
    throw new Failure('failed', `The routes of this host cannot be read: ${err.trim()}.`, 'Update iproute2.');
  }
  const servers = RESOLVER_FILES.flatMap((file) => (existsSync(file) ? nameServersIn(readFileSync(file, 'utf8')) : []));
  return [...routesIn(out, tunnel), ...servers.map((network) => ({ network, use: 'a DNS server of this host' }))];
}

type Hop = { dev?: string; gateway?: string };

/** The routes that `ip -json route` lists, but for the default ones, and the routers that all of them lead to. */
export const routesIn = (json: string, tunnel: string): UsedNetwork[] =>
  (JSON.parse(json) as (Hop & { dst: string; nexthops?: Hop[] })[]).flatMap(({ dst, nexthops, ...hop }) =>
    (nexthops ?? [hop]).flatMap(({ dev, gateway }) => {
      // What has no device leads nowhere.
      if (dev === undefined || dev === tunnel) return [];
      const route = dst === 'default' ? [] : [{ network: dst, use: `a network that it reaches by ${dev}` }];
      return gateway === undefined ? route : route.concat({ network: gateway, use: `the router at ${dev}` });
    }),
  );

/** The DNS servers in the text of a resolv.conf; one on the host itself asks others. */
export const nameServersIn = (text: string): string[] =>
  Array.from(text.matchAll(/^\s*nameserver\s+(\S+)/gm), ([, address = '']) => address).filter(
    (address) => isIP(address) !== 0 && !/^(?:127\.|::1$)/.test(address),
  );
