import { type Endpoint, PAGES_TYPE } from '@sallyport/sdk/contract';
import type { Context as HonoContext } from 'hono';
import type { Client } from '../context.ts';
import { failure } from '../failure.ts';

/** How a request reached the gateway. */
export type Connection = {
  /** The other end of the connection. */
  address: string;
  /** It came through nginx, by the socket that nobody else can open: what nginx says of the visitor is true. */
  trusted: boolean;
};

/** Where a request comes from. The headers of a proxy count only where nobody but nginx can have written them. */
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
  const query = c.req.query('token') ?? null;
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
