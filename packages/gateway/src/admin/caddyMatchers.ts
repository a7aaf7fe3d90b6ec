import { parseNetwork } from '@sallyport/sdk/contract';
import type { Directive } from './caddyfile.ts';
import type { Token } from './caddyfileTokens.ts';

/** Which requests a directive is for: all of what is said has to be so. Null: nothing is said. */
export type Matcher = {
  hosts: string[] | null;
  paths: string[] | null;
  /** Visitors of these networks alone. */
  inside: string[] | null;
  /** Visitors of all other networks. */
  outside: string[] | null;
  /** What is compared that only Caddy can compare. */
  other: string | null;
};

/** The named matchers of a block, with their `@`. */
export type Matchers = ReadonlyMap<string, Matcher>;

export const EVERYTHING: Matcher = { hosts: null, paths: null, inside: null, outside: null, other: null };

/** What Caddy means by `private_ranges`. */
const PRIVATE = ['192.168.0.0/16', '172.16.0.0/12', '10.0.0.0/8', '127.0.0.1/8', 'fd00::/8', '::1/128'];

/** What is known while matchers are read. */
export type MatcherContext = {
  /** `client_ip` is what other proxies say, whom this gateway does not know. */
  trustsProxies: boolean;
};

/** Reads the named matchers that stand in a block, next to those from around it. */
export function readMatchers(directives: readonly Directive[], around: Matchers, context: MatcherContext): Matchers {
  const all = new Map(around);
  for (const { words, block, at } of directives) {
    const [name, ...rest] = words;
    if (name === undefined || !name.text.startsWith('@')) continue;
    const inOneLine: Directive[] = rest.length === 0 ? [] : [{ words: rest, block: null, at }];
    all.set(name.text, allOf([...inOneLine, ...(block ?? [])], context));
  }
  return all;
}

/** The matcher of a directive, and the words after it. A path is one, `*` is all. */
export function matcherOf(words: readonly Token[], matchers: Matchers): { matcher: Matcher; rest: Token[] } {
  const [, first, ...rest] = words;
  if (first === undefined || first.isQuoted) return { matcher: EVERYTHING, rest: words.slice(1) };
  if (first.text === '*') return { matcher: EVERYTHING, rest };
  if (first.text.startsWith('/')) return { matcher: { ...EVERYTHING, paths: [first.text] }, rest };
  if (first.text.startsWith('@')) {
    return { matcher: matchers.get(first.text) ?? { ...EVERYTHING, other: `${first.text}, which is nowhere` }, rest };
  }
  return { matcher: EVERYTHING, rest: words.slice(1) };
}

/** One line of a matcher. */
function condition({ words: [name, ...values], block, at }: Directive, context: MatcherContext): Matcher {
  const texts = values.map(({ text }) => text);
  if (name?.text === 'not') {
    const inOneLine: Directive[] = values.length === 0 ? [] : [{ words: values, block: null, at }];
    return not(allOf([...inOneLine, ...(block ?? [])], context));
  }
  if (block === null && name?.text === 'host') return { ...EVERYTHING, hosts: texts.map((text) => text.toLowerCase()) };
  if (block === null && name?.text === 'path') return { ...EVERYTHING, paths: texts };
  const isAddress = name?.text === 'remote_ip' || (name?.text === 'client_ip' && !context.trustsProxies);
  if (block === null && isAddress) return addresses(texts, name.text);
  return { ...EVERYTHING, other: name?.text ?? 'nothing' };
}

/** Only addresses have an opposite that can be said here. */
function not({ hosts, paths, inside, outside, other }: Matcher): Matcher {
  const isAddressesAlone = hosts === null && paths === null && other === null;
  if (isAddressesAlone && inside !== null && outside === null) return { ...EVERYTHING, outside: inside };
  return { ...EVERYTHING, other: other === null ? 'not' : `not ${other}` };
}

function addresses(texts: readonly string[], name: string): Matcher {
  const networks = texts.flatMap((text) => (text === 'private_ranges' ? PRIVATE : [text]));
  if (networks.length === 0 || networks.some((network) => parseNetwork(network) === null)) {
    return { ...EVERYTHING, other: `${name} ${texts.join(' ')}` };
  }
  return { ...EVERYTHING, inside: [...new Set(networks)] };
}

const BY_ADDRESS = ['remote_ip', 'client_ip'];

/**
 * Lines of one kind are one list to Caddy, except those that are negated: of these each has to hold. So has each of two
 * kinds, and two lists of which a visitor must be in both cannot be said here.
 */
function allOf(lines: readonly Directive[], context: MatcherContext): Matcher {
  const conditions = lines.map((line) => condition(line, context));
  const isTwice = BY_ADDRESS.every((kind) => lines.some(({ words: [name] }) => name?.text === kind));
  const joined = (key: 'hosts' | 'paths' | 'inside' | 'outside'): string[] | null => {
    const lists = conditions.flatMap((each) => (each[key] === null ? [] : [each[key]]));
    return lists.length === 0 ? null : [...new Set(lists.flat())];
  };
  return {
    hosts: joined('hosts'),
    paths: joined('paths'),
    inside: joined('inside'),
    outside: joined('outside'),
    other: conditions.find(({ other }) => other !== null)?.other ?? (isTwice ? BY_ADDRESS.join(' and ') : null),
  };
}
