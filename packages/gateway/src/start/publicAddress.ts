import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { type AddressCandidate, type AddressSource, field, type UnavailableFeature } from '@sallyport/sdk/contract';
import { isBareHost, isLoopbackHost } from '@sallyport/sdk/rules';
import { noAnswer } from '../dns/judge.ts';
import type { NameServers } from '../dns/nameServers.ts';
import { addressRange, isOwnHostOnly, isPublicAddress, sameAddress } from '../rules/hostAddress.ts';
import { kernelRouteLines, ROUTES_FILE } from '../tunnel/wireguard/localNetworks.ts';

// All that is judged about the public address, from what this machine and its name servers know. No other machine is
// asked, so none of it proves that the address is reached from outside.

/** The name or address by which hosts and visitors are told to reach the gateway, and who decided on it. */
export type ChosenAddress = { host: string; source: AddressSource };

/** What this machine knows of itself. */
export type MachineNetwork = {
  interfaces: ReturnType<typeof networkInterfaces>;
  /** The interface of the default IPv4 route; null: there is none. */
  defaultDevice: string | null;
  hostname: string;
  /** The text of `/etc/hosts`. */
  hostsFile: string;
};

const HOSTS_FILE = '/etc/hosts';

/** @param tunnel the name of the gateway's own interface, whose addresses count for nothing here */
export function readMachineNetwork(tunnel: string): MachineNetwork {
  const { [tunnel]: _, ...interfaces } = networkInterfaces();
  return {
    interfaces,
    defaultDevice: defaultDevice(tunnel),
    hostname: hostname().toLowerCase(),
    hostsFile: readHostsFile(),
  };
}

function readHostsFile(): string {
  try {
    return readFileSync(HOSTS_FILE, 'utf8');
  } catch {
    return '';
  }
}

/** Where the hosts file of this machine leads a name, other than to the machine that looks it up. */
function addressesInFile(name: string, hostsFile: string): string[] {
  const found = hostsFile.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').toLowerCase().trim().split(/\s+/);
    return isIP(address) !== 0 && !isLoopbackHost(address) && names.includes(name.toLowerCase()) ? [address] : [];
  });
  return [...new Set(found)];
}

const ZERO = '00000000';

/** The kernel lists its preferred route first. */
function defaultDevice(tunnel: string): string | null {
  try {
    const lines = kernelRouteLines(readFileSync(ROUTES_FILE, 'utf8'));
    const isDefault = ({ device, destination, mask }: (typeof lines)[number]): boolean =>
      destination === ZERO && mask === ZERO && device !== tunnel && device !== '*';
    return lines.find(isDefault)?.device ?? null;
  } catch {
    // The file is Linux's.
    return null;
  }
}

type OwnAddress = { address: string; device: string };

/** The addresses by which other machines may reach this one, those of the default route first. */
function ownAddresses({
  interfaces,
  defaultDevice: first,
}: Pick<MachineNetwork, 'interfaces' | 'defaultDevice'>): OwnAddress[] {
  const all = Object.entries(interfaces).flatMap(([device, addresses]) =>
    (addresses ?? []).flatMap(({ address, internal }) =>
      internal || addressRange(address) === 'linkLocal' ? [] : [{ address, device }],
    ),
  );
  return all.toSorted((a, b) => Number(b.device === first) - Number(a.device === first));
}

const isIpv4 = (address: string): boolean => isIP(address) === 4;

/**
 * By what others may reach this machine, the most likely first: its full name where the DNS leads it here, a public IPv4
 * address, that name wherever else it leads in public, the address of the default route, and then the others.
 */
export async function addressCandidates(
  nameServers: NameServers,
  machine: MachineNetwork,
): Promise<AddressCandidate[]> {
  const own = ownAddresses(machine);
  const name = machine.hostname;
  const found = isBareHost(name) || !field.host.safeParse(name).success ? [] : await addressesOf(name, nameServers);
  const isOwn = (address: string): boolean => own.some((each) => sameAddress(each.address, address));
  const rankOfName = found.some(isPublicAddress) ? (found.some(isOwn) ? 0 : 2) : 4;
  const ranked = [
    ...(found.length === 0
      ? []
      : [{ rank: rankOfName, host: name, what: `the name of this machine, which leads to ${found.join(', ')}` }]),
    ...own.map(({ address, device }) => ({
      rank: rankOfAddress(address, device === machine.defaultDevice),
      host: address,
      what: `the address of ${device}${isPublicAddress(address) ? '' : ', a private one'}`,
    })),
  ];
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ host, what }) => ({ host, what }));
}

function rankOfAddress(address: string, isDefault: boolean): number {
  // Few hosts have IPv6 everywhere.
  if (!isIpv4(address)) return 6;
  if (isPublicAddress(address)) return 1;
  return isDefault ? 3 : 5;
}

async function addressesOf(name: string, nameServers: NameServers): Promise<string[]> {
  const answer = await nameServers.ask(name).catch(() => null);
  return answer === null ? [] : [...answer.a, ...answer.aaaa];
}

/**
 * Says that other machines cannot be told how to reach this gateway: by a loopback address never, and by the machine's
 * own host name without a domain only where their DNS has it. Null: all is well.
 */
export function publicNameProblem(
  { host, source }: ChosenAddress,
  machine: Pick<MachineNetwork, 'interfaces' | 'defaultDevice'>,
): UnavailableFeature | null {
  const isLoopback = isOwnHostOnly(host);
  // A name that was chosen is known where it is to be used.
  if (!isLoopback && !(isBareHost(host) && source === 'machine')) return null;
  const example = ownAddresses(machine).find(({ address }) => isIpv4(address))?.address;
  const which = `the name or address by which they reach it${example === undefined ? '' : ` (this machine has the address ${example})`}`;
  return {
    feature: 'publicName',
    reason: isLoopback
      ? `Hosts are told to reach this gateway at ${host}, which is their own machine.`
      : `Hosts are told to reach this gateway as "${host}", a name that other machines may not know.`,
    fix:
      source === 'environment'
        ? `Set SALLYPORT_VPN_HOST to ${which}, then start the gateway again.`
        : `Enter ${which} under Settings in the console, or set SALLYPORT_VPN_HOST to it, then start the gateway again.`,
  };
}

/** What can be told of a public address. */
export type AddressReport = {
  /** What speaks against it, in sentences. */
  warnings: string[];
  /** Whether it leads here, as far as that is known, in sentences. */
  facts: string[];
  /** That the name servers did not answer, in a sentence; null: they did, or were not asked. */
  silence: string | null;
  /** Whether it is an address, or a name that has one. */
  hasAddress: boolean;
};

const NOT_TRIED = 'It was not tried from outside: the gateway asks no other machine to do so.';

/** Says what is known of a public address. A name is looked up as visitors' machines do, and else in the hosts file of this one. */
export async function reportAddress(
  chosen: ChosenAddress,
  nameServers: NameServers,
  machine: MachineNetwork,
): Promise<AddressReport> {
  const { host } = chosen;
  const problem = publicNameProblem(chosen, machine);
  if (problem !== null) return { warnings: [problem.reason], facts: [], silence: null, hasAddress: isIP(host) !== 0 };
  const warnings = isBareHost(host)
    ? [`"${host}" is a name without a domain: only machines of a network that knows it find the gateway by it.`]
    : [];
  if (isIP(host) !== 0) {
    if (!isPublicAddress(host)) warnings.push(`${host} is a private address: ${OWN_NETWORK}`);
    return { warnings, facts: [`${host} ${placeOf([host], machine)}`, NOT_TRIED], silence: null, hasAddress: true };
  }
  const answer = await nameServers.ask(host).catch(() => null);
  const found = answer === null ? [] : [...answer.a, ...answer.aaaa];
  if (found.length === 0) {
    const own = addressesInFile(host, machine.hostsFile);
    const silence = answer === null ? null : noAnswer(answer);
    const asked = answer?.nameServers.join(', ') ?? '';
    warnings.push(
      silence === null
        ? `The name servers${asked === '' ? '' : ` (${asked})`} have no address for ${host}${own.length === 0 ? '.' : `: machines without it in their own ${HOSTS_FILE} do not find the gateway.`} Make an A or AAAA record for it, or name an address instead.`
        : `${silence} So it is not known ${own.length === 0 ? `whether ${host} has an address` : `where other machines find ${host}`}.`,
    );
    if (own.length === 0) return { warnings, facts: [NOT_TRIED], silence, hasAddress: false };
    const inFile = `${HOSTS_FILE} leads ${host} to ${own.join(', ')}, which ${placeOf(own, machine)}`;
    return { warnings, facts: [inFile, NOT_TRIED], silence, hasAddress: true };
  }
  const addresses = found.join(', ');
  if (!found.some(isPublicAddress)) warnings.push(`${host} leads to the private address ${addresses}: ${OWN_NETWORK}`);
  return {
    warnings,
    facts: [`${host} leads to ${addresses}, which ${placeOf(found, machine)}`, NOT_TRIED],
    silence: null,
    hasAddress: true,
  };
}

const OWN_NETWORK =
  'only machines of its own network reach it. For others, name the public address of the router, which has to pass the ports on, or a name that leads there.';

function placeOf(addresses: readonly string[], machine: MachineNetwork): string {
  const own = ownAddresses(machine).find((each) => addresses.some((address) => sameAddress(each.address, address)));
  return own === undefined
    ? 'is of no interface of this machine: a router or a load balancer has to pass the ports on to it.'
    : `is the address of ${own.device} on this machine.`;
}
