import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { field, parseNetwork } from './field.ts';
import { check } from './problem.ts';

/** What `{ key: value }` is told, or `null` when it is accepted. */
function told(schema: z.ZodMiniType, value: unknown): string | null {
  const checked = check(z.object({ key: schema }), { key: value });
  if (checked.ok) return null;
  expect(checked.problems.map((problem) => problem.field.split('.')[0])).toContain('key');
  return checked.problems[0]?.message ?? null;
}

/** What an accepted value is kept as. */
function kept(schema: z.ZodMiniType, value: unknown): unknown {
  const checked = check(schema, value);
  if (!checked.ok) throw new Error(`refused: ${JSON.stringify(value)}`);
  return checked.value;
}

const REQUIRED = 'This field is required';
const EMPTY = 'This field is not allowed to be empty';
const STRING = 'This field must be a valid string';
const DOMAIN = 'This field must contain a valid domain name';
const EMAIL = 'This field must be a valid email';
const PORT = '"key" must be a valid port';
const IP = '"key" must be a valid ip address with a optional CIDR';
const CIDR = '"key" must be a valid ip address with a required CIDR';
const IPV4 = '"key" must be a valid ip address of one of the following versions [ipv4] with a forbidden CIDR';
const INVALID = 'This field contains an invalid value';
const ONE_LINE = 'This field must be one line without control characters or marks that change the direction of text';
const PATH = 'Path Location must be an absolute URL path containing only letters, numbers, "/", ".", "_", "~", and "-"';
const TTL = 'TTL must be a string like "30s", "10m", "2h", "1d"';
const DATE = 'This field must be a valid date';

// The wording is part of the contract: clients show it as it is.
const refusals: [name: string, schema: z.ZodMiniType, value: unknown, message: string][] = [
  ['a required text that is absent', field.requiredText(), undefined, REQUIRED],
  ['a required text that is null', field.requiredText(), null, REQUIRED],
  ['an empty text', field.requiredText(), '', EMPTY],
  ['a text of blanks', field.requiredText(), ' \t ', EMPTY],
  ...Array.from(
    '\u00ad\u034f\u061c\u115f\u1160\u180b\u180e\u200b\u200c\u200d\u200e\u2028\u202e\u2060\u2800\u3164\ufe0f\ufeff\uffa0\ufff9\u{e0020}',
  ).map((character): (typeof refusals)[number] => [
    `a text of U+${character.codePointAt(0)?.toString(16).padStart(4, '0')}, which shows nothing`,
    field.requiredText(),
    ` ${character} ${character}`,
    EMPTY,
  ]),
  ['a text of control characters', field.requiredText(), '\u0007\u001b', EMPTY],
  ['a number for a text', field.requiredText(), 5, STRING],
  [
    'a text that is too long',
    field.requiredText(3),
    'four',
    'This field must be less than or equal to 3 characters long',
  ],
  ['a text with a line break', field.requiredText(), 'a\nb', ONE_LINE],
  ['a text with an escape sequence', field.requiredText(), 'a\u001b[31m', ONE_LINE],
  ['a text that is turned round', field.requiredText(), 'invoice\u202efdp.exe', ONE_LINE],
  ['a text that hides in another direction', field.text(200), '\u2066a\u2069', ONE_LINE],
  ['a text with a mark of direction', field.requiredText(), 'a\u200fb\u061c', ONE_LINE],
  ['a text with half a surrogate pair', field.requiredText(), 'a\ud800', ONE_LINE],
  ['the other half', field.requiredText(), '\udc00a', ONE_LINE],
  ['an e-mail that is turned round', field.email, 'a\u202e@b.test', EMAIL],
  ['an empty secret', field.secretText, '', EMPTY],
  ['a punycode domain with a hyphen at its end', field.domainName, 'a.xn--test-', DOMAIN],
  ['a text for a boolean', field.boolean, 'yes', 'This field must be a boolean'],
  ['no text for a number', field.integer(0, 9), '', 'This field must be a number'],
  ['an exponent', field.integer(0, 9), '1e0', 'This field must be a number'],
  ['a sign', field.integer(0, 9), '+5', 'This field must be a number'],
  ['a yes for a number', field.integer(0, 9), true, 'This field must be a number'],
  ['NaN', field.integer(0, 9), Number.NaN, 'This field must be a number'],
  ['a fraction', field.integer(0, 9), 1.5, 'This field must be an integer'],
  ['a number below the minimum', field.integer(2, 9), 1, 'This field must be greater than or equal to 2'],
  ['a number above the maximum', field.integer(2, 9), 10, 'This field must be less than or equal to 9'],
  ['port 0', field.port, 0, PORT],
  ['port 65536', field.port, 65_536, PORT],
  ['a fractional port', field.port, 80.5, PORT],
  ['a port that is absent', field.port, undefined, REQUIRED],
  ['a port between spaces', field.port, ' 80 ', 'This field must be a number'],
  ['a port as text that is none', field.port, '65536', PORT],
  ['an option that is none', field.oneOf(['http', 'https']), 'ftp', 'This field must be one of [http, https]'],
  ['the only option missed', field.oneOf(['http']), 'ftp', 'This field must be [http]'],
  ['an IPv4 address with a CIDR', field.ipv4, '192.0.2.1/24', IPV4],
  ['an IPv6 address for IPv4', field.ipv4, '2001:db8::1', IPV4],
  ['an octet of 256', field.ipv4, '192.0.2.256', IPV4],
  ['an octal octet', field.ipv4, '192.0.02.1', IPV4],
  ['a host name in an address list', field.ipOrNetwork, 'example.test', IP],
  ['an empty line of an address list', field.ipOrNetwork, '', EMPTY],
  ['a subnet that is empty', field.network, '', EMPTY],
  ['an empty line of an e-mail list', field.email, ' ', EMPTY],
  ['a prefix that is too long', field.ipOrNetwork, '192.0.2.0/33', IP],
  ['a subnet without a CIDR', field.network, '192.0.2.1', CIDR],
  ['a domain of one label', field.domainName, 'localhost', DOMAIN],
  ['a domain with a space', field.domainName, 'bad domain', DOMAIN],
  ['an international domain of one label', field.domainName, 'bücher', DOMAIN],
  ['an international domain that hides a slash', field.domainName, 'bücher／x.example', DOMAIN],
  ['an international domain with credentials', field.domainName, 'bü:x@cher.example', DOMAIN],
  ['an address in letters of full width', field.domainName, '１９２.0.2.1', DOMAIN],
  ['a domain that turns the direction round', field.domainName, '\u202ebücher.example', DOMAIN],
  ['an international domain that is too long', field.domainName, `${'ü.'.repeat(125)}example`, DOMAIN],
  ['a domain with an underscore', field.domainName, 'a_b.example.test', DOMAIN],
  ['a domain with a trailing dot', field.domainName, 'example.test.', DOMAIN],
  ['a label that ends with a hyphen', field.domainName, 'a-.example.test', DOMAIN],
  ['a domain that closes the server block', field.domainName, 'a.test;}', DOMAIN],
  ['an address for a domain', field.domainName, '192.0.2.1', DOMAIN],
  ['a domain of 254 characters', field.domainName, `${'a.'.repeat(125)}test`, DOMAIN],
  ['an empty domain', field.domainName, '', EMPTY],
  ['a host with a port', field.host, 'backend:8080', INVALID],
  ['a host with a path', field.host, 'backend/x', INVALID],
  ['a host that is half an address', field.host, '10.0.0', INVALID],
  ['an e-mail without an @', field.email, 'nobody', EMAIL],
  ['an e-mail with a line break', field.email, 'a@b.test\nc@d.test', EMAIL],
  ['an e-mail with a control character', field.email, 'a\u0000@b.test', EMAIL],
  ['an e-mail with two @', field.email, 'a@b@c.test', EMAIL],
  ['a path without a slash', field.urlPath, 'app', PATH],
  ['a path with two slashes', field.urlPath, '/a//b', PATH],
  ['a path that climbs', field.urlPath, '/a/../b', PATH],
  ['a path with a percent sign', field.urlPath, '/a%2e', PATH],
  ['a path with a variable', field.urlPath, '/$host', PATH],
  [
    'a path of 201 characters',
    field.urlPath,
    `/${'a'.repeat(200)}`,
    'This field must be less than or equal to 200 characters long',
  ],
  ['a list that is none', field.listOf(field.email), 'a@b.test', 'This field must be an array'],
  ['a date that is none', field.timestamp, 'tomorrow', DATE],
  ['the 30th of February', field.timestamp, '2026-02-30', DATE],
  ['a date with something behind it', field.timestamp, '2026-11-21 (\u001b[31m)', DATE],
  ['a time without a zone', field.timestamp, '2026-11-21T10:00:00', DATE],
  ['a time to live without a unit', field.timeToLive, '10', TTL],
  ['a time to live of nothing', field.timeToLive, '0s', TTL],
  ['a negative time to live', field.timeToLive, '-1m', TTL],
  ['a time to live beyond what a date can hold', field.timeToLive, '999999999d', TTL],
  ['an id that climbs', field.id, '../1', 'This field must be a number'],
  ['id 0', field.id, '0', 'This field must be greater than or equal to 1'],
  ['an id in hexadecimal', field.id, '0x1', 'This field must be a number'],
  ['an id that is absent', field.id, undefined, REQUIRED],
];

describe('what is refused, and what is said', () => {
  test.each(refusals)('%s', (_, schema, value, message) => {
    expect(told(schema, value)).toBe(message);
  });

  test('a duplicate is named with its place', () => {
    const checked = check(z.object({ allowedEmails: field.listOf(field.email) }), {
      allowedEmails: ['a@b.test', 'c@d.test', 'a@b.test'],
    });
    expect(checked).toEqual({
      ok: false,
      problems: [{ field: 'allowedEmails.2', message: '"allowedEmails[2]" contains a duplicate value' }],
    });
  });

  test('a list with one entry too many is told how many it may have', () => {
    const entries = Array.from({ length: 10_001 }, (_, index) => `${index}@b.test`);
    expect(told(field.listOf(field.email), entries)).toBe('"key" must contain less than or equal to 10000 items');
  });

  test('what is wrong already is not compared, which takes long where it is long', () => {
    const keyOf = vi.fn(String);
    const list = field.listOf(field.requiredText(3), 2, keyOf);
    expect(check(list, ['a', 'long']).ok).toBe(false);
    expect(check(list, ['a', 'b', 'c']).ok).toBe(false);
    expect(keyOf).not.toHaveBeenCalled();
    expect(check(list, ['a', 'a']).ok).toBe(false);
    expect(keyOf).toHaveBeenCalledTimes(2);
  });

  test('tags are the same that look the same', () => {
    for (const [one, other] of [
      ['Küche', 'KU\u0308CHE'],
      ['lab', 'l\u200bab'],
    ]) {
      expect(told(field.tags(), [one, other]), other).toBe('"key[1]" contains a duplicate value');
    }
    expect(kept(field.tags(), ['Straße', 'STRASSE', 'ab', 'a b'])).toHaveLength(4);
  });

  test('one wrong value is told one thing', () => {
    for (const [name, schema, value] of refusals) {
      const checked = check(z.object({ key: schema }), { key: value });
      expect(checked.ok ? 0 : checked.problems.length, name).toBe(1);
    }
  });
});

const acceptances: [name: string, schema: z.ZodMiniType, value: unknown, result: unknown][] = [
  ['a name is trimmed', field.requiredText(), '  edge 1 ', 'edge 1'],
  ['a name in any script', field.requiredText(), 'שלום 你好 e\u0301 👩‍💻', 'שלום 你好 e\u0301 👩‍💻'],
  ['a name with a joiner inside', field.requiredText(), 'می\u200cخواهم', 'می\u200cخواهم'],
  ['a name of one sign that the gateway may not know yet', field.requiredText(), '\u{1fbfa}', '\u{1fbfa}'],
  ['a name of a sign of a private font', field.requiredText(), '\ue0a0', '\ue0a0'],
  ['a secret is not', field.secretText, ' pass ', ' pass '],
  ['port 65535', field.port, 65_535, 65_535],
  ['a port as text', field.port, '80', 80],
  ['a number as text', field.integer(0, 9), '5', 5],
  ['an IPv6 network', field.ipOrNetwork, '2001:db8::/32', '2001:db8::/32'],
  ['a whole internet', field.network, '0.0.0.0/0', '0.0.0.0/0'],
  ['a domain is kept in lower case', field.domainName, ' App.Example.TEST ', 'app.example.test'],
  ['an international domain', field.domainName, ' BÜCHER.example ', 'xn--bcher-kva.example'],
  ['an international domain of another script', field.domainName, '例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ['a punycode domain', field.domainName, 'xn--bcher-kva.example.xn--p1ai', 'xn--bcher-kva.example.xn--p1ai'],
  ['a host of one label', field.host, 'localhost', 'localhost'],
  ['an IPv6 host', field.host, '::1', '::1'],
  ['an e-mail of an unknown top-level domain', field.email, 'a@b.internal', 'a@b.internal'],
  ['the root path', field.urlPath, '/', '/'],
  ['a path with a dot in a name', field.urlPath, '/.well-known/x~y', '/.well-known/x~y'],
  ['a date is its first moment', field.timestamp, '2026-11-21', '2026-11-21T00:00:00.000Z'],
  ['a time is kept in UTC', field.timestamp, '2026-11-21T10:00:00+02:00', '2026-11-21T08:00:00.000Z'],
  ['a time to live with a blank', field.timeToLive, '10 m', '10 m'],
  ['an id as text', field.id, '42', 42],
  ['an id as a number', field.id, 42, 42],
  ['nothing for an optional field', field.blankAsNull(field.ipv4), undefined, undefined],
  ['"" for an optional field is null', field.blankAsNull(field.ipv4), '', null],
  ['null for an optional field', field.blankAsNull(field.ipv4), null, null],
];

test.each(acceptances)('accepted: %s', (_, schema, value, result) => {
  expect(kept(schema, value)).toEqual(result);
});

describe('parseNetwork', () => {
  test('takes an address with and without a prefix', () => {
    expect(parseNetwork('192.0.2.1')).toEqual({ address: '192.0.2.1', family: 4, prefix: null });
    expect(parseNetwork('192.0.2.0/24')).toEqual({ address: '192.0.2.0', family: 4, prefix: 24 });
    expect(parseNetwork('2001:db8::/128')).toEqual({ address: '2001:db8::', family: 6, prefix: 128 });
  });

  test.each([
    '',
    '/',
    '/24',
    '192.0.2.0/',
    '192.0.2.0/24/',
    '192.0.2.0/024',
    '192.0.2.0/-1',
    '::/129',
    'fe80::1%eth0',
    '[::1]',
    ' 192.0.2.1',
  ])('refuses %j', (text) => {
    expect(parseNetwork(text)).toBeNull();
  });

  test('takes every IPv4 network, and nothing that it would not write the same way again', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 0, max: 32 }), (address, prefix) => {
        expect(parseNetwork(`${address}/${prefix}`)).toEqual({ address, family: 4, prefix });
      }),
    );
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(parseNetwork(address)?.family).toBe(6);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('0123456789./:afx% \n')) }), (text) => {
        const network = parseNetwork(text);
        const { address, prefix } = network ?? { address: text, prefix: null };
        expect(prefix === null ? address : `${address}/${prefix}`).toBe(text);
      }),
    );
  });
});
