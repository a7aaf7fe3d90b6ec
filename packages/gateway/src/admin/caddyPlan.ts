import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { field } from '@sallyport/sdk/contract';
import type { Caddyfile, CaddySite, Directive } from './caddyfile.ts';
import { placeText } from './caddyfileTokens.ts';
import { nameOf, promisesHttps, protectionText } from './caddyDirectives.ts';
import { rootScope } from './caddyScope.ts';
import { type Found, type SiteFindings, walkSite } from './caddySite.ts';
import { CERTIFICATE_NOTE, hostNotes, HSTS_NOTE, HSTS_OFF_NOTE, type ImportPlan } from './importPlan.ts';

const PRODUCT = 'Caddy';
/** Global options that keep nothing from visitors. */
const HARMLESS_OPTIONS = new Set(
  'debug http_port https_port default_sni fallback_sni order storage storage_clean_interval renew_interval ocsp_interval ocsp_stapling admin persist_config log grace_period shutdown_delay auto_https email acme_ca acme_ca_root acme_eab acme_dns dns ech on_demand_tls key_type cert_issuer cert_lifetime local_certs skip_install_trust preferred_chains metrics servers pki events filesystem dynamic_dns'.split(
    ' ',
  ),
);
const HARMLESS_WRAPPERS = new Set(['tls', 'http_redirect', 'proxy_protocol']);

/** What the global options say. */
type Options = {
  ports: { http: string; https: string };
  trustsProxies: boolean;
  isInternal: boolean;
  closed: string | null;
};

/** The addresses of a site. */
type Addresses = {
  names: string[];
  patterns: string[];
  /** Why it is closed; null: it is not. */
  closed: string | null;
  isPlain: boolean;
};

/** What becomes of the sites of a Caddyfile. Nothing that is protected there is open here. */
export function planCaddy({ options: lines, sites }: Caddyfile): ImportPlan {
  const plan: ImportPlan = { domains: [], services: [], left: [] };
  const options = readOptions(lines, plan);
  const read = sites.map((site) => ({ site, addresses: readAddresses(site, options, plan) }));
  // A site of that very name has it, whatever others of many names do with it.
  const owners = new Map<string, CaddySite>();
  for (const { site, addresses } of read)
    for (const name of addresses.names) if (!owners.has(name)) owners.set(name, site);
  for (const { site, addresses } of read) {
    const { names, patterns, closed } = addresses;
    if (names.length + patterns.length === 0) continue;
    const root = rootScope(
      { names: names.filter((name) => owners.get(name) === site), patterns },
      options.closed ?? closed,
    );
    const findings = walkSite(site.directives, root, options);
    plan.left.push(...findings.left);
    const notes = [certificateNote(site, addresses, options), ...findings.notes];
    const places = new Map<string, Found>();
    for (const each of findings.found) {
      if (!owners.has(each.host)) owners.set(each.host, site);
      const place = `${each.host} ${each.path.toLowerCase()}`;
      const what = `https://${each.host}${each.path} (${placeText(each.at)})`;
      const other = places.get(place);
      if (owners.get(each.host) !== site) plan.left.push({ what, why: 'another site has the same name' });
      else if (other !== undefined) {
        plan.left.push({ what, why: `${placeText(other.at)} is for the same address` });
        // Which of the two is meant is not known, so the stricter one counts.
        other.closed ??= each.closed;
      } else if (findings.redirectedHosts.has(each.host))
        plan.left.push({ what, why: 'redirections are not served yet' });
      else places.set(place, each);
    }
    const hsts = promisesHttps(site.directives);
    for (const each of places.values()) {
      const before = plan.services.length;
      addService(plan, each, findings, notes);
      const domain = domainToASCII(each.host);
      if (plan.services.length === before || plan.domains.some((other) => other.domain === domain)) continue;
      plan.domains.push({ domain, hsts, pair: null, notes: [hsts ? HSTS_NOTE : HSTS_OFF_NOTE] });
    }
  }
  return plan;
}

function addService(
  { services, left }: ImportPlan,
  { host, path, backend, allowed, blocked, closed, notes, at }: Found,
  { closedHosts }: SiteFindings,
  siteNotes: readonly string[],
): void {
  const domain = domainToASCII(host);
  const what = `${host}${path === '/' ? '' : path}`;
  if (!field.domainName.safeParse(domain).success) {
    left.push({ what: `${what} (${placeText(at)})`, why: 'it is no name of a domain' });
    return;
  }
  services.push({
    kind: 'http',
    title: `https://${what} → ${backend.scheme}://${backend.host}:${backend.port} (${placeText(at)})`,
    body: {
      name: what.slice(0, 200),
      domain,
      pathLocation: path,
      backendProto: backend.scheme,
      backendHost: backend.host,
      backendPort: backend.port,
      allowedIps: allowed,
      blockedIps: blocked,
    },
    closed: closed ?? closedHosts.get(host) ?? closedHosts.get('*') ?? null,
    notes: [...hostNotes(backend.host, PRODUCT), ...notes, ...(path === '/' ? siteNotes : [])],
  });
}

function readOptions(lines: readonly Directive[], plan: ImportPlan): Options {
  const valueOf = (name: string, otherwise: string): string =>
    lines.find((line) => nameOf(line) === name)?.words[1]?.text ?? otherwise;
  const servers = lines.flatMap((line) => (nameOf(line) === 'servers' ? (line.block ?? []) : []));
  const wrappers = servers.flatMap((line) => (nameOf(line) === 'listener_wrappers' ? (line.block ?? []) : []));
  const others = [
    ...lines.filter((line) => !HARMLESS_OPTIONS.has(nameOf(line))),
    ...wrappers.filter((line) => !HARMLESS_WRAPPERS.has(nameOf(line))),
  ];
  for (const line of lines.filter((each) => nameOf(each) === 'layer4')) {
    plan.left.push({ what: `layer4 (${placeText(line.at)})`, why: 'make TCP and UDP services of it by hand' });
  }
  return {
    ports: { http: valueOf('http_port', '80'), https: valueOf('https_port', '443') },
    trustsProxies: servers.some((line) => ['trusted_proxies', 'client_ip_headers'].includes(nameOf(line))),
    isInternal: lines.some((line) => nameOf(line) === 'local_certs'),
    closed: others.map(protectionText).find((why) => why !== null) ?? null,
  };
}

/** The names by which visitors come to a site; there may be none. */
function readAddresses({ addresses, directives }: CaddySite, { ports }: Options, plan: ImportPlan): Addresses {
  const read: Addresses = { names: [], patterns: [], closed: null, isPlain: false };
  const [first = directives[0]?.words[0]] = addresses;
  if (addresses.length === 0 && first !== undefined && directives[0] !== undefined) {
    plan.left.push({ what: first.text, why: protectionText(directives[0]) ?? 'it is no site' });
  }
  for (const token of addresses) {
    const leave = (why: string): void => void plan.left.push({ what: `${token.text} (${placeText(token.at)})`, why });
    const [, scheme = '', host = '', port, path = ''] =
      /^(?:(https?):\/\/)?([^/:]*|\[[^\]/]*\])(?::(\d{1,5}))?(\/.*)?$/.exec(token.text) ?? [];
    const name = host.toLowerCase();
    if (/^&?\(/.test(token.text)) continue;
    if (token.text.includes('{$'))
      leave('it has no value here: name what Caddy has as its environment with --env-file');
    else if (path !== '') leave('Caddy itself takes no path in an address');
    else if (name === '' && (scheme !== '' || port !== undefined)) read.patterns.push('*');
    else if (/^\*\.[^*]+$/.test(name)) read.patterns.push(name);
    else if (name === 'localhost' || isIP(name.replaceAll(/[[\]]/g, '')) !== 0)
      leave('only its own machine or network knows it by that address');
    else if (!field.domainName.safeParse(domainToASCII(name)).success) leave('it is no name of a domain');
    else read.names.push(name);
    if (port !== undefined && ![ports.http, ports.https].includes(port)) {
      read.closed ??= `${placeText(token.at)}: it is served at port ${port} there, which may not be open to all; here it would be`;
    }
    read.isPlain ||= scheme === 'http' || port === ports.http;
  }
  return read;
}

function certificateNote({ directives }: CaddySite, { isPlain }: Addresses, { isInternal }: Options): string {
  if (isPlain) return 'it had no certificate: visitors are led to HTTPS, with a self-signed one';
  const [, first, second] = directives.find((line) => nameOf(line) === 'tls')?.words ?? [];
  if (isInternal || first?.text === 'internal') return 'its certificate is self-signed, as there';
  return second === undefined ? CERTIFICATE_NOTE : `its certificate in files is not taken in: ${CERTIFICATE_NOTE}`;
}
