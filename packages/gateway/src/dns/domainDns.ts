import { networkInterfaces } from 'node:os';
import pLimit from 'p-limit';
import type { DomainDns } from '@sallyport/sdk/contract';
import { isLoopbackHost } from '@sallyport/sdk/rules';
import type { Names } from '../machine/names.ts';
import { isOwnHostOnly } from '../rules/hostAddress.ts';
import type { World } from '../world.ts';
import { type DnsTarget, judge } from './judge.ts';
import type { NameServers } from './nameServers.ts';

/** What was found within this time is not asked for again. */
const FRESH_MS = 2000;
/** What is older than this is looked up again in the background when a client sees it. */
const STALE_MS = 3_600_000;
/** How many names are looked up at once for clients that wait, and for the lists. */
const WAITED_FOR = 8;
const IN_BACKGROUND = 2;
/** How many names of lists wait for it; the others have their turn when a list is read again. */
const QUEUE_MAX = 100;
/** More than any gateway has domains. */
const KEPT_MAX = 20_000;

export type DomainDnsOptions = {
  nameServers: NameServers;
  /** Looks up the public host as this machine does. */
  names: Names;
  /** The name or address by which visitors reach the gateway. */
  publicHost(): string;
  /** Networks of proxies that pass visitors on; left out: there are none. */
  proxies?: readonly string[];
  now(): Date;
  /** The addresses of this machine. */
  ownAddresses?: () => string[];
};

/** Knows where the DNS leads the visitors of domains. */
export function createDomainDns({
  nameServers,
  names,
  publicHost,
  proxies = [],
  now,
  ownAddresses = interfaceAddresses,
}: DomainDnsOptions): World['dns'] {
  const known = new Map<string, DomainDns>();
  const asking = new Map<string, Promise<DomainDns>>();
  const queued = new Set<string>();
  const waitedFor = pLimit(WAITED_FOR);
  const inBackground = pLimit(IN_BACKGROUND);

  const ageOf = (domain: string): number => {
    const found = known.get(domain);
    return found === undefined ? Number.POSITIVE_INFINITY : now().getTime() - Date.parse(found.checkedAt);
  };

  async function lookUp(domain: string): Promise<DomainDns> {
    const [answer, target] = await Promise.all([nameServers.ask(domain), targetOf(publicHost(), names)]);
    const found = { ...judge(domain, answer, { ...target, proxies }, ownAddresses()), checkedAt: now().toISOString() };
    known.delete(domain);
    known.set(domain, found);
    const [oldest] = known.keys();
    if (known.size > KEPT_MAX && oldest !== undefined) known.delete(oldest);
    return found;
  }

  /** Two who ask for the same name at once share the answer. */
  function ask(domain: string): Promise<DomainDns> {
    const before = asking.get(domain);
    if (before !== undefined) return before;
    const asked = lookUp(domain).finally(() => asking.delete(domain));
    asking.set(domain, asked);
    return asked;
  }

  async function refresh(domain: string): Promise<void> {
    queued.add(domain);
    // No one waits for it, and a list that is read later tries again.
    await inBackground(() => ask(domain)).catch(() => undefined);
    queued.delete(domain);
  }

  return {
    async check(domain) {
      return waitedFor(() => {
        const found = known.get(domain);
        return found !== undefined && ageOf(domain) < FRESH_MS ? found : ask(domain);
      });
    },
    last(domain) {
      if (ageOf(domain) > STALE_MS && !queued.has(domain) && queued.size < QUEUE_MAX) void refresh(domain);
      const found = known.get(domain);
      return { dnsState: found?.state ?? null, dnsCheckedAt: found?.checkedAt ?? null };
    },
  };
}

/**
 * The public addresses of the gateway. Where the host is the machine's own name, its hosts file often says loopback, which is
 * none.
 */
async function targetOf(host: string, names: Names): Promise<Omit<DnsTarget, 'proxies'>> {
  const found = await names.resolve(host).catch(() => []);
  return { host, addresses: isLoopbackHost(host) ? found : found.filter((address) => !isOwnHostOnly(address)) };
}

const interfaceAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
