import type { DnsRecord, DnsState, DomainDns } from '@sallyport/sdk/contract';
import { dnsRecordTo, isBareHost } from '@sallyport/sdk/rules';
import { addressRange, isPublicAddress, plainAddress, sameAddress } from '../rules/hostAddress.ts';
import { overlaps } from '../rules/ipNetwork.ts';
import { type DnsAnswer, NO_ADDRESS, NO_NAME } from './nameServers.ts';

/** Where the domains of this gateway should lead. */
export type DnsTarget = {
  /** The name or address by which visitors reach it. */
  host: string;
  /** Its public addresses; none: they are not known. */
  addresses: readonly string[];
  /** Networks of proxies that pass visitors on to it. */
  proxies?: readonly string[];
};

/** What is said about a name, but for the time at which it was looked up. */
export type Judgement = Omit<DomainDns, 'checkedAt'>;

/** How many addresses a sentence names. */
const NAMED_MAX = 4;

const FAILURES: Record<string, string> = {
  ETIMEOUT: 'did not answer in time',
  ECANCELLED: 'did not answer in time',
  ECONNREFUSED: 'cannot be reached',
  ESERVFAIL: "failed to find out (SERVFAIL): the domain's own name servers do not answer, or DNSSEC is broken there",
  EREFUSED: 'refused to answer',
};

/**
 * Says where a domain leads, and where it should.
 * @param own the addresses of this machine. A public one leads here as well; a private one does so in its own network alone.
 */
export function judge(domain: string, answer: DnsAnswer, target: DnsTarget, own: readonly string[]): Judgement {
  const found = [...answer.a, ...answer.aaaa];
  const placed = found.map((address) => ({ address, place: placeOf(address, target, own) }));
  const at = (place: Place) => placed.filter((each) => each.place === place).map(({ address }) => address);
  const say = (state: DnsState, text: string): Judgement => ({
    domain,
    state,
    text,
    nameServers: [...answer.nameServers],
    cnames: [...answer.cnames],
    a: [...answer.a],
    aaaa: [...answer.aaaa],
    isPrivate: found.length > 0 && !found.some(isPublicAddress),
    expectedHost: target.host,
    expected: [...target.addresses],
    records: recordsOf(domain, target),
  });

  if (found.length === 0) return say(...nothingFound(answer, target));
  const [here, inside, elsewhere] = [at('here'), at('inside'), at('elsewhere')];
  if (here.length === found.length) {
    const what = here.every((each) => isProxy(each, target)) ? 'a proxy that this gateway trusts' : 'this gateway';
    return say('here', `The name leads to ${what}.${privateNote(here)}`);
  }
  if (here.length > 0) {
    const others = named([...inside, ...elsewhere]);
    return say(
      'partly',
      `The name leads to this gateway (${named(here)}), but also to ${others}: some visitors end up there. Remove what is not this gateway.`,
    );
  }
  if (elsewhere.length === 0) return say('inside', `The name leads to ${named(inside)}${insideNote(inside, target)}`);
  if (target.addresses.length === 0) {
    return say('unknown-address', `The name leads to ${named(found)}. ${unknownNote(target)}`);
  }
  return say(
    'elsewhere',
    `The name leads to ${named(found)}, not to this gateway (${named(target.addresses)}). Visitors arrive only if they are passed on from there.`,
  );
}

type Place = 'here' | 'inside' | 'elsewhere';

function placeOf(address: string, target: DnsTarget, own: readonly string[]): Place {
  const isIn = (list: readonly string[]) => list.some((each) => sameAddress(each, address));
  if (isIn(target.addresses) || isProxy(address, target)) return 'here';
  if (!isIn(own)) return 'elsewhere';
  return isPublicAddress(address) ? 'here' : 'inside';
}

const isProxy = (address: string, { proxies = [] }: DnsTarget): boolean =>
  proxies.some((each) => overlaps(each, plainAddress(address)));

/** That the name servers could not say whether the name has an address, in a sentence; null: they have said it. */
export function noAnswer({ failure, nameServers }: DnsAnswer): string | null {
  if (failure === null || failure === NO_NAME || failure === NO_ADDRESS) return null;
  const why = FAILURES[failure] ?? `gave no usable answer (${failure})`;
  return `The name servers (${nameServers.join(', ')}) ${why}.`;
}

function nothingFound(answer: DnsAnswer, target: DnsTarget): [DnsState, string] {
  const silence = noAnswer(answer);
  if (silence !== null) return ['no-answer', silence];
  const { failure, cnames, nameServers } = answer;
  const last = cnames.at(-1);
  const what = last === undefined ? 'The name' : `The name stands for ${last}, which`;
  const missing = failure === NO_NAME ? 'is not known' : 'has no address';
  const todo =
    target.addresses.length === 0
      ? unknownNote(target)
      : `It should lead to ${named(target.addresses)}. A new record may take a while to be known.`;
  return ['not-found', `${what} ${missing} at ${nameServers.join(', ')}. ${todo}`];
}

const privateNote = (here: readonly string[]): string => {
  if (here.some(isPublicAddress)) return '';
  return addressRange(here[0] ?? '') === 'loopback'
    ? ' Only browsers on this machine reach it by that address.'
    : ` ${named(here)} is a private address: only visitors of its own network reach it.`;
};

function insideNote(inside: readonly string[], target: DnsTarget): string {
  const what = inside.every((address) => addressRange(address) === 'loopback')
    ? ', by which every machine means itself.'
    : ', this machine in its own network.';
  const todo =
    target.addresses.length === 0
      ? unknownNote(target)
      : `Visitors from outside must be led to ${named(target.addresses)}.`;
  return `${what} ${todo}`;
}

const unknownNote = ({ host }: DnsTarget): string =>
  `The public address of this gateway is not known: ${host} has none that others can use. Enter the one by which visitors reach it under Settings in the console, or set SALLYPORT_VPN_HOST, then start the gateway again.`;

function named(addresses: readonly string[]): string {
  const more = addresses.length - NAMED_MAX;
  const shown = addresses.slice(0, NAMED_MAX).join(', ');
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** The gateway's name first, where others know one: a record of it stays right when the address changes. */
function recordsOf(domain: string, { host, addresses }: DnsTarget): DnsRecord[] {
  if (addresses.length === 0) return [];
  return [...new Set([...(isBareHost(host) ? [] : [host]), ...addresses])].map((each) => dnsRecordTo(domain, each));
}
