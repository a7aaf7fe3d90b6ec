import { getCookie } from 'hono/cookie';
import type { Context as HonoContext } from 'hono';
import type { Client } from '../handlers/context.ts';
import { SESSION_COOKIE } from '../handlers/session.ts';
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
    address: (connection.trusted ? headers.get('x-real-ip') : null) ?? connection.address,
    secure,
    // Few calls ask for it.
    get ownOrigin() {
      return originOf(`${secure ? 'https' : 'http'}://${headers.get('host') ?? new URL(url).host}`);
    },
    origin: headers.get('origin'),
    fetchSite: headers.get('sec-fetch-site'),
    cookieToken: getCookie(c, SESSION_COOKIE) ?? null,
    lastEventId: headers.get('last-event-id'),
  };
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'null';
}

/** Refuses what another site's page sends: it could sign an administrator in to an account of its choosing. */
export function refuseForeignPage(method: string, client: Client): void {
  if (method !== 'GET' && method !== 'HEAD' && client.origin !== null && client.origin !== client.ownOrigin) {
    throw failure.rejected('This call comes from a page of another site');
  }
}

/** The token of the `Authorization` header, else of the query. */
export function tokenOf(c: HonoContext): string | null {
  const header = /^bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '');
  return header?.[1] ?? c.req.query('token') ?? null;
}

/** The version in `If-Match`; null when there is none, or any will do. */
export function ifMatchOf(c: HonoContext): number | null {
  const header = c.req.header('if-match')?.trim();
  if (header === undefined || header === '*') return null;
  const version = /^(?:W\/)?"?(\d{1,15})"?$/.exec(header)?.[1];
  if (version === undefined) throw failure.rejected('The If-Match header must be the version of the object');
  return Number(version);
}
