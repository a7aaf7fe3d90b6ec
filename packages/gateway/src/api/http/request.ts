import { check, type Endpoint, PAGES_TYPE, type Problem, type Segment } from '@sallyport/sdk/contract';
import type { Context as HonoContext } from 'hono';
import type { Client } from '../context.ts';
import { failure, Failure } from '../failure.ts';

/** How a request reached the gateway. */
export type Connection = {
  /** The other end of the connection. */
  address: string;
  /** It came through nginx, by the socket that only nginx can open: what nginx says of the visitor is true. */
  trusted: boolean;
  /** Calls back once the answer has been taken, or no one waits for it any more; without it that is at once. */
  whenTaken?(done: () => void): void;
};

/** Where a request comes from. The headers of a proxy count only where nginx alone can have written them. */
export function clientOf(c: HonoContext, connection: Connection): Client {
  const { headers, url } = c.req.raw;
  const forwarded = connection.trusted ? headers.get('x-forwarded-proto') : null;
  const secure = forwarded === null ? url.startsWith('https:') : forwarded === 'https';
  return {
    isDirect: !connection.trusted,
    address: (connection.trusted ? headers.get('x-real-ip') : null) ?? connection.address,
    secure,
    // Few calls ask for it.
    get ownOrigin() {
      return originOf(`${secure ? 'https' : 'http'}://${headers.get('host') ?? new URL(url).host}`);
    },
    origin: headers.get('origin'),
    fetchSite: headers.get('sec-fetch-site'),
    lastEventId: headers.get('last-event-id'),
  };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'null';
}

/** Refuses what another site's page sends: it could sign an administrator in to an account of its choosing. */
export function refuseForeignPage(method: string, client: Client): void {
  if (method === 'GET' || method === 'HEAD') return;
  const isForeign = client.origin !== null && client.origin !== client.ownOrigin;
  // Another port of the host name is the "same site", and may belong to another service.
  const isElsewhere = client.fetchSite !== null && !['same-origin', 'none'].includes(client.fetchSite);
  if (isForeign || isElsewhere) {
    throw failure.rejected('This call comes from a page of another site');
  }
}

/**
 * The token of the `Authorization` header; for streams and downloads, which a browser may open without headers, also the
 * one of the query.
 * @throws {Failure} 401 for a token in the query of anything else: addresses end up in logs and histories
 */
export function tokenOf(c: HonoContext, kind: Endpoint['kind']): string | null {
  const header = /^bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '')?.[1];
  if (header !== undefined) return header;
  const query = paramsOf(c).get('token');
  if (query !== null && kind === 'call') {
    throw failure.unauthorized(
      'A token in the address is for streams and downloads. Send it as Authorization: Bearer.',
    );
  }
  return query;
}

/** Whether the reader of a stream wants pages with their totals. */
export function acceptsPages(c: HonoContext): boolean {
  const wanted = withoutSpaces(PAGES_TYPE);
  return (c.req.header('accept') ?? '').split(',').some((type) => withoutSpaces(type) === wanted);
}

const withoutSpaces = (text: string): string => text.replaceAll(' ', '').toLowerCase();

/** The version in `If-Match`; null when there is none, or any will do. */
export function ifMatchOf(c: HonoContext): number | null {
  const header = c.req.header('if-match')?.trim();
  if (header === undefined || header === '*') return null;
  const version = /^(?:W\/)?"?(\d{1,15})"?$/.exec(header)?.[1];
  if (version === undefined) throw failure.rejected('The If-Match header must be the version of the object');
  return Number(version);
}

/** The parts of a request as its handler gets them, checked. */
export type Input = { params?: unknown; query?: unknown; body?: unknown };

type Schema = Parameters<typeof check>[0];

/**
 * Checks everything that a request says against its endpoint.
 * @throws {Failure} 422 with what is wrong in every part; 400 when the body is not JSON
 */
export function parseInput(c: HonoContext, endpoint: Endpoint, body: string): Input {
  const input: Input = {};
  const errors: Partial<Record<Segment, Problem[]>> = {};
  const take = (segment: Segment, schema: Schema, value: unknown): void => {
    const result = check(schema, value);
    if (result.ok) input[segment] = result.value;
    else errors[segment] = result.problems;
  };
  if (endpoint.params !== undefined) take('params', endpoint.params, c.req.param());
  if (endpoint.query !== undefined) take('query', endpoint.query, queryOf(c));
  if (endpoint.kind === 'call' && endpoint.body !== undefined) take('body', endpoint.body, valueOf(body));
  if (Object.keys(errors).length > 0) throw new Failure(422, 'Validation failed', { errors });
  return input;
}

/** What stands behind the `?`. Hono's own reader takes a time that grows with the square of what an attacker writes there. */
export const paramsOf = (c: HonoContext): URLSearchParams => new URL(c.req.url).searchParams;

/** The query without the token, which may stand there for clients that cannot send headers. What is repeated is a list. */
export function queryOf(c: HonoContext): Record<string, string | string[]> {
  const params = paramsOf(c);
  params.delete('token');
  const values = Map.groupBy(params, ([name]) => name);
  return Object.fromEntries(
    [...values].map(([name, [[, first] = ['', ''], ...others]]) => [
      name,
      others.length === 0 ? first : [first, ...others.map(([, value]) => value)],
    ]),
  );
}

function valueOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw failure.rejected('The body is not valid JSON');
  }
}

/** Most bytes that a body may have, by who sends it. */
export const BODY_MAX_BYTES = {
  admin: 1_000_000,
  api: 1_000_000,
  /** Lists of a thousand entries are a fraction of it. */
  node: 256_000,
  /** Anyone may send one, and it is held as long as its sender takes for the rest. */
  open: 16_000,
} as const;
/** How much more is taken in and thrown away: who is still sending reads no answer. */
const DRAIN_MAX_BYTES = 16_000_000;

/**
 * Takes in the whole body of a request.
 *
 * Hono's own limit answers at once, and the connection is then closed under a client that is still sending: it sees a
 * broken connection instead of the 413. So a body that is too long is read on, up to a bound, and not kept.
 * @throws {Failure} 413 when it is too long, 400 when it breaks off or is not text
 */
export async function readBody(request: Request, mostBytes: number): Promise<string> {
  // They have none, and to look for it would make a whole request of the light one that the server hands in.
  if (request.method === 'GET' || request.method === 'HEAD') return '';
  if (isShort(request, mostBytes)) return asText(await readWhole(request, mostBytes));
  return request.body === null ? '' : asText(await readParts(request.body, mostBytes));
}

/** Node lets no more come than was announced. */
function isShort({ headers }: Request, mostBytes: number): boolean {
  const announced = headers.get('content-length');
  return announced !== null && Number(announced) <= mostBytes;
}

/** At once, without a stream: that takes half of the time of a small request. */
async function readWhole(request: Request, mostBytes: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer().catch(brokeOff));
  if (bytes.byteLength > mostBytes) throw failure.tooLarge(mostBytes);
  return bytes;
}

async function readParts(body: ReadableStream<Uint8Array>, mostBytes: number): Promise<Uint8Array> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(brokeOff);
    if (done) break;
    bytes += value.byteLength;
    if (bytes <= mostBytes) kept.push(value);
    else kept.length = 0;
    if (bytes > DRAIN_MAX_BYTES) {
      await reader.cancel();
      break;
    }
  }
  if (bytes > mostBytes) throw failure.tooLarge(mostBytes);
  return Buffer.concat(kept);
}

/** The caller hung up: nothing that the gateway's log should call an error. */
function brokeOff(): never {
  throw failure.rejected('The body broke off');
}

function asText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw failure.rejected('The body is not valid JSON');
  }
}

type LoggedPair = (pair: string) => string;

const LOGGED_CHARS = 500;

/**
 * A URL as it may be logged: without its origin, of which the gateway behind nginx does not know whether it was https; `?token=` is for clients that cannot send headers, and may be spelled with escapes. Over HTTP/2
 * a long one is repeated with a few bytes.
 */
export function loggedUrl(url: string): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const logged = withPairs(path.slice(0, LOGGED_CHARS), withoutSharedTokens);
  return path.length > LOGGED_CHARS ? `${logged}…` : logged;
}

function withPairs(url: string, logged: LoggedPair): string {
  const begin = url.indexOf('?');
  if (begin < 0) return url;
  return `${url.slice(0, begin)}?${url
    .slice(begin + 1)
    .split('&')
    .map(logged)
    .join('&')}`;
}

const withoutToken: LoggedPair = (pair) => {
  const [[name] = ['']] = new URLSearchParams(pair);
  return name.toLowerCase() === 'token' ? 'token=[redacted]' : pair;
};

/** A shared stream is asked for by the addresses of others, a line each. */
const withoutSharedTokens: LoggedPair = (pair) => {
  const [[name, value] = ['', '']] = new URLSearchParams(pair);
  if (name !== 'of') return withoutToken(pair);
  const lines = value.split('\n').map((line) => withPairs(line, withoutToken));
  return `of=${encodeURIComponent(lines.join('\n'))}`;
};
