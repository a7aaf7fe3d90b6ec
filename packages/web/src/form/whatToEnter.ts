import { message, type Problem } from '@sallyport/sdk/contract';

/** The field's name as the wire quotes it, so that a message is found whichever field it is about. */
const QUOTED = /^"[^"]*"/;
const withoutName = (text: string): string => text.replace(QUOTED, '{key}');

const HOST = 'Enter a host name or an IP address, such as nas.lan or 192.168.1.10.';

/** What `message.invalid`, which names nothing, asks for in these fields. */
const OF_FIELDS: Record<string, string> = {
  backendHost: HOST,
  host: HOST,
  interface: 'Enter the name of a network interface, such as eth0.',
  skipAuthRoutes: 'Begin each line with / for a path or ^ for a pattern, without spaces, quotes, ; < > { or }.',
};

/** Messages that are the same wherever they stand, by what the wire says. */
const TEXTS: readonly [wire: string, text: string][] = [
  [message.port, 'Enter a port from 1 to 65535.'],
  [message.ip, 'Enter an IP address or a network, such as 203.0.113.9 or 203.0.113.0/24.'],
  [message.cidr, 'Enter a network with its length, such as 192.168.1.0/24.'],
  [message.ipv4, 'Enter an IPv4 address without a length, such as 192.168.1.10.'],
  [message.ipList, 'Enter IP addresses with a comma or a space between them, such as 1.1.1.1, 9.9.9.9.'],
  [message.httpsAddress, 'Enter an https address, such as https://id.example.com.'],
  [message.duplicate, 'This is in the list already. Enter another one, or remove it.'],
  [message.domainOrPath, 'Enter a public domain, a path, or both.'],
  [message.path, 'Begin with /, then letters, digits, . _ ~ - and single /, such as /app.'],
  [message.ttl, 'Enter a number and s, m, h or d, such as 30m, 2h or 3d; at most ten years.'],
  [message.oneOf(['null']), 'Leave this empty.'],
  [message.oneOf(['self-signed']), 'Choose Self Signed: the name is not checked.'],
  [message.arrayMax(0), 'Leave this empty.'],
];
const byKey = new Map(TEXTS.map(([wire, text]) => [withoutName(wire), text]));

/** Those with a number in them. */
const LONGEST_LIST = /^\{key\} must contain less than or equal to (\d+) items$/;
const UNKNOWN = withoutName(message.unknown(''));

/**
 * What is wrong with a field in words that say what to enter. The wire keeps those that other clients of the family know;
 * what says it well enough stays as it is.
 */
export function whatToEnter({ field, message: said }: Problem): string {
  const key = withoutName(said);
  const name = field.split('.').at(-1) ?? '';
  if (said === message.invalid) return OF_FIELDS[name] ?? said;
  if (key === UNKNOWN) return 'The gateway does not know this field: it has another version than this page. Reload it.';
  const [, longest] = LONGEST_LIST.exec(key) ?? [];
  return byKey.get(key) ?? (longest === undefined ? said : `Enter at most ${longest}.`);
}
