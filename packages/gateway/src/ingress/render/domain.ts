import { API_PATH, WELL_KNOWN } from '../../rules/domainName.ts';
import { type ConfigText, listenOn, quoted, serverName } from './configText.ts';
import type { CertificateFiles, DesiredDomain, RenderFault, RenderOptions } from './desiredState.ts';
import { writeErrorPages } from './pages.ts';
import { withholdFromCaches, withholdProofs, writeHsts, writeWholeName } from './responseHeaders.ts';
import { writeOnlyService, writeServices } from './locations.ts';
import { writeLogOfServices } from './log.ts';
import { CONSOLE_UPSTREAM, sharesOf, SIGN_IN_UPSTREAM } from './upstream.ts';
import type { ServicePlan } from './service.ts';
import type { Spellings } from './spellings.ts';
import { withholdSignIn, writeSignIn } from './signIn.ts';
import { writeProxyHeaders } from './proxyHeaders.ts';
import { SAID_HOST } from './visitedHost.ts';
import { writeCertificate } from './certificates.ts';
import { isFronted, sendPlainVisitsOn, visitedPort } from './trustedProxies.ts';

/** How many places nginx's tables of names have, a power of two. */
export const NAME_PLACES = 8192;
/** All names of one place must fit into 64 kB; some of it nginx needs itself. */
const MAX_PLACE_BYTES = 60_000;

/**
 * The domains that fit into nginx's tables. Names can be made to fall into one place, and if that is full, nginx refuses
 * all of the configuration. A node's names yield to those of the gateway.
 */
export function fittingDomains(domains: readonly DesiredDomain[], faults: RenderFault[]): DesiredDomain[] {
  const filled = new Map<number, number>();
  const crowded = new Set<DesiredDomain>();
  for (const domain of domains.toSorted((one, other) => rankOf(one) - rankOf(other))) {
    const { domain: name } = domain;
    const place = placeOf(name);
    // As nginx counts: a pointer, a length, the name, and what makes it whole words.
    const bytes = (filled.get(place) ?? 0) + 8 + Math.ceil((name.length + 2) / 8) * 8;
    if (bytes <= MAX_PLACE_BYTES) filled.set(place, bytes);
    else {
      crowded.add(domain);
      const reason = 'nginx has no room for its name next to others like it. Choose another name.';
      faults.push({ kind: 'domain', id: domain.id, reason, own: true });
    }
  }
  return domains.filter((domain) => !crowded.has(domain));
}

const rankOf = ({ users }: DesiredDomain): number => (users === 'gateway' ? 0 : 1);

/** Where nginx puts a name; as it divides by a power of two, the lower bits of its hash are enough. */
function placeOf(name: string): number {
  let place = 0;
  for (let index = 0; index < name.length; index += 1) place = (place * 31 + name.charCodeAt(index)) % NAME_PLACES;
  return place;
}

/** A domain's server with its services. @throws {UnquotableError} when the name cannot be one */
export function writeDomain(
  out: ConfigText,
  domain: DesiredDomain,
  plans: readonly ServicePlan[],
  spellings: Spellings,
  options: RenderOptions,
): void {
  const name = serverName(domain.domain);
  // A closed one may be closed because of its certificate.
  const certificate = domain.closed ? options.servicesCertificate : domain.certificate;
  out.owned('domain', domain.id, () => {
    writeServer(
      out,
      { name, certificate, options, suffix: '', signIn: domain.signIn && !domain.closed, hsts: domain.hsts },
      () => {
        out.line(`set $domain_id ${domain.id}`);
        sendPlainVisitsOn(out, options);
        if (plans.some(({ builtin }) => builtin)) writeConsoleLimits(out, options);
        if (domain.closed) out.block('location /', () => out.line('return 503'));
        else {
          writeWholeName(out, domain.users);
          withholdFromCaches(out, plans, { isFronted: isFronted(options), users: domain.users });
          withholdProofs(out, plans, domain.users);
          writeServices(out, plans, { split: domain.signIn, spellings, shared: domain.users === 'several' });
        }
      },
    );
  });
}

/** The server for every host that is no domain: the services without one. @param console null: it must be closed */
export function writeDefault(
  out: ConfigText,
  plans: readonly ServicePlan[],
  console: ServicePlan | null,
  spellings: Spellings,
  options: RenderOptions,
): void {
  const certificate = options.servicesCertificate;
  writeServer(out, { name: '_', certificate, options, suffix: ' default_server', signIn: false, hsts: null }, () => {
    // Here for all servers: the log has fields of them, and nginx knows a variable by its being set somewhere.
    out.line('set $domain_id ""');
    out.line('set $service_id ""');
    out.line('set $place ""');
    out.line('set $asked_service ""');
    out.line('set $node_share ""');
    out.line('set $for_visitor ""');
    writeLogOfServices(out, options.layout.accessLog);
    // No other name is the gateway's: it may be a node's as soon as a service brings it.
    out.block('if ($foreign_name)', () => out.line('return 421'));
    sendPlainVisitsOn(out, options);
    writeWholeName(out, 'several');
    withholdFromCaches(out, plans, { isFronted: isFronted(options), users: 'several' });
    out.block(`location ^~ ${WELL_KNOWN}/`, () => out.line('return 404'));
    if (options.wiredoorClients) writeWiredoorCalls(out, console, options);
    writeServices(out, plans, { split: false, spellings, shared: true });
  });
}

/**
 * What the command line of Wiredoor asks with a node's access token, and nothing else of the gateway: cookies are not passed on.
 * Anyone who may not reach the console may not call here either, as it was there. Nothing at or below this path is a service's, for
 * these clients check no certificate and send a password to another part of it.
 */
function writeWiredoorCalls(out: ConfigText, console: ServicePlan | null, options: RenderOptions): void {
  // Before the patterns of services, and behind what is named below.
  out.block(`location ~* "^${API_PATH}(?:[/;]|$)"`, () => out.line('return 404'));
  for (const head of [`location = ${API_PATH}/config`, `location ^~ ${API_PATH}/cli/`]) {
    out.block(head, () => {
      out.line('access_log off');
      out.line(`limit_conn console_address ${sharesOf(options.connections).consoleAddress}`);
      out.line('client_body_timeout 10s');
      // The gateway is told the path as it was sent, which may be another one than nginx reads, as `/api/cli%2fx/../`.
      out.block(`if ($request_uri !~ "^${API_PATH}/(?:config|cli/[a-z0-9/]*)(?:[?]|$)")`, () => out.line('return 404'));
      writeProxyHeaders(out, '""', { host: SAID_HOST });
      for (const variable of console?.outsiders ?? []) out.block(`if (${variable})`, () => out.line('return 403'));
      for (const directive of console?.body ?? ['return 503']) out.line(directive);
    });
  }
}

/** The console on its own port, and the way to the gateway. `plan` is null when its service must be closed. */
export function writeConsole(out: ConfigText, plan: ServicePlan | null, options: RenderOptions): void {
  // Each with a bound of its own: who fills the one keeps no one from the other.
  for (const upstream of [CONSOLE_UPSTREAM, SIGN_IN_UPSTREAM]) {
    out.block(`upstream ${upstream}`, () => {
      const { gateway } = sharesOf(options.connections);
      out.line(`server ${quoted(`unix:${options.layout.gatewaySocket}`)} max_conns=${gateway}`);
      // Each page of a service that asks for a sign-in takes one for a moment; a new one costs the gateway as much as
      // the answer, so as many are kept as visitors come at once.
      out.line('keepalive 128');
      // The gateway keeps idle ones for longer, so that no request meets a connection that is just closing.
      out.line('keepalive_timeout 60s');
    });
  }
  // Each stream of HTTP/2 counts. Each worker counts for itself, as for TCP services.
  // Who has one address of IPv6 has a network of them.
  out.block('map $binary_remote_addr $console_client', () => {
    out.line('default $binary_remote_addr');
    // As some proxies spell an address of IPv4: all of these are of one network of IPv6.
    if (options.trustedProxies.length > 0)
      out.line(String.raw`"~(?s)^\x00{10}\xff\xff(?<mapped_ipv4>.{4})\z" $mapped_ipv4`);
    out.line(String.raw`"~(?s)^(?<network_of_64>.{8}).{8}\z" $network_of_64`);
  });
  out.line('limit_conn_zone $pid:$console_client zone=console_address:4m');
  const { listen, ports, certificate } = options;
  out.block('server', () => {
    for (const host of listen) out.line(`listen ${listenOn(host, ports.console)} ssl http2 default_server`);
    writeCertificate(out, certificate);
    writeConsoleLimits(out, options);
    writeErrorPages(out);
    useHttpsPage(out);
    if (plan === null) out.block('location /', () => out.line('return 503'));
    else writeOnlyService(out, plan);
  });
}

/** What the console's servers, on its port and on its domain, have in common. */
function writeConsoleLimits(out: ConfigText, { connections }: RenderOptions): void {
  out.line('access_log off');
  // Pages of services on the same name, or below the same parent, can set cookies for the console: browsers keep 180 of 4 kB,
  // and send them as one line by HTTP/1.1, which has to fit into one buffer.
  out.line('large_client_header_buffers 1 768k');
  // Each request may keep that much, for 4 kB that HTTP/2 makes of it. All windows of a browser share one stream.
  out.line('http2_max_concurrent_streams 16');
  // Anybody can send it requests whose bodies never end, and each holds a connection to the gateway.
  out.line(`limit_conn console_address ${sharesOf(connections).consoleAddress}`);
  out.line('client_body_timeout 10s');
}

type Frame = {
  name: string;
  certificate: CertificateFiles;
  options: RenderOptions;
  suffix: string;
  signIn: boolean;
  hsts: number | null;
};

function writeServer(
  out: ConfigText,
  { name, certificate, options, suffix, signIn, hsts }: Frame,
  content: () => void,
): void {
  out.block('server', () => {
    for (const host of options.listen) {
      // Options of the socket itself may stand only once for each address.
      const address =
        suffix === '' ? listenOn(host, options.ports.https).split(' ')[0] : listenOn(host, options.ports.https);
      out.line(`listen ${address} ssl${isFronted(options) ? '' : ' http2'}${suffix}`);
    }
    out.line(`server_name ${name}`);
    writeCertificate(out, certificate);
    writeHsts(out, hsts);
    if (signIn) writeSignIn(out, hsts, visitedPort(options));
    else {
      writeErrorPages(out, {}, hsts);
      withholdSignIn(out);
    }
    useHttpsPage(out);
    content();
  });
}

/** Anyone who speaks plain HTTP to a port for HTTPS is shown the way. */
function useHttpsPage(out: ConfigText): void {
  out.line('error_page 497 =308 https://$redirect_host:$server_port$request_uri');
}
