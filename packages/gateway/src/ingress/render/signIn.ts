import { type ConfigText, pattern } from './configText.ts';
import type { DesiredHttpService } from './desiredState.ts';
import { ASKING_DOMAIN, writeCookiesWithout, writeProxyHeaders } from './proxyHeaders.ts';
import { SIGN_IN_UPSTREAM } from './upstream.ts';
import { writeErrorPages } from './pages.ts';

/** Below this path of every domain with sign-in the gateway itself answers. */
export const SIGN_IN_PATH = '/.sallyport';

const CHECK = `${SIGN_IN_PATH}/check`;
const ASK = `${SIGN_IN_PATH}/ask`;
/**
 * What visitors may send where the gateway answers, which has no use for it: nginx reads a body that it does not pass on before
 * it asks, and writes what is longer to the disk.
 */
const BODY_MAX = '16k';

/**
 * What visitors may see of a protected service without signing in: locations within the service's own. Patterns are
 * none of it: the gateway matches them when it is asked about a visitor, in time that grows with the path alone.
 */
export type Guard = {
  /** The service's path itself, without a last slash, is one of them. */
  opensPrefix: boolean;
  locations: string[];
  /** Whether strangers may see anything at all. */
  opensSome: boolean;
};

/**
 * @param prefix the service's path without its last slash
 * @throws {UnquotableError} when a line cannot be written
 */
export function guardOf({ skipAuthRoutes }: Pick<DesiredHttpService, 'skipAuthRoutes'>, prefix: string): Guard {
  const lines = new Set((skipAuthRoutes ?? '').split('\n').filter((line) => line !== ''));
  // A path beyond the service's own is another service's, and not this one's to open.
  const paths = [...lines].filter((line) => line.startsWith(`${prefix}/`));
  return {
    opensPrefix: prefix !== '' && lines.has(prefix),
    locations: paths.map((path) => `= ${pattern(path)}`),
    opensSome: lines.size > 0,
  };
}

/** In place of a service: the visitor goes on, and the gateway is not asked. */
export const ASKS_NOTHING = '-';

/**
 * Visitors who have not signed in go no further. The gateway is asked; when it is silent, no visitor comes in.
 * @param service whose patterns may let strangers in, until the location says otherwise
 */
export function writeGuard(out: ConfigText, service: string): void {
  out.line(`set $asked_service ${service}`);
  out.line(`auth_request ${CHECK}`);
  out.line('auth_request_set $auth_email $upstream_http_x_auth_email');
  out.line('auth_request_set $auth_user $upstream_http_x_auth_user');
}

/** A way past the guard: what it matched must be what the backend sees, whatever it decodes, strips or joins. */
export function writePlainPathAlone(out: ConfigText): void {
  out.block('if ($plain_path = "")', () => out.line('return 400'));
}

/**
 * The ways past the guard below the service's own path.
 * @param writeAnswer writes what the service answers
 */
export function writeOpenRoutes(out: ConfigText, { locations }: Guard, writeAnswer: () => void): void {
  for (const location of locations) {
    out.block(`location ${location}`, () => {
      out.line('auth_request off');
      writePlainPathAlone(out);
      writeAnswer();
    });
  }
}

/** A server where no one signs in: what a service answered there, browsers could keep until someone does. */
export const withholdSignIn = (out: ConfigText): void =>
  out.block(`location ^~ ${SIGN_IN_PATH}/`, () => out.line('return 404'));

/**
 * A server whose services may ask for a sign-in: the ways to the gateway, and what backends learn of visitors.
 * @param port on which the visitor arrived
 */
export function writeSignIn(out: ConfigText, hsts: number | null, port: string): void {
  out.line('set $auth_email ""');
  out.line('set $auth_user ""');
  const identity = ['X-Auth-Email $auth_email', 'X-Auth-User $auth_user'];
  writeProxyHeaders(out, '$backend_cookies', { identity, port });
  writeErrorPages(out, { 500: 503 }, hsts);
  out.line('error_page 401 = @sign_in');
  // On the way from a 401 it is the second error.
  out.line('recursive_error_pages on');
  out.block(`location = ${CHECK}`, () => {
    out.line('internal');
    out.block(`if ($asked_service = ${ASKS_NOTHING})`, () => out.line('return 204'));
    writeQuestion(out, ['X-Sallyport-Service $asked_service', 'X-Sallyport-Path $asked_path'], '$trusted_session');
  });
  const asked = [
    'X-Sallyport-Flow $visitor_flow',
    `X-Sallyport-Flows "${FLOW_DIGITS.map((digit) => `$has_flow_${digit}`).join('')}"`,
    'X-Sallyport-Method $request_method',
    'Sec-Fetch-Mode $http_sec_fetch_mode',
    'Sec-Fetch-Dest $http_sec_fetch_dest',
    'Sec-Fetch-Site $http_sec_fetch_site',
  ];
  // In a location with a name nginx looks at no length.
  out.block('location @sign_in', () => out.line(`rewrite ^ ${ASK} last`));
  out.block(`location = ${ASK}`, () => {
    out.line('internal');
    writeSignInPages(out, [...asked, 'X-Sallyport-Wanted $wanted_uri']);
    out.line('proxy_method GET');
    out.line('error_page 413 =401 @error_page');
    // To visitors who ask for this very path.
    out.line('error_page 404 @error_page');
  });
  out.block(`location ^~ ${SIGN_IN_PATH}/`, () => writeSignInPages(out, asked));
}

/**
 * A gateway that hangs is not waited for: a visitor has an answer within five seconds. What the gateway itself does for
 * one, it does in less (`PROVIDER_MS` of the identity provider).
 */
function writeLimits(out: ConfigText): void {
  out.line('proxy_connect_timeout 2s');
  out.line('proxy_read_timeout 4500ms');
}

/** The gateway's own answers to visitors; where it gives none, they are told to try again. */
function writeSignInPages(out: ConfigText, headers: readonly string[]): void {
  writeQuestion(out, headers);
  out.line(`client_max_body_size ${BODY_MAX}`);
  out.line(`client_body_buffer_size ${BODY_MAX}`);
  out.line('error_page 500 502 503 504 =503 @error_page');
}

/** What the gateway needs to know, and nothing of what visitors send: their headers may be longer than it takes. */
function writeQuestion(out: ConfigText, headers: readonly string[], session = '$visitor_session'): void {
  writeLimits(out);
  out.line('proxy_pass_request_headers off');
  out.line('proxy_pass_request_body off');
  const common = ['Host $host', 'Connection ""', 'Content-Length ""', `X-Sallyport-Session ${session}`];
  for (const header of [...common, `${ASKING_DOMAIN} $domain_id`, ...headers]) out.line(`proxy_set_header ${header}`);
  out.line(`proxy_pass http://${SIGN_IN_UPSTREAM}`);
}

/** The cookie of a visitor who signed in, and those of sign-ins on their way: one for each digit. */
const SESSION_COOKIE = '__Host-sallyport_visitor';
const FLOW_COOKIE = '__Host-sallyport_flow';
const FLOW_DIGITS = ['0', '1', '2', '3'];
const FLOW_DIGIT = `[${FLOW_DIGITS.join('')}]`;
/** As many of these cookies can there be: one session and four sign-ins. */
const OWN_COOKIES = 5;
const WANTED_MAX_CHARS = 2000;
const ASKED_MAX_CHARS = 3000;

/** The variables of all servers with sign-in; nothing is worked out where none of them is used. */
export function writeSignInVariables(out: ConfigText): void {
  const end = String.raw`\s*(?:;|$)`;
  out.block('map $http_cookie $visitor_session', () => {
    const value = '(?<own_visitor_session>[A-Za-z0-9_-]{20,100})';
    out.line(`${pattern(`~(?:^|;)\\s*${SESSION_COOKIE}=${value}${end}`)} $own_visitor_session`);
  });
  // Below the same parent, pages of other names have the visitor's browser send the cookie, too, and read what a WebSocket
  // answers. They may lead a visitor here, and nothing else. `none` is an address that was typed, but also what a script of
  // any page has a browser fetch in the background, whose origin it then says. Browsers from before 2023, and some for
  // WebSockets, say where a request comes from by its origin alone.
  out.block(
    'map "$http_sec_fetch_site $http_sec_fetch_mode $request_method $http_origin $http_host" $trusted_session',
    () => {
      const from = (text: string) => out.line(`${pattern(`~^${text}`)} $visitor_session`);
      out.line('default ""');
      from('same-origin ');
      // Without an origin.
      from('(?:(?:[^ ]+ navigate|none [^ ]*) (?:GET|HEAD)|[ ][^ ]* [^ ]+)  ');
      from('(?:none)?[ ][^ ]* [^ ]+ https://(?<own_origin>[^ ]+) \\k{own_origin}$');
    },
  );
  // A `state` begins with the digit of the cookie that belongs to it.
  out.block('map "$arg_state $http_cookie" $visitor_flow', () => {
    const state = `(?<flow_digit>${FLOW_DIGIT})[A-Za-z0-9_-]+`;
    const found = String.raw`${FLOW_COOKIE}\k{flow_digit}=(?<own_visitor_flow>[A-Za-z0-9_-]{43})${end}`;
    out.line(`${pattern(String.raw`~^${state} (?:.*;)?\s*${found}`)} $own_visitor_flow`);
  });
  for (const digit of FLOW_DIGITS) {
    out.block(`map $http_cookie $has_flow_${digit}`, () =>
      out.line(`${pattern(`~(?:^|;)\\s*${FLOW_COOKIE}${digit}=`)} ${digit}`),
    );
  }
  // No backend may see a visitor's session: it would be good for the other services of the domain. Nor may one of a name that
  // asks for no sign-in at the moment: it may have, and will again.
  writeCookiesWithout(out, {
    cookie: `(?:${SESSION_COOKIE}|${FLOW_COOKIE}${FLOW_DIGIT})`,
    from: '$service_cookies',
    to: '$backend_cookies',
    most: OWN_COOKIES,
    tag: 'own_cookies',
  });
  out.block('map $request_uri $wanted_uri', () => {
    out.line('default /');
    out.line(`"~^(?<short_uri>/.{0,${WANTED_MAX_CHARS}})$" $short_uri`);
  });
  // Segments without parameters, none of them empty or of dots, no separator encoded: what it was matched with is what it is.
  const encoded = '%(?:2[0-2469a-d]|2[78]|3[ac-e]|4[0-9a-f]|5[0-9abd-f]|6[0-9a-f]|7[0-9a-e]|[89a-f][0-9a-f])';
  const notDots = String.raw`(?!\.{1,2}(?:[/?]|$))`;
  out.block('map $request_uri $plain_path', () => {
    out.line(
      `${pattern(`~*^(?<plain_text>(?:/${notDots}(?:[a-z0-9._~!$&()*+,=:@-]|${encoded})++)*+/?+)(?:[?]|$)`)} $plain_text`,
    );
  });
  // What patterns are matched with. The gateway takes no header of any length, and no longer path (`PATH_MAX_CHARS`).
  out.block('map $plain_path $asked_path', () => out.line(`"~^(?<asked_text>.{1,${ASKED_MAX_CHARS}})$" $asked_text`));
}
