import type { ConfigText } from './configText.ts';
import { IDENTITY_HEADERS } from './identityHeaders.ts';

/** The console's cookie, which no service may see: cookies know no ports. The console itself reads none. */
export const CONSOLE_COOKIE = 'sallyport_session';

/** By this header nginx tells the gateway which domain asks about a visitor; nobody else can set it. */
export const ASKING_DOMAIN = 'X-Sallyport-Domain';

// Nobody in front of the gateway is trusted, so whatever claims to know the visitor, the scheme or the path better is a
// forgery; X-Original-URL and X-Rewrite-URL would lead past the rules of the paths. `Proxy` would become HTTP_PROXY in
// CGI programs; HTTP2-Settings belongs to the upgrade to h2c, which is not passed on either.
const DROPPED = [
  'Forwarded',
  'X-Forwarded',
  'X-Forwarded-Server',
  'X-Forwarded-Scheme',
  'X-Forwarded-Ssl',
  'X-Forwarded-Prefix',
  'X-Forwarded-Protocol',
  'X-Url-Scheme',
  'Front-End-Https',
  'X-Original-For',
  'X-Original-Host',
  'X-Original-URL',
  'X-Rewrite-URL',
  'Proxy',
  'HTTP2-Settings',
  ASKING_DOMAIN,
  ...IDENTITY_HEADERS.filter((name) => !['x-auth-email', 'x-auth-user'].includes(name.toLowerCase())),
];

/** Who has signed in; only where somebody had to is there anything to say. */
const IDENTITY = ['X-Auth-Email', 'X-Auth-User'];

/** Found at once, before any pattern is tried: most requests have no cookie and ask for no upgrade. */
const NOTHING = '"" ""';

/** The variables that the headers to a backend are made of. */
export function writeHeaderVariables(out: ConfigText): void {
  // The host is the one that chose the server; of the visitor's own header only the port is kept, for redirects behind
  // a translated port.
  out.block('map $http_host $visited_port', () => {
    out.line(`"~^(?:\\[[0-9A-Fa-f:.]+\\]|[^:\\[\\]]+)(?<port_said>:[1-9][0-9]{0,4})$" $port_said`);
  });
  // h2c would open a channel past the rules of the paths. An empty Connection header is what keeps connections to
  // backends alive. Whatever else is asked for, looking finds.
  out.block('map $http_upgrade $passed_connection', () => {
    out.line(NOTHING);
    out.line('"~*h2c|http" ""');
    out.line('"~^(?<passed_upgrade>.+)$" upgrade');
  });
  // Most visitors do not have it; then nothing else is looked for.
  out.block('map $http_cookie $service_cookies', () => {
    out.line('default $http_cookie');
    out.line(NOTHING);
    out.line(`"~${CONSOLE_COOKIE}" $cookies_left`);
  });
  withoutCookie(out, '$http_cookie', '$cookies_once', 'a');
  withoutCookie(out, '$cookies_once', '$cookies_twice', 'b');
  // Somebody who sends it three times gets no cookie through at all.
  out.block('map $cookies_twice $cookies_left', () => {
    out.line('default $cookies_twice');
    out.line(NOTHING);
    out.line(`"~(?:^|;)\\s*${CONSOLE_COOKIE}\\s*=" ""`);
  });
}

/** One occurrence less: alone, first, last, or in between. */
function withoutCookie(out: ConfigText, source: string, target: string, tag: string): void {
  const pair = String.raw`${CONSOLE_COOKIE}\s*=[^;]*`;
  out.block(`map ${source} ${target}`, () => {
    out.line(`default ${source}`);
    out.line(NOTHING);
    out.line(`"~^\\s*${pair}$" ""`);
    out.line(`"~^\\s*${pair};\\s*(?<rest_${tag}>.*)$" $rest_${tag}`);
    out.line(`"~^(?<most_${tag}>.*);\\s*${pair}$" $most_${tag}`);
    out.line(`"~^(?<head_${tag}>.*?);\\s*${pair};\\s*(?<tail_${tag}>.*)$" "$head_${tag}; $tail_${tag}"`);
  });
}

/**
 * The headers that a backend gets. A level that sets one header inherits none, so they are set together.
 * @param cookies the cookies to pass on
 * @param identity what is said of who signed in
 */
export function writeProxyHeaders(
  out: ConfigText,
  cookies: '$service_cookies' | '$backend_cookies' | '""',
  identity: readonly string[] = IDENTITY.map((name) => `${name} ""`),
): void {
  const set = (name: string, value: string): void => out.line(`proxy_set_header ${name} ${value}`);
  // Those that look for something come before those that have what was found.
  // On which the visitor really arrived, whatever the request says.
  set('X-Forwarded-Port', '$server_port');
  set('Host', '$host$visited_port');
  set('X-Forwarded-Host', '$host$visited_port');
  set('Connection', '$passed_connection');
  set('Upgrade', '$passed_upgrade');
  set('Cookie', cookies);
  set('X-Real-IP', '$remote_addr');
  set('X-Forwarded-For', '$remote_addr');
  // Anyone who comes by plain HTTP is sent on to HTTPS.
  set('X-Forwarded-Proto', 'https');
  for (const header of identity) out.line(`proxy_set_header ${header}`);
  for (const name of DROPPED) set(name, '""');
}
