import { type ConfigText, pattern } from './configText.ts';
import { TOLD_HOST } from './visitedHost.ts';

/**
 * By which proxies tell a backend who the visitor is, product by product. A backend that was set up for one of them
 * believes every sender, so none may come from a visitor. Where a product has a family of names, those that its
 * documentation names are here: nginx knows no wildcard. With underscores in place of dashes nginx drops them anyway.
 */
const BY_PRODUCT = {
  // https://oauth2-proxy.github.io/oauth2-proxy/configuration/overview (pass-user-headers, set-xauthrequest)
  oauth2Proxy: [
    ...family('X-Forwarded', 'User Email Groups Preferred-Username Access-Token Id-Token'),
    ...family('X-Auth-Request', 'User Email Groups Preferred-Username Access-Token User-Id Redirect Roles Name'),
    ...family('X', 'Access-Token Id-Token User Email'),
    'GAP-Auth',
  ],
  // https://www.authelia.com/integration/trusted-header-sso/introduction/ and
  // https://docs.pangolin.net/manage/access-control/forwarded-headers
  authelia: family('Remote', 'User Groups Email Name Role'),
  // https://docs.goauthentik.io/docs/add-secure-apps/providers/proxy/
  authentik: [
    ...family('X-authentik', 'username groups entitlements email name uid jwt'),
    ...family('X-authentik-meta', 'jwks outpost provider app version'),
  ],
  // https://httpd.apache.org/docs/2.4/mod/mod_ssl.html and the names that reverse proxies give REMOTE_USER
  remoteUser: [...family('X-Remote', 'User Group Groups Email Name'), 'X-Proxy-User'],
  // https://netboxlabs.com/docs/netbox/configuration/remote-authentication
  netbox: family('Remote-User', 'Group Email First-Name Last-Name'),
  // https://github.com/home-assistant/core/pull/88472
  homeAssistant: family('X-Remote-User', 'Id Name Display-Name'),
  // https://docs.sonarsource.com/sonarqube-server/instance-administration/authentication/http-header
  sonarQube: family('X-Forwarded', 'Login Name'),
  // https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy
  kubernetes: [...family('X-Remote', 'Uid Extra-Scopes'), ...family('Impersonate', 'User Group Uid')],
  // https://grafana.com/docs/grafana/latest/setup-grafana/configure-access/configure-authentication/auth-proxy/
  grafana: family('X-WEBAUTH', 'USER EMAIL NAME FULLNAME GROUPS ROLE'),
  // https://developers.cloudflare.com/cloudflare-one/identity/authorization-cookie/validating-json/
  cloudflare: [
    ...family('Cf-Access', 'Authenticated-User-Email Jwt-Assertion Client-Id Client-Secret'),
    ...family('CF', 'Connecting-IP Connecting-IPv6 Pseudo-IPv4 Visitor IPCountry'),
  ],
  // https://tailscale.com/kb/1312/serve#identity-headers
  tailscale: [
    ...family('Tailscale-User', 'Login Name Profile-Pic'),
    ...family('Tailscale', 'Headers-Info App-Capabilities'),
  ],
  // https://cloud.google.com/iap/docs/identity-howto
  google: family('X-Goog', 'Authenticated-User-Email Authenticated-User-Id IAP-JWT-Assertion'),
  // https://docs.aws.amazon.com/elasticloadbalancing/latest/application/listener-authenticate-users.html and mutual-authentication
  aws: [
    ...family('X-Amzn-Oidc', 'Data Identity Accesstoken'),
    'X-Amzn-Mtls-Clientcert',
    ...family('X-Amzn-Mtls-Clientcert', 'Serial-Number Issuer Subject Validity Leaf'),
  ],
  // https://learn.microsoft.com/azure/app-service/configure-authentication-user-identities
  azure: [
    'X-MS-CLIENT-PRINCIPAL',
    ...family('X-MS-CLIENT-PRINCIPAL', 'ID NAME IDP'),
    ...family('X', 'MS-TOKEN-AAD-ID-TOKEN MS-TOKEN-AAD-ACCESS-TOKEN ARR-ClientCert'),
  ],
  // https://www.pomerium.com/docs/reference/pass-identity-headers
  pomerium: family('X-Pomerium', 'Jwt-Assertion Claim-Email Claim-Groups Claim-User'),
  // https://goteleport.com/docs/enroll-resources/application-access/jwt/introduction/
  teleport: ['Teleport-Jwt-Assertion', ...family('X-Teleport', 'Username Roles')],
  // https://docs.konghq.com/hub/kong-inc/oauth2 (upstream headers), https://apisix.apache.org/docs/apisix/plugins/key-auth
  // (which spells one of them so) and https://apisix.apache.org/docs/apisix/plugins/openid-connect
  kong: [
    ...family('X-Consumer', 'ID Custom-ID Username Groups'),
    ...family('X-Credential', 'Identifier Indentifier Username'),
    ...family('X-Authenticated', 'Userid Scope Groups'),
    'X-Anonymous-Consumer',
    'X-Userinfo',
  ],
  // https://github.com/gogatekeeper/gatekeeper; its X-Auth-Token is also what clients of many applications send for themselves
  gatekeeper: family('X-Auth', 'Audience ExpiresIn Roles Subject Userid'),
  // https://docs.authcrunch.com/docs/authorize/headers
  authCrunch: ['X-Token-Subject', ...family('X-Token-User', 'Name Email Roles')],
  // https://www.ibm.com/docs/en/sva (client identity information across junctions)
  webSeal: family('iv', 'user user-l groups creds remote-address'),
  // https://github.com/thomseddon/traefik-forward-auth and https://vouch.github.io
  forwardAuth: [...family('X-Auth', 'User Email Username Groups Name'), 'X-Vouch-User'],
  // https://nginx.org/en/docs/http/ngx_http_ssl_module.html#variables, as ingress-nginx and HAProxy name them
  clientCertificate: [
    ...family('SSL-Client', 'Cert Verify Subject-DN Issuer-DN S-DN I-DN Serial Fingerprint SHA1'),
    ...family('X-SSL-Client', 'Cert Verify DN CN SHA1 Serial NotBefore NotAfter S-DN I-DN Subject Subject-DN'),
    ...family('X-SSL-Client', 'Issuer Issuer-DN Fingerprint'),
    ...family('X', 'SSL-Issuer SSL-Cert Client-Cert Client-Cert-Chain Client-Cert-DN Client-Cert-Verify'),
    'X-Client-Certificate',
    // RFC 9440
    ...family('Client', 'Cert Cert-Chain'),
    // https://www.envoyproxy.io/docs/envoy/latest/configuration/http/http_conn_man/headers and Traefik
    ...family('X-Forwarded', 'Client-Cert Tls-Client-Cert Tls-Client-Cert-Info'),
  ],
  // By which content delivery networks and load balancers name the visitor's address.
  address: [
    ...family('X', 'Client-IP Cluster-Client-IP Remote-Addr Remote-IP Originating-IP ProxyUser-IP'),
    ...family('X', 'Envoy-External-Address Azure-ClientIP Azure-SocketIP'),
    'Client-IP',
    'True-Client-IP',
    'Fastly-Client-IP',
    'Fly-Client-IP',
  ],
} satisfies Record<string, readonly string[]>;

function family(prefix: string, names: string): string[] {
  return names.split(' ').map((name) => `${prefix}-${name}`);
}

/** All of them, each once, as the names are compared: without regard to case. */
const IDENTITY_HEADERS: readonly string[] = [
  ...new Map(
    Object.values(BY_PRODUCT)
      .flat()
      .map((name) => [name.toLowerCase(), name]),
  ).values(),
];

/** The console's cookie, which no service may see: cookies know no ports. The console itself reads none. */
export const CONSOLE_COOKIE = 'sallyport_session';

/** By this header nginx tells the gateway which domain asks about a visitor; no one else can set it. */
export const ASKING_DOMAIN = 'X-Sallyport-Domain';

// No one in front of the gateway is trusted, so whatever claims to know the visitor, the scheme or the path better is a
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

/** Who has signed in; only where someone had to is there anything to say. */
const IDENTITY = ['X-Auth-Email', 'X-Auth-User'];

/** Found at once, before any pattern is tried: most requests have no cookie and ask for no upgrade. */
const NOTHING = '"" ""';

/** The variables that the headers to a backend are made of. */
export function writeHeaderVariables(out: ConfigText): void {
  // With these a backend takes the connection for the visitor's, and the next one on it would be them.
  out.block('map $http_authorization $kept_connection', () => {
    out.line(NOTHING);
    out.line(String.raw`"~*^\s*(?:ntlm|negotiate)" close`);
  });
  // h2c would open a channel past the rules of the paths, and HTTP/2 knows no upgrade. An empty Connection header is what
  // keeps connections to backends alive. Whatever else is asked for, looking finds.
  out.block('map $http2$http_upgrade $passed_connection', () => {
    out.line('"" $kept_connection');
    out.line('h2 $kept_connection');
    out.line('"~*^h2|h2c|http" $kept_connection');
    out.line('"~^(?<passed_upgrade>.+)$" upgrade');
  });
  // Most visitors have none of these; then nothing else is looked for.
  out.block('map $http_cookie $service_cookies', () => {
    out.line(UNLESS_MATCHED);
    out.line(NOTHING);
    out.line(`${pattern(`~*${DISGUISED}`)} ""`);
    out.line(`"~${CONSOLE_COOKIE}" $cookies_left`);
    out.line(`${ANYTHING} $http_cookie`);
  });
  writeCookiesWithout(out, {
    cookie: CONSOLE_COOKIE,
    from: '$http_cookie',
    to: '$cookies_left',
    most: 2,
    tag: 'cookies',
  });
}

/**
 * A pattern that takes too long is none that does not match: nginx gives up, and takes this. What is to pass anyway is
 * matched as well, as the last.
 */
const UNLESS_MATCHED = 'default ""';
const ANYTHING = '"~^"';

/**
 * What some backends read as the name of a cookie with such a prefix, which a page of another name cannot set. A prefix is
 * where a cookie begins, or none: browsers have nothing like it by chance. It goes over the cookies once.
 */
const DISGUISED = (() => {
  const underscore = String.raw`(?:[_.\x20+\[]|%(?:5f|2e|20|5b))`;
  const real = '(?:^|; ?)__(?:Host|Secure)-(*SKIP)(*FAIL)';
  // Behind blanks that are no ASCII, within a value (behind a blank, a comma or a quote), in what PHP makes `_` of, in `%48`.
  const spelled = `${underscore}{2}(?:${['Host-', 'Secure-'].map(inAnyLetters).join('|')})`;
  // Escapes have too many forms to list (`%u005f`, `%255f`, `%c1%9f`, `"\137"`), and other letters fold to these. So a name with
  // any escape passes only if it begins with a letter of any alphabet or a digit: backends read the rest as underscores, or strip it.
  const escape = String.raw`[%\\\x80-\xff]`;
  const first = String.raw`(?:%(?:[0-7u]|c[0-2]|e0%8|e2%80|e3%80%80|ef)|\\)`;
  const named = String.raw`(?:^|;)[\x20\t]*+(?:[^a-z0-9%=;\x80-\xff][^=;]*?${escape}|${first}|[\x80-\xff][^=;]*?[%\\])`;
  const name = String.raw`[^=;,\x22'\x20\t]*`;
  const inValue = String.raw`[,\x22'\x20\t](?:[^a-z0-9%=;,\x22'\x20\t]${name}?${escape}|${first})${name}[\x22']?=`;
  return [real, spelled, named, inValue].join('|');
})();

/** A pattern for an ASCII text of which any letter may be percent-encoded; case does not count. */
function inAnyLetters(text: string): string {
  const codes = (letter: string): string[] =>
    [...new Set([letter.toUpperCase(), letter.toLowerCase()])].map((each) => each.charCodeAt(0).toString(16));
  return Array.from(text, (letter) => `(?:${letter}|%(?:${codes(letter).join('|')}))`).join('');
}

/**
 * The variable `to` has the cookies of `from` without those of this name, a pattern. A client that sends it more often
 * than `most` gets no cookie through at all.
 */
export function writeCookiesWithout(
  out: ConfigText,
  { cookie, from, to, most, tag }: { cookie: string; from: string; to: string; most: number; tag: string },
): void {
  const pair = String.raw`${cookie}\s*=[^;]*`;
  let source = from;
  for (let turn = 1; turn <= most; turn += 1) {
    const left = `$${tag}_${turn}`;
    const [rest, head, tail] = ['rest', 'head', 'tail'].map((part) => `${tag}_${part}_${turn}`);
    out.block(`map ${source} ${left}`, () => {
      out.line(UNLESS_MATCHED);
      out.line(NOTHING);
      out.line(`${pattern(`~^\\s*${pair}$`)} ""`);
      out.line(`${pattern(`~^\\s*${pair};\\s*(?<${rest}>.*)$`)} $${rest}`);
      out.line(`${pattern(`~^(?<${head}>.*?)(?:;\\s*${pair})(?<${tail}>;.*)?$`)} $${head}$${tail}`);
      out.line(`${ANYTHING} ${source}`);
    });
    source = left;
  }
  out.block(`map ${source} ${to}`, () => {
    out.line(UNLESS_MATCHED);
    out.line(NOTHING);
    out.line(`${pattern(`~(?:^|;)\\s*${cookie}\\s*=`)} ""`);
    out.line(`${ANYTHING} ${source}`);
  });
}

/**
 * The headers that a backend gets. A level that sets one header inherits none, so they are set together.
 * @param cookies the cookies to pass on
 * @param said `identity`: what is said of who signed in; `port`: on which the visitor arrived; `host`: by which host
 */
export function writeProxyHeaders(
  out: ConfigText,
  cookies: '$backend_cookies' | '""',
  {
    identity = IDENTITY.map((name) => `${name} ""`),
    port = '$server_port',
    host = TOLD_HOST,
  }: { identity?: readonly string[]; port?: string; host?: string } = {},
): void {
  const set = (name: string, value: string): void => out.line(`proxy_set_header ${name} ${value}`);
  // Those that look for something come before those that have what was found.
  // On which the visitor really arrived, whatever the request says.
  set('X-Forwarded-Port', port);
  set('Host', host);
  set('X-Forwarded-Host', host);
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
