import { createHash, randomBytes } from 'node:crypto';
import { createOpenRoutes } from './openRoutes.ts';
import { type Provider, ProviderError, type Visitor } from './provider.ts';
import { createFlows, type Flow, FLOW_SECONDS, returnPath } from './signInFlow.ts';
import type { DomainRow, VisitorSessionRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

export type SignInParts = {
  store: Pick<Store, 'visitorSessions' | 'domains' | 'httpServices' | 'write'>;
  /** Where visitors sign in now; null: nowhere. */
  provider(): Provider | null;
  now(): Date;
  /** The public address of a domain, without a path. */
  originOf(domain: string): string;
  /** A page of HTML; `code` stands above the title, null: nothing went wrong. */
  page(code: string | null, words: { title: string; text: string; link?: { href: string; label: string } }): string;
  /** Notes what an administrator should know. */
  failed(error: unknown): void;
};

/** Answers what nginx asks about visitors, and lets visitors sign in and out. */
export type SignIn = {
  /** Answers a request that reached `/.sallyport/` of a domain, or that needs a sign-in first. */
  fetch(request: Request, domainId: number): Promise<Response>;
};

const SESSION_COOKIE = '__Host-sallyport_visitor';
const SESSION_SECONDS = 12 * 60 * 60;
const TOKEN_BYTES = 32;
const PREFIX = '/.sallyport';
/** What a header can carry. */
const PRINTABLE = /^[\x21-\x7e]{1,320}$/;

export function createSignIn(parts: SignInParts): SignIn {
  const { store, now } = parts;
  const flows = createFlows(now);
  const openRoutes = createOpenRoutes();

  async function visitorOf(domainId: number, { headers }: Request): Promise<VisitorSessionRow | null> {
    const token = headers.get('x-sallyport-session') ?? '';
    if (token === '') return null;
    const session = await store.visitorSessions.find(hashOf(token));
    if (session === null || session.domainId !== domainId || !(Date.parse(session.expiresAt) > now().getTime())) {
      return null;
    }
    // What is saved now counts, not what was true when they signed in.
    const domain = await store.domains.get(domainId);
    return domain !== null && domain.authentication && isAllowed(domain, session.email) ? session : null;
  }

  /** nginx's question, before each request to a protected service. */
  async function check(request: Request, domainId: number): Promise<Response> {
    const visitor = parts.provider() === null ? null : await visitorOf(domainId, request);
    if (visitor === null) return new Response(null, { status: await withoutSignIn(domainId, request) });
    return new Response(null, {
      status: 204,
      headers: { 'x-auth-email': visitor.email, 'x-auth-user': visitor.subject },
    });
  }

  /** Whether a stranger may see the path, which nginx gives when it has one meaning alone. */
  async function withoutSignIn(domainId: number, { headers }: Request): Promise<204 | 401 | 503> {
    const path = decoded(headers.get('x-sallyport-path') ?? '');
    const serviceId = Number(headers.get('x-sallyport-service') ?? 0);
    if (path === null || !Number.isSafeInteger(serviceId) || serviceId < 1) return 401;
    const [domain, service] = await Promise.all([store.domains.get(domainId), store.httpServices.get(serviceId)]);
    if (domain === null || service === null || service.domain !== domain.domain) return 401;
    return ({ open: 204, guarded: 401, busy: 503 } as const)[openRoutes(service.skipAuthRoutes, path)];
  }

  function answer(status: number, title: string, text: string, link?: { href: string; label: string }): Response {
    return new Response(
      parts.page(status === 200 ? null : String(status), { title, text, ...(link !== undefined && { link }) }),
      {
        status,
        headers: {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        },
      },
    );
  }

  const redirect = (location: string, cookies: readonly string[] = []): Response => {
    const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    for (const cookie of cookies) headers.append('set-cookie', cookie);
    return new Response(null, { status: 302, headers });
  };

  const again = (wanted: string, label = 'Try again', asAnother = false) => ({
    href: `${PREFIX}/sign-in?to=${encodeURIComponent(wanted)}${asAnother ? '&amp;another=1' : ''}`,
    label,
  });

  /** What a visitor is told when the provider did not let them through. */
  function explain(error: unknown, wanted: string): Response {
    if (!(error instanceof ProviderError)) throw error;
    if (error.kind === 'refused') {
      return answer(403, 'Not signed in', 'The sign-in was cancelled or refused.', again(wanted));
    }
    const spent = 'This sign-in was used already, or took too long.';
    if (error.kind === 'spent') return answer(400, 'Not signed in', spent, again(wanted));
    parts.failed(error);
    return error.kind === 'unreachable'
      ? answer(
          503,
          'Sign-in is not possible',
          'The identity provider does not answer. Try again in a moment.',
          again(wanted),
        )
      : answer(400, 'Not signed in', 'The answer of the identity provider could not be used.', again(wanted));
  }

  /** Sends a visitor to the provider. */
  async function begin(request: Request, domain: DomainRow, wanted: string, asAnother = false): Promise<Response> {
    const provider = parts.provider();
    if (provider === null) return answer(503, 'Sign-in is not possible', 'No identity provider is set up.');
    const [nonce, verifier] = [token(), token()];
    // A new secret for each flow: one that the browser has already may have been put there by an attacker.
    // Pages of other sites can send a visitor here as often as they like. Browsers from before 2023 do not say who did.
    const mayReplace = ['same-origin', ''].includes(request.headers.get('sec-fetch-site') ?? '');
    const used = request.headers.get('x-sallyport-flows') ?? '';
    const slot = flows.slotFor({ used, mayReplace });
    if (slot === null) return signInFirst(wanted);
    const begun = flows.begin({ domainId: domain.id, wanted, nonce, verifier }, slot);
    try {
      const redirectUri = redirectUriOf(domain);
      const url = await provider.signInUrl({ redirectUri, state: begun.state, nonce, verifier, asAnother });
      return redirect(url, [cookie(begun.cookie, begun.secret, FLOW_SECONDS)]);
    } catch (error) {
      return explain(error, wanted);
    }
  }

  const redirectUriOf = ({ domain }: DomainRow): string => `${parts.originOf(domain)}${PREFIX}/callback`;

  /** Who asked for a page is sent to the provider; a script, a form or a WebSocket could not follow. */
  function needed(request: Request, domain: DomainRow, asked: string): Promise<Response> | Response {
    const method = request.headers.get('x-sallyport-method') ?? 'GET';
    const wanted = returnPath(asked);
    if ((method === 'GET' || method === 'HEAD') && isPage(request)) return begin(request, domain, wanted);
    return signInFirst(wanted);
  }

  const signInFirst = (wanted: string): Response =>
    answer(401, 'Sign in first', 'You are not signed in, or not any more.', again(wanted, 'Sign in'));

  async function finish(request: Request, domain: DomainRow, search: URLSearchParams): Promise<Response> {
    const state = search.get('state') ?? '';
    const finished = flows.finish(state, request.headers.get('x-sallyport-flow') ?? '');
    const flow = finished?.flow.domainId === domain.id ? finished.flow : null;
    const provider = parts.provider();
    if (provider === null || finished === null || flow === null || !finished.isBound) {
      const text = 'This sign-in was used already, took too long, or was begun in another browser.';
      return answer(400, 'Not signed in', text, again(flow?.wanted ?? '/', 'Begin again'));
    }
    const reply = await admit(request, domain, { asked: provider, flow, state, search });
    reply.headers.append('set-cookie', cookie(finished.cookie, '', 0));
    return reply;
  }

  /** Asks the provider whom its answer names; gives them a session if they may visit the domain. */
  async function admit(
    request: Request,
    domain: DomainRow,
    { asked, flow, state, search }: { asked: Provider; flow: Flow; state: string; search: URLSearchParams },
  ): Promise<Response> {
    const { wanted } = flow;
    let visitor: Visitor;
    try {
      const callback = new URL(`${redirectUriOf(domain)}?${search.toString()}`);
      visitor = await asked.identify(callback, { ...flow, state });
    } catch (error) {
      return explain(error, wanted);
    }
    const said = visitor.email ?? '';
    const email = said.toLowerCase();
    const other = again(wanted, 'Sign in as someone else', true);
    // As it was said: in lower case, a letter of another script may be one of these.
    if (!PRINTABLE.test(said) || !visitor.emailVerified) {
      const text = 'The identity provider does not vouch for your e-mail address. Have it verified there.';
      return answer(403, 'Not allowed', text, other);
    }
    const current = await store.domains.get(domain.id);
    if (current === null || !current.authentication || !isAllowed(current, email)) {
      return answer(403, 'Not allowed', `${escaped(email)} may not visit this service.`, other);
    }
    // Never the one that the browser sent: another site may have put it there.
    const session = token();
    const before = request.headers.get('x-sallyport-session') ?? '';
    const subject = PRINTABLE.test(visitor.subject) ? visitor.subject : encodeURIComponent(visitor.subject);
    const { value: isKept } = await store.write(async (tx) => {
      // Another provider counts since, and with it went the sessions of this one.
      if (parts.provider() !== asked) return false;
      await tx.visitorSessions.removeExpired();
      const expiresAt = new Date(now().getTime() + SESSION_SECONDS * 1000).toISOString();
      if (before !== '') await tx.visitorSessions.remove(hashOf(before));
      await tx.visitorSessions.create({ tokenHash: hashOf(session), domainId: domain.id, email, subject, expiresAt });
      return true;
    });
    if (!isKept) return explain(new ProviderError('spent', 'there is another provider'), wanted);
    return redirect(`${parts.originOf(domain.domain)}${wanted}`, [cookie(SESSION_COOKIE, session, SESSION_SECONDS)]);
  }

  async function end(request: Request): Promise<Response> {
    // Pages of other names below the same parent are `same-site`. `none` is an address that was typed, but also where
    // another site redirects anyone who typed its own.
    if (request.headers.get('sec-fetch-site') !== 'same-origin') {
      const link = { href: `${PREFIX}/sign-out`, label: 'Sign out' };
      return answer(400, 'Sign out?', 'Another site may have sent you here.', link);
    }
    const session = request.headers.get('x-sallyport-session') ?? '';
    if (session !== '') await store.write((tx) => tx.visitorSessions.remove(hashOf(session)));
    const text = 'You are signed out here. At the identity provider you may still be signed in.';
    const reply = answer(200, 'Signed out', text, again('/', 'Sign in again'));
    reply.headers.append('set-cookie', cookie(SESSION_COOKIE, '', 0));
    return reply;
  }

  return {
    async fetch(request, domainId) {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === `${PREFIX}/check`) return check(request, domainId);
      const domain = await store.domains.get(domainId);
      const gone = (): Response =>
        answer(404, 'Nothing here', 'The gateway works, but no service is open at this address.');
      if (domain === null || !domain.authentication) return gone();
      try {
        const asked = request.headers.get('x-sallyport-wanted') ?? '';
        if (asked !== '') return await needed(request, domain, asked);
        if (pathname === `${PREFIX}/callback`) return await finish(request, domain, searchParams);
        if (pathname === `${PREFIX}/sign-out`) return await end(request);
        if (pathname !== `${PREFIX}/sign-in`) return gone();
        const wanted = returnPath(searchParams.get('to'));
        const asAnother = searchParams.get('another') === '1';
        if (asAnother || (await visitorOf(domainId, request)) === null) {
          return isPage(request) ? await begin(request, domain, wanted, asAnother) : signInFirst(wanted);
        }
        return redirect(`${parts.originOf(domain.domain)}${wanted}`);
      } catch (error) {
        parts.failed(error);
        return answer(500, 'Something went wrong', 'The gateway could not sign you in. Try again in a moment.');
      }
    },
  };
}

/**
 * Whether a browser asks for a page that it shows in a window. A frame is none: a browser keeps the secrets of a few
 * sign-ins, and a page with many frames would have it forget the one that its visitor is at.
 */
const isPage = ({ headers }: Request): boolean =>
  (headers.get('sec-fetch-mode') || 'navigate') === 'navigate' &&
  (headers.get('sec-fetch-dest') || 'document') === 'document';

/** A path as it is meant; null: there is none. */
function decoded(path: string): string | null {
  try {
    return path === '' ? null : decodeURIComponent(path);
  } catch {
    return null;
  }
}

/** No list and an empty one allow every visitor; one that cannot be read allows none. */
function isAllowed({ allowedEmails }: DomainRow, email: string): boolean {
  if (allowedEmails === null) return true;
  if (!Array.isArray(allowedEmails)) return false;
  const emails: readonly unknown[] = allowedEmails;
  return (
    emails.length === 0 || emails.some((allowed) => typeof allowed === 'string' && allowed.toLowerCase() === email)
  );
}

const token = (): string => randomBytes(TOKEN_BYTES).toString('base64url');

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

const cookie = (name: string, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; HttpOnly; SameSite=Lax`;

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
