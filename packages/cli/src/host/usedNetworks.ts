import { existsSync, readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { Failure } from '../failure.ts';
import type { ProgramEnd } from './runProgram.ts';

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
