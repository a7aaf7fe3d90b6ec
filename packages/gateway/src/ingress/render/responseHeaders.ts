import { UnquotableError } from '../../rules/attempt.ts';
import { type ConfigText, pattern } from './configText.ts';
import { CERTIFICATE_PROOFS, isAtOrBelow, WELL_KNOWN } from '../../rules/domainName.ts';
import type { NginxLayout, Users } from './desiredState.ts';

/** By which a backend would tell nginx what to do. */
export const IGNORED_HEADERS = 'X-Accel-Redirect X-Accel-Limit-Rate X-Accel-Charset X-Accel-Expires';
/** What a node's backend may not ask for either: buffering keeps up to 256 kB of each answer that no one reads. */
export const IGNORED_OF_NODES = `${IGNORED_HEADERS} X-Accel-Buffering`;

const DAY_SECONDS = 86_400;
/** What a domain can promise, in seconds; 0 takes back what it promised. */
export const HSTS_SECONDS = [0, DAY_SECONDS, 7 * DAY_SECONDS, 30 * DAY_SECONDS, 365 * DAY_SECONDS] as const;

/**
 * The values of the header, once for all servers. Nothing is said over plain HTTP, and a backend that says something
 * itself is not contradicted: browsers take the first of two.
 */
export function writeHstsVariables(out: ConfigText): void {
  for (const seconds of HSTS_SECONDS) {
    out.block(`map "$https$upstream_http_strict_transport_security" $hsts_${seconds}`, () => {
      out.line(`on "max-age=${seconds}"`);
    });
  }
}

/** The header of a server, or of a location with headers of its own. @param seconds null: none */
export function writeHsts(out: ConfigText, seconds: number | null): void {
  if (seconds === null) return;
  if (!(HSTS_SECONDS as readonly number[]).includes(seconds)) throw new UnquotableError('It has no such time.');
  out.line(`add_header Strict-Transport-Security $hsts_${seconds} always`);
}

/** What begins sessions that a browser renews here before it asks any name below; whether for those, no header says. */
const OF_BOUND_SESSIONS = ['Secure-Session-Registration', 'Sec-Session-Registration'];

/**
 * What a backend's answer may not say on a name that services of several nodes share: browsers keep it for all of them,
 * and for the other ports of the name.
 */
const OF_A_WHOLE_NAME = [
  'Strict-Transport-Security',
  'Public-Key-Pins',
  'Public-Key-Pins-Report-Only',
  'Expect-CT',
  'Clear-Site-Data',
  'Service-Worker-Allowed',
  'Alt-Svc',
  'NEL',
  'Report-To',
  'Reporting-Endpoints',
  'Accept-CH',
  'Critical-CH',
  'Origin-Agent-Cluster',
  'Origin-Trial',
  'Set-Login',
  'IdP-SignIn-Status',
  'Shared-Storage-Write',
  'Attribution-Reporting-Register-Source',
  'Attribution-Reporting-Register-Trigger',
  'Use-As-Dictionary',
  // For a path that may be another node's next, whose requests a browser then sends without asking.
  'Access-Control-Max-Age',
  ...OF_BOUND_SESSIONS,
  'Secure-Session-Challenge',
  'Sec-Session-Challenge',
];

/** What one kind of cache in front heeds instead of `Cache-Control` (RFC 9213, and what was there before it). */
const OF_CACHES_IN_FRONT = [
  'CDN-Cache-Control',
  'Cloudflare-CDN-Cache-Control',
  'Netlify-CDN-Cache-Control',
  'Vercel-CDN-Cache-Control',
  'Akamai-Cache-Control',
  'Surrogate-Control',
  'Edge-Control',
  'X-LiteSpeed-Cache-Control',
];

/** What may say that it goes for the names below as well. */
const OF_NAMES_BELOW = ['NEL', 'Report-To'];

/** What a page may delete of its own origin alone; cookies are those of all domains next to it, too. */
const OF_ITS_ORIGIN = ['cache', 'storage', 'executionContexts', 'clientHints', 'prefetchCache', 'prerenderCache'];

/**
 * What asks for another protocol. nginx makes a tunnel of a connection where there is an `Upgrade`, also one alone, and also
 * an empty one, which none of its variables tells from none. A proxy in front passes that on and takes the answer for a whole
 * one: the next visitor's request would be the backend's.
 */
export function writeUpgradeVariables(out: ConfigText, { headersModule }: Pick<NginxLayout, 'headersModule'>): void {
  out.block('map $http_connection $asks_upgrade', () => out.line(String.raw`"~*(?:^|,)\s*upgrade\s*(?:,|$)" 1`));
  out.block('map "$http2$asks_upgrade:$http_upgrade" $half_upgrade', () => out.line('"~^:." 1'));
  if (headersModule === null) return;
  out.block('map $asks_upgrade $whole_upgrade', () => out.line('1 $http_upgrade'));
  // By nothing it is taken away.
  out.line('more_set_input_headers "Upgrade: $whole_upgrade"');
}

/** The variables of all servers where a node's services are. */
export function writeWholeNameVariables(out: ConfigText): void {
  out.block('map $upstream_http_clear_site_data $own_site_data', () => {
    out.line('"" ""');
    const kinds = OF_ITS_ORIGIN.join('|');
    out.line(`${pattern(`~^(?:[\\s,]*"(?:${kinds})")++[\\s,]*$`)} $upstream_http_clear_site_data`);
  });
  // For the name itself, not for those below it, which may be another node's.
  out.block('map $upstream_http_strict_transport_security $own_hsts', () => {
    out.line(String.raw`"~*max-age\s*=\s*\"?(?<own_hsts_age>\d+)" "max-age=$own_hsts_age"`);
  });
  // HTTP/2 knows no upgrade. nginx goes by what the client asked, whether a backend was told or not: it would write what one that
  // agrees says then between the frames of the client's other requests.
  out.block('map "$http2 $http_upgrade" $http2_upgrade', () => out.line('"~^h2c? ." 1'));
  // Browsers say with the header that they want a script as a service worker, which would answer for the paths of other
  // nodes, and go on when its service is gone.
  out.block('map "$http_service_worker$http2_upgrade" $beyond_path', () => {
    out.line('default 1');
    out.line('"" ""');
  });
  // The variable is empty but where a node behind the tunnel answers.
  out.block('map $node_share $caching_of_nodes', () => out.line('~. no-store'));
  for (const name of OF_NAMES_BELOW) {
    const variable = name.toLowerCase().replace('-', '_');
    out.block(`map $upstream_http_${variable} $own_${variable}`, () => {
      out.line(`default $upstream_http_${variable}`);
      // JSON may write any letter of it in another way, with a backslash.
      out.line(String.raw`"~*include_subdomains|\x5c" ""`);
    });
  }
}

/** Keeps the services of a server from speaking for all of its name, as far as it is not theirs alone. */
export function writeWholeName(out: ConfigText, users: Users): void {
  if (users === 'gateway') return;
  // A client that takes an answer below 200 for the last one must not ask the next service on this connection: on a name
  // that nodes share, or by a proxy in front, whose connections may be for all names.
  out.line('add_header Connection $unframed_connection always');
  out.block('if ($half_upgrade)', () => out.line('return 400'));
  if (users === 'node') {
    out.line('proxy_hide_header Clear-Site-Data');
    out.line('add_header Clear-Site-Data $own_site_data always');
    for (const name of ['Strict-Transport-Security', ...OF_NAMES_BELOW, ...OF_BOUND_SESSIONS])
      out.line(`proxy_hide_header ${name}`);
    out.line('add_header Strict-Transport-Security $own_hsts always');
    for (const name of OF_NAMES_BELOW)
      out.line(`add_header ${name} $own_${name.toLowerCase().replace('-', '_')} always`);
    return;
  }
  for (const name of OF_A_WHOLE_NAME) out.line(`proxy_hide_header ${name}`);
  // Whose path it is next would have what a browser kept of it, in its name. Next to a header of the backend's own it would be
  // within a quote that one leaves open (Firefox reads both as one).
  out.line('proxy_hide_header Cache-Control');
  out.line('add_header Cache-Control $caching_of_nodes always');
  // A script that was fetched as something else may not be taken for a service worker.
  out.line('add_header Vary Service-Worker always');
  out.block('if ($beyond_path)', () => out.line('return 403'));
}

/** What a service of the gateway's own machine says of its answers there. */
export const KEEPS_CACHING = 'proxy_pass_header Cache-Control';

/** Of what is not an answer for everybody: it asked for a sign-in, or a list. */
export const FOR_VISITOR = 'set $for_visitor 1';

/** The variable of all servers with such locations. */
export const writeCachingVariable = (out: ConfigText): void =>
  out.block('map $for_visitor $caching_for_visitor', () => out.line('~. private'));

/**
 * Keeps caches in front of the gateway from giving others what one visitor may see: the application does not know that it
 * is protected, and says nothing of it. Of two headers the stricter one counts (RFC 9111, section 4.2.1).
 */
export function withholdFromCaches(
  out: ConfigText,
  plans: readonly { guard: object | null; isListed: boolean }[],
  { isFronted, users }: { isFronted: boolean; users: Users },
): void {
  const isOpen = plans.every(({ guard, isListed }) => guard === null && !isListed);
  if (!isOpen || users === 'several') for (const name of OF_CACHES_IN_FRONT) out.line(`proxy_hide_header ${name}`);
  if (isOpen && !isFronted) return;
  out.line('add_header Cache-Control $caching_for_visitor always');
}

/**
 * Keeps a node's service from proving whose a name is by what it answers below its path; a service that stands at the
 * very path of a proof was put there for that.
 */
export function withholdProofs(
  out: ConfigText,
  plans: readonly { prefix: string; remoteNode: number | null }[],
  users: Users,
): void {
  const paths = users === 'several' ? [WELL_KNOWN, ...CERTIFICATE_PROOFS] : CERTIFICATE_PROOFS;
  for (const path of paths) {
    const [answering] = plans
      .filter(({ prefix }) => isAtOrBelow(path, prefix))
      .toSorted((one, other) => other.prefix.length - one.prefix.length);
    if (answering === undefined || answering.remoteNode === null || answering.prefix === path) continue;
    for (const place of [`= ${path}`, `^~ ${path}/`]) out.block(`location ${place}`, () => out.line('return 404'));
  }
}
