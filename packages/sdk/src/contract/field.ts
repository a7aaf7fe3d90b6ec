import * as z from 'zod/mini';
import { message } from './message.ts';

/** The message for a value that is absent or of the wrong type. */
const typeError = (wrong: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined || issue.input === null ? message.required : wrong),
});

/**
 * Names, hosts and the like are one line of text that reads as it is: a control character would reach file names,
 * terminals and logs, a mark that turns the direction round would make a name look like another, and half a surrogate
 * pair is no text at all.
 */
const NOT_IN_LINE = String.raw`\p{Cc}\p{Cs}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069`;
const ONE_LINE = new RegExp(`^[^${NOT_IN_LINE}]*$`, 'u');

const LINES = new RegExp(`^(?:[^${NOT_IN_LINE}]|\\n)*$`, 'u');

/** A text without the characters that no line has. */
export const asOneLine = (text: string): string => text.replace(new RegExp(`[${NOT_IN_LINE}]`, 'gu'), '');

/**
 * What shows nothing by itself. Within a name it may be needed: emoji and several scripts join or part signs with it.
 * `DI` is Unicode's `Default_Ignorable_Code_Point`.
 */
const BLANK = /^[\s\p{Cc}\p{Cf}\p{DI}\u2800]*$/u;

const NAME_MAX_CHARS = 200;
const HOST_MAX_CHARS = 253;
const PATH_MAX_CHARS = 200;
const LIST_MAX_ITEMS = 10_000;

/** `""` for an optional text means null: forms send it for an empty input. */
const blankText = (value: unknown): unknown => (value === '' ? null : value);

const saysNothing = (part: unknown): boolean =>
  part === null || part === undefined || part === '' || part === false || (Array.isArray(part) && part.length === 0);

/** An object of which no part says anything means null, too; parts that forms left empty are left out. */
function blankObject(value: unknown, known: ReadonlySet<string>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return blankText(value);
  const parts = Object.entries(value);
  if (parts.every(([name, part]) => known.has(name) && saysNothing(part))) return null;
  return Object.fromEntries(parts.filter(([name, part]) => !known.has(name) || (part !== null && part !== '')));
}

/** An optional text or object, for which blank means null. */
const blankAsNull = <S extends z.ZodMiniType>(inner: S) => {
  const known = inner instanceof z.ZodMiniObject ? new Set(Object.keys(inner.shape)) : null;
  const asNull = known === null ? blankText : (value: unknown) => blankObject(value, known);
  return z.optional(
    z.pipe(z.transform(asNull), z.nullish(inner as z.ZodMiniType)),
    // What goes in and comes out is that of a plain optional field; only the way there differs.
  ) as unknown as z.ZodMiniOptional<z.ZodMiniNullable<S>>;
};

const text = (max: number) =>
  z
    .string(typeError(message.string))
    .check(z.regex(ONE_LINE, { error: message.oneLine }), z.maxLength(max, { error: message.maxLength(max) }));

/** Required, one line with something to see, trimmed. */
const requiredText = (max = NAME_MAX_CHARS) =>
  z.string(typeError(message.string)).check(
    z.overwrite((value) => (BLANK.test(value) ? '' : value.trim())),
    z.minLength(1, { error: message.empty }),
    z.maxLength(max, { error: message.maxLength(max) }),
    z.regex(ONE_LINE, { error: message.oneLine }),
  );

/** Plain text of any number of lines, trimmed. */
const lines = (max: number) =>
  z.string(typeError(message.string)).check(
    z.overwrite((value) => value.replaceAll(/\r\n?/g, '\n').trim()),
    z.maxLength(max, { error: message.maxLength(max) }),
    z.regex(LINES, { error: message.severalLines }),
  );

/** A secret as typed: never trimmed, bounded so that hashing it costs a bounded time. */
const secretText = z
  .string(typeError(message.string))
  .check(z.minLength(1, { error: message.empty }), z.maxLength(1024, { error: message.maxLength(1024) }));

/** A coordinate of a point on the curve P-256: 32 bytes as base64url. */
const coordinate = z
  .string(typeError(message.string))
  .check(z.regex(/^[A-Za-z0-9_-]{43}$/, { error: message.invalid }));

const boolean = z.boolean(typeError(message.boolean));

/**
 * A number that may come as the text of its digits, as in a path, in a query string, and in the bodies of Wiredoor's
 * clients. No other text is one: not an empty one, a sign, an exponent or a space.
 */
const orDigits = (schema: z.ZodMiniType<number, number>) =>
  z.pipe(
    z.transform((value: number | string) =>
      typeof value === 'string' && /^[0-9]{1,16}$/.test(value) ? Number(value) : value,
    ),
    schema,
    // Our own callers give a number.
  ) as unknown as z.ZodMiniPipe<z.ZodMiniType<number, number>, z.ZodMiniType<number, number>>;

/** A whole number from `min` to `max`. */
const integer = (min: number, max: number) =>
  orDigits(
    z
      .number(typeError(message.number))
      .check(
        z.refine(Number.isSafeInteger, { error: message.integer }),
        z.gte(min, { error: message.min(min) }),
        z.lte(max, { error: message.max(max) }),
        z.meta({ type: 'integer' }),
      ),
  );

/** A TCP or UDP port, 1 to 65535. */
const port = orDigits(
  z.number(typeError(message.number)).check(
    z.refine((value) => Number.isInteger(value) && value >= 1 && value <= 65_535, { error: message.port }),
    z.meta({ type: 'integer', minimum: 1, maximum: 65_535 }),
  ),
);

const oneOf = <const T extends readonly [string, ...string[]]>(options: T) =>
  z.enum(options, typeError(message.oneOf(options)));

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;
const isIpv4 = (value: string) => IPV4.test(value) && !/(^|\.)0\d/.test(value);
const IPV6 = z.ipv6();
const isIpv6 = (value: string) => IPV6.safeParse(value).success;

/** Splits `ADDRESS/PREFIX`; null when it is neither IPv4 nor IPv6, or the prefix is too long for its family. */
export function parseNetwork(value: string): { address: string; family: 4 | 6; prefix: number | null } | null {
  const [address = '', prefixText, rest] = value.split('/');
  const family = isIpv4(address) ? 4 : isIpv6(address) ? 6 : null;
  if (family === null || rest !== undefined) return null;
  if (prefixText === undefined) return { address, family, prefix: null };
  if (!/^(0|[1-9]\d{0,2})$/.test(prefixText)) return null;
  const prefix = Number(prefixText);
  return prefix <= (family === 4 ? 32 : 128) ? { address, family, prefix } : null;
}

/** IPv4 without CIDR. */
const ipv4 = z
  .string(typeError(message.string))
  .check(z.refine(isIpv4, { error: message.ipv4 }), z.meta({ description: 'IPv4 without CIDR.' }));

/** IPv4 or IPv6 with an optional CIDR, as in allow and block lists. */
const ipOrNetwork = z.string(typeError(message.string)).check(
  z.minLength(1, { error: message.empty }),
  z.refine((value) => value === '' || parseNetwork(value) !== null, { error: message.ip }),
  z.meta({ description: 'IPv4 or IPv6 with an optional CIDR.' }),
);

/** What separates the addresses of a list. */
const BETWEEN = /[\s,]+/;
const LIST_MAX_CHARS = 500;
const isAddress = (value: string) => isIpv4(value) || isIpv6(value);

/** The addresses in a list, those that are none left out. */
export const addressesIn = (list: string | null): string[] => (list ?? '').split(BETWEEN).filter(isAddress);

/** One or more addresses, IPv4 or IPv6, with a comma or a space between them. */
const addresses = z.string(typeError(message.string)).check(
  z.maxLength(LIST_MAX_CHARS, { error: message.maxLength(LIST_MAX_CHARS) }),
  z.refine((value) => value.split(BETWEEN).every(isAddress), { error: message.ipList }),
  z.meta({ description: 'IP addresses, separated by a comma or a space.' }),
);

/** IPv4 or IPv6 with a required CIDR. */
const network = z.string(typeError(message.string)).check(
  z.minLength(1, { error: message.empty }),
  z.refine((value) => value === '' || (parseNetwork(value)?.prefix ?? null) !== null, { error: message.cidr }),
  z.meta({ description: 'IPv4 or IPv6 with a CIDR.' }),
);

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$`);
const HOST = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`, 'i');

// In a URL, any other character would end the name. A longer one is none, and would take long.
const WRITTEN_NAME = /^[-.\da-z\u0080-\u{10ffff}]{1,253}$/iu;

/** A name as DNS has it: `xn--bcher-kva.example` for `bücher.example`. What is none stays as it is, for validation to refuse. */
function asciiName(name: string): string {
  const url = `http://${name}`;
  return WRITTEN_NAME.test(name) && URL.canParse(url) ? new URL(url).hostname : name;
}

/** A public domain name, at least two labels; kept in lower case, and as DNS has it. */
const domainName = z.string(typeError(message.string)).check(
  z.trim(),
  z.minLength(1, { error: message.empty }),
  z.toLowerCase(),
  z.overwrite(asciiName),
  z.refine((value) => value === '' || (value.length <= HOST_MAX_CHARS && DOMAIN.test(value)), {
    error: message.domain,
  }),
  z.meta({ description: 'A domain name of at least two labels.' }),
);

const isHostName = (value: string) => value.length <= HOST_MAX_CHARS && HOST.test(value) && !/^[\d.]+$/.test(value);

/** A host that the gateway connects to: a host name of any number of labels, or an IP address. */
const host = z.string(typeError(message.string)).check(
  z.trim(),
  z.refine((value) => isAddress(value) || isHostName(value), { error: message.invalid }),
  z.meta({ description: 'A host name or an IP address.' }),
);

/** The e-mail's top-level domain is not checked: identity providers of private networks make up their own. */
const email = z
  .string(typeError(message.string))
  .check(
    z.trim(),
    z.minLength(1, { error: message.empty }),
    z.regex(/^(?:[^\s\p{C}@"'\\;,<>]{1,64}@[^\s\p{C}@"'\\;,<>]{1,255})?$/u, { error: message.email }),
    z.meta({ description: 'An e-mail address.' }),
  );

/** An absolute URL path; the character set keeps it from meaning anything to nginx. */
const urlPath = z.string(typeError(message.string)).check(
  z.maxLength(PATH_MAX_CHARS, { error: message.maxLength(PATH_MAX_CHARS) }),
  z.refine((value) => /^\/[A-Za-z0-9._~/-]*$/.test(value) && !value.includes('//') && !/\/\.{1,2}(\/|$)/.test(value), {
    error: message.path,
  }),
  z.meta({ description: 'Starts with `/`.' }),
);

/** An object with these parts and no other. */
const object = <const Parts extends Record<string, z.ZodMiniType>>(parts: Parts) =>
  z.strictObject(parts, { error: message.object });

/** A list without duplicates. @param keyOf what two of its items must not have in common */
const listOf = <T extends z.ZodMiniType<string | number, string | number>>(
  item: T,
  max = LIST_MAX_ITEMS,
  keyOf = (value: string | number): unknown => value,
) =>
  z.array(item, typeError(message.array)).check(
    z.maxLength(max, { error: message.arrayMax(max) }),
    z.check<(string | number)[]>((context) => {
      // What an item is compared by may take long to make where it is long.
      if (context.issues.length > 0) return;
      const seen = new Set<unknown>();
      context.value.forEach((value, index) => {
        const key = keyOf(value);
        if (seen.has(key)) {
          context.issues.push({ code: 'custom', input: value, path: [index], message: message.duplicate });
        }
        seen.add(key);
      });
    }),
  );

const TAG_MAX_CHARS = 40;
const TAGS_MAX = 100;

/** A name to find things by. It has no comma: that stands between tags where several are typed, or are in an address. */
const tag = requiredText(TAG_MAX_CHARS).check(z.refine((value) => !value.includes(','), { error: message.noComma }));

/**
 * What two tags of an object, or two names of nodes, must not have in common: to people `Edge` and `edge` are one, with
 * characters that nobody sees as well. To make it of a long text takes long, so its length is looked at first. A damaged row
 * may hold anything.
 */
export const tagKey = (written: unknown): string =>
  String(written)
    .normalize('NFC')
    .replaceAll(/\p{DI}/gu, '')
    .toLowerCase();

/** Tags, each once. */
const tags = (max = TAGS_MAX) => listOf(tag, max, tagKey);

/** Some values of one name in a query, which repeats the name for each: `?tag=a&tag=b`. */
const repeated = <S extends z.ZodMiniType<string[], string[]>>(list: S) =>
  z.pipe(
    z.transform((value: unknown) => (typeof value === 'string' ? [value] : value)),
    list,
    // Our own callers give a list.
  ) as unknown as z.ZodMiniPipe<S, S>;

const TIMESTAMP = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d))?$/;

function isTimestamp(value: string): boolean {
  const day = TIMESTAMP.exec(value)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(value))) return false;
  // `Date` takes the 30th of February for the 2nd of March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** ISO 8601 with a zone, or a date alone (its first moment in UTC); kept in one form, so that text order is time order. */
const timestamp = z.string(typeError(message.string)).check(
  z.refine(isTimestamp, { error: message.date }),
  z.overwrite((value) => (isTimestamp(value) ? new Date(value).toISOString() : value)),
  z.meta({ description: 'ISO 8601 with a zone, or a date.' }),
);

const TTL_MAX_DAYS = 3650;
const DAYS_OF_UNIT: Record<string, number> = { s: 1 / 86_400, m: 1 / 1440, h: 1 / 24, d: 1 };

function isTimeToLive(value: string): boolean {
  const [, count = '', unit = ''] = /^([1-9]\d{0,8})\s*([smhd])$/.exec(value) ?? [];
  return Number(count) * (DAYS_OF_UNIT[unit] ?? Number.NaN) <= TTL_MAX_DAYS;
}

/** How long until a service closes by itself: a whole number from 1, and s, m, h or d; at most ten years. */
const timeToLive = z
  .string(typeError(message.string))
  .check(z.refine(isTimeToLive, { error: message.ttl }), z.meta({ description: 'Like `30s`, `10m`, `2h` or `1d`.' }));

/** The id of a row; 1 and up. */
const id = integer(1, Number.MAX_SAFE_INTEGER);

/** Ids of rows, without duplicates. */
const idList = listOf(integer(1, Number.MAX_SAFE_INTEGER));

/**
 * Field schemas: every input of the contract is made of these, each with its exact messages. No check of theirs aborts:
 * an abort would silence the rules that join several fields (`rule`).
 */
export const field = {
  blankAsNull,
  text,
  requiredText,
  lines,
  secretText,
  coordinate,
  boolean,
  integer,
  port,
  oneOf,
  ipv4,
  ipOrNetwork,
  addresses,
  network,
  domainName,
  host,
  email,
  urlPath,
  object,
  listOf,
  tags,
  repeated,
  timestamp,
  timeToLive,
  id,
  idList,
} as const;
