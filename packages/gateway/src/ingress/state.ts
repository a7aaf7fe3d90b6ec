import { isIP } from 'node:net';
import type { ObjectKind } from '../world.ts';
import { nameAt } from './backendNames.ts';
import type { TunnelView } from '../tunnel/reconcile.ts';
import { type Backend, type BackendFacts, findBackend, leadsBack, proxyLoopsIn, resolverOf } from './backends.ts';
import type {
  CertificateFiles,
  DesiredHttpService,
  DesiredState,
  DesiredTcpService,
  Users,
} from './render/desiredState.ts';
import type { DomainRow, HttpServiceRow, NodeRow, TcpServiceRow } from '../store/rows.ts';
import { pathKey } from '../store/tables.ts';
import type { Desired } from '../store/store.ts';
import { bypassProblem } from '../rules/bypassPatterns.ts';
import { isOwnName, OWN_NAME_PROBLEM } from '../rules/domainName.ts';

/** What the gateway found out about the rows. */
export type Facts = BackendFacts & {
  now: Date;
  /** By domain name; a reason in words where there is none. */
  certificates: ReadonlyMap<string, CertificateFiles | { problem: string }>;
  /** The TCP ports on which this gateway and its nginx listen, those of services left out. */
  ownPorts: ReadonlySet<number>;
  /** The ports that TCP and UDP services may have, both ends included. */
  tcpPorts: { from: number; to: number };
  /** Whether a node was never there: its services need not be waited for. */
  neverConnected(nodeId: number): boolean;
  /** For how many seconds a domain promises to be reached by HTTPS alone; null: nothing is said of it. */
  hstsOf(domainId: number): number | null;
  /** Whether this nginx can serve TCP and UDP. */
  hasStream: boolean;
  /** Why visitors cannot be asked to sign in; null: they can. */
  signInProblem: string | null;
  /** As `patternProblems` found them. */
  patternProblems: PatternProblems;
  /** Why an object that is enabled cannot be served. */
  blame(kind: ObjectKind, id: number, problem: string): void;
};

/** Why the patterns of a service cannot be used, by their text; null: they can. */
export type PatternProblems = ReadonlyMap<string, string | null>;

type ServiceRow = HttpServiceRow | TcpServiceRow;

/** Why this nginx cannot serve TCP and UDP, and what helps: in the same words for the gateway as a whole. */
export const NO_STREAM = {
  reason: 'This nginx has no stream module.',
  fix: 'Install it (on Debian and Ubuntu: apt-get install libnginx-mod-stream), then start the gateway again.',
};

/** The hosts that the open services of the local node lead to, and the names that those behind gateway nodes do. */
export function backendHosts(
  { nodes, httpServices, tcpServices }: Desired,
  now: Date,
  tunnel: Pick<TunnelView, 'status' | 'subnets'>,
): Set<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return new Set(
    [...httpServices.filter(({ builtin }) => !builtin), ...tcpServices].flatMap((row) => {
      const { backendHost: host } = row;
      const node = byId.get(row.nodeId);
      if (!isOpen(row, now) || node === undefined || typeof host !== 'string') return [];
      if (node.isLocal) return [host];
      const subnets = tunnel.status.available ? tunnel.subnets.get(node.id) : undefined;
      if (!node.isGateway || isIP(host) !== 0 || subnets === undefined) return [];
      const server = resolverOf(node, subnets);
      return server === null ? [] : [nameAt(host, server)];
    }),
  );
}

/**
 * Reads the patterns of the services that ask for a sign-in.
 * @param known what the last call found: to read one takes up to 15 ms, and a node's token may make hundreds
 */
export function patternProblems(services: readonly HttpServiceRow[], known: PatternProblems): PatternProblems {
  const texts = services.flatMap(({ enabled, requireAuth, skipAuthRoutes }) =>
    enabled && requireAuth && skipAuthRoutes ? [skipAuthRoutes] : [],
  );
  const read = (text: string) => (known.has(text) ? (known.get(text) ?? null) : bypassProblem(text));
  return new Map(texts.map((text) => [text, read(text)]));
}

/** Why such a domain is not served, in a sentence. */
export const OWN_NAME_REASON = `${OWN_NAME_PROBLEM}. Its services are served without a domain: save them so, then delete it.`;

/** Why a service of such a domain is not served even without one. */
export const OWN_PATH_REASON =
  'Its domain is a name of the gateway by now, and its path belongs to services of others there, so it is closed. Choose another path or domain.';

/**
 * The rows without the domains that are names of the gateway itself: as such they would take down every service without
 * a domain. None is made any more, but an older gateway may have left one, and the gateway's names may change. Their
 * services are served without a domain: those of the gateway's own machine before all of nodes, those of nodes last.
 * @returns `outside`: the ids of services of nodes that are to be closed, for their nodes could not have these paths on
 * the gateway's names; those whose very path another one has are left out of `desired` as well
 */
export function withoutOwnNames(
  desired: Desired,
  hostNames: readonly string[],
): { desired: Desired; ownDomains: readonly DomainRow[]; outside: ReadonlySet<number> } {
  const ownDomains = desired.domains.filter(({ domain }) => isOwnName(domain, hostNames));
  if (ownDomains.length === 0) return { desired, ownDomains, outside: new Set() };
  const names = new Set(ownDomains.map(({ domain }) => domain));
  const local = new Set(desired.nodes.flatMap(({ id, isLocal }) => (isLocal ? [id] : [])));
  const isNamed = ({ domain }: { domain: string | null }) => domain !== null && names.has(domain);
  const inOrder = <Row extends HttpServiceRow | TcpServiceRow>(rows: readonly Row[]): Row[] => {
    const rank = (row: Row): number => (isNamed(row) ? 1 : 0) + (local.has(row.nodeId) ? 0 : 2);
    return rows.toSorted((left, right) => rank(left) - rank(right));
  };
  const httpServices = inOrder(desired.httpServices);
  const { closed, taken } = preparedPaths(httpServices, (row) => isNamed(row) && !local.has(row.nodeId), isNamed);
  const unnamed = <Row extends { domain: string | null }>(row: Row): Row =>
    isNamed(row) ? { ...row, domain: null } : row;
  return {
    ownDomains,
    outside: new Set([...closed, ...taken]),
    desired: {
      ...desired,
      domains: desired.domains.filter(({ domain }) => !names.has(domain)),
      httpServices: httpServices.filter(({ id }) => !taken.has(id)).map(unnamed),
      tcpServices: inOrder(desired.tcpServices).map(unnamed),
    },
  };
}

/** With these HTTP services closed. */
export const withClosed = (state: DesiredState, ids: ReadonlySet<number>): DesiredState => ({
  ...state,
  httpServices: state.httpServices.map((service) => (ids.has(service.id) ? { ...service, closed: true } : service)),
});

/**
 * The services of nodes under such a name whose path is below or above one of someone else who had another name, or none
 * (`closed`), or that very one (`taken`): the rule of `api/domain/use.ts`. No matter who was first, neither gets the visitors of
 * the other. What stood together on one domain goes on doing so.
 * @param services the first ones have their paths
 */
function preparedPaths(
  services: readonly HttpServiceRow[],
  isJudged: (row: HttpServiceRow) => boolean,
  isNamed: (row: HttpServiceRow) => boolean,
): Record<'closed' | 'taken', ReadonlySet<number>> {
  const at = new Map<string, HttpServiceRow[]>();
  const below = new Map<string, HttpServiceRow[]>();
  const [closed, taken] = [new Set<number>(), new Set<number>()];
  const add = (to: typeof at, path: string, row: HttpServiceRow): void => {
    const rows = to.get(path);
    if (rows === undefined) to.set(path, [row]);
    else rows.push(row);
  };
  for (const row of services.filter((each) => !each.builtin && (each.domain === null || isNamed(each)))) {
    const path = pathKey(row.pathLocation);
    const above = prefixesOf(path);
    const isOthers = ({ nodeId, domain }: HttpServiceRow): boolean => nodeId !== row.nodeId && domain !== row.domain;
    const near = [...above.flatMap((each) => at.get(each) ?? []), ...(path === '/' ? [] : (below.get(path) ?? []))];
    if (isJudged(row) && near.some(isOthers)) (at.get(path)?.some(isOthers) ? taken : closed).add(row.id);
    add(at, path, row);
    for (const each of above) add(below, each, row);
  }
  return { closed, taken };
}

/** A path that ends with a slash, and all above it. */
const prefixesOf = (path: string): string[] => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index + 1));

/** The rows as nginx is to serve them. */
export function ingressState(desired: Desired, facts: Facts): DesiredState {
  const nodes = new Map(desired.nodes.map((node) => [node.id, node]));
  const usersOf = namesUsers(desired);
  const domains = desired.domains.flatMap((row) => {
    const { id, domain, authentication } = row;
    const signIn = authentication && facts.signInProblem === null;
    const certificate = facts.certificates.get(domain);
    if (certificate === undefined) return [];
    if (!('problem' in certificate)) {
      return [{ id, domain, certificate, closed: false, signIn, hsts: facts.hstsOf(id), users: usersOf(row) }];
    }
    facts.blame('domain', id, certificate.problem);
    // The files are those of the gateway itself as long as it is closed.
    const none = { certificate: '', key: '' };
    return [{ id, domain, certificate: none, closed: true, signIn, hsts: null, users: usersOf(row) }];
  });
  const authenticated = new Set(desired.domains.flatMap((row) => (row.authentication ? [row.domain] : [])));
  const httpServices = desired.httpServices.map((row) =>
    httpService(row, nodes.get(row.nodeId), { ...facts, authenticated }),
  );
  const consoleDomain = desired.httpServices.find(({ builtin }) => builtin)?.domain ?? null;
  const tcpServices = desired.tcpServices.map((row) =>
    tcpService(row, nodes.get(row.nodeId), { ...facts, authenticated, consoleDomain }),
  );
  return { domains, httpServices, tcpServices: withoutCircles(tcpServices, facts) };
}

/**
 * Tells whose the services of a domain are. A node that may put some there counts as well: what a browser has kept for
 * the name is still there when others come.
 */
function namesUsers({ nodes, httpServices, tcpServices }: Desired): (row: DomainRow) => Users {
  const local = new Set(nodes.flatMap(({ id, isLocal }) => (isLocal ? [id] : [])));
  const byDomain = Map.groupBy([...httpServices, ...tcpServices], ({ domain }) => domain);
  return ({ domain, allowedNodes }) => {
    const services = byDomain.get(domain) ?? [];
    const users = new Set([
      ...services.map(({ nodeId }) => nodeId),
      ...(Array.isArray(allowedNodes) ? allowedNodes : []),
    ]);
    if (users.size > 1) return 'several';
    return [...users].every((id) => local.has(id)) ? 'gateway' : 'node';
  };
}

/** A time to live ends also while the gateway is down; one that cannot be read has ended. */
function isOpen({ enabled, expiresAt }: ServiceRow, now: Date): boolean {
  return enabled && (expiresAt === null || Date.parse(expiresAt) > now.getTime());
}

const placeOf = (backend: Backend): Pick<DesiredHttpService, 'addresses' | 'sourceAddress'> =>
  'addresses' in backend
    ? { addresses: backend.addresses, sourceAddress: backend.sourceAddress ?? null }
    : { addresses: [], sourceAddress: null };

/** Null: there is none, or it can be read. */
function expiryProblem({ enabled, expiresAt }: ServiceRow): string | null {
  if (!enabled || expiresAt === null || !Number.isNaN(Date.parse(expiresAt))) return null;
  return 'Its time to live cannot be read, so it is closed. Enable it again, or give it a new time to live.';
}

/** The facts, and the domains that have authentication. */
type WithAuthenticated = Facts & { authenticated: ReadonlySet<string> };

function httpService(row: HttpServiceRow, node: NodeRow | undefined, facts: WithAuthenticated): DesiredHttpService {
  const enabled = isOpen(row, facts.now);
  const isConsole = row.builtin && damageOf(row) === null;
  const backend: Backend = enabled && !isConsole ? findHttpBackend(row, node, facts) : { addresses: [] };
  const open = 'addresses' in backend;
  const problem = expiryProblem(row) ?? (open ? patternProblem(row, facts) : backend.problem);
  if (problem !== null) facts.blame('httpService', row.id, problem);
  // Nothing answers there; a visitor would be told so only after ten seconds.
  const closed = !open || (enabled && !isConsole && facts.neverConnected(row.nodeId));
  // There is one console at most, and no other row may pass for it.
  const sound = row.builtin && !isConsole ? { ...row, builtin: false } : row;
  const remoteNode = node === undefined || node.isLocal ? null : node.id;
  return { ...sound, enabled, closed, remoteNode, ...placeOf(backend) };
}

/** A pattern that cannot be used opens nothing: visitors sign in there, too. */
function patternProblem(row: HttpServiceRow, facts: Facts): string | null {
  if (!row.enabled || !row.requireAuth || !row.skipAuthRoutes) return null;
  const reason = facts.patternProblems.get(row.skipAuthRoutes) ?? null;
  return reason === null ? null : `${reason} Until it is changed, visitors must sign in there, too.`;
}

/** A flag or a choice that cannot be read may mean either, so the service is closed. */
function damageOf(row: HttpServiceRow | TcpServiceRow): string | null {
  const isFlag = (value: unknown): boolean => typeof value === 'boolean';
  const isOne = (value: unknown, ...choices: string[]): boolean => choices.some((choice) => choice === value);
  const sound: Record<string, boolean> =
    'builtin' in row
      ? {
          enabled: isFlag(row.enabled),
          builtin: isFlag(row.builtin),
          requireAuth: isFlag(row.requireAuth),
          skipAuthRoutes: row.skipAuthRoutes === null || typeof row.skipAuthRoutes === 'string',
          backendProto: isOne(row.backendProto, 'http', 'https'),
        }
      : { enabled: isFlag(row.enabled), ssl: isFlag(row.ssl), proto: isOne(row.proto, 'tcp', 'udp') };
  const damaged = Object.keys(sound).filter((column) => sound[column] === false);
  if (damaged.length === 0) return null;
  return `Its row in the database is damaged (${damaged.join(', ')}), so it is closed. Edit it and save it again.`;
}

function findHttpBackend(row: HttpServiceRow, node: NodeRow | undefined, facts: WithAuthenticated): Backend {
  const problem = damageOf(row) ?? signInProblem(row, facts);
  if (problem !== null) return { problem };
  return findBackend(row, node, facts, facts.ownPorts);
}

/** Why no one can sign in to a service that asks for it; its content is shown to no one then. */
function signInProblem({ requireAuth, domain }: HttpServiceRow, facts: WithAuthenticated): string | null {
  if (!requireAuth) return null;
  if (domain === null || !facts.authenticated.has(domain)) {
    const where = domain === null ? 'it has no domain' : `authentication is not enabled for its domain ${domain}`;
    return `It asks visitors to sign in, but ${where}, so it is closed. Enable it there, or ask for no sign-in.`;
  }
  return facts.signInProblem === null ? null : `It asks visitors to sign in, so it is closed. ${facts.signInProblem}`;
}

/** The facts, and the domain that is the console's. */
type TcpFacts = WithAuthenticated & { consoleDomain: string | null };

function tcpService(row: TcpServiceRow, node: NodeRow | undefined, facts: TcpFacts): DesiredTcpService {
  const enabled = isOpen(row, facts.now);
  const backend: Backend = enabled ? findTcpBackend(row, node, facts) : { addresses: [] };
  const open = 'addresses' in backend;
  const problem = expiryProblem(row) ?? (open ? null : backend.problem);
  if (problem !== null) facts.blame('tcpService', row.id, problem);
  // A connection is refused at once instead of after ten seconds.
  const closed = !open || (enabled && facts.neverConnected(row.nodeId));
  return { ...row, enabled, closed, ...placeOf(backend) };
}

/** The packet filter guards the ports of the setting, which may have been another one when the service got its port. */
function portProblem({ port }: TcpServiceRow, { tcpPorts: { from, to } }: TcpFacts): string | null {
  // One that is no port at all is refused where it is written.
  const isPort = port >= 1 && port <= 65_535;
  if (!isPort || (port >= from && port <= to)) return null;
  return `Its port ${port} is outside of ${from} to ${to}, so it is closed. Choose another port, or change SALLYPORT_TCP_PORTS.`;
}

/** Cookies know no ports, so a port with the domain's certificate would be sent what its visitors' browsers keep. */
function tlsProblem({ ssl, domain }: TcpServiceRow, { authenticated, consoleDomain }: TcpFacts): string | null {
  if (!ssl || domain === null) return null;
  if (domain === consoleDomain) {
    return "It ends TLS under the console's own domain, so it is closed. Give it another domain, or none.";
  }
  if (!authenticated.has(domain)) return null;
  return `Visitors sign in to its domain ${domain}, and browsers would send their session to this port, too, so it is closed. Turn TLS off, choose another domain, or disable authentication for this one.`;
}

function findTcpBackend(row: TcpServiceRow, node: NodeRow | undefined, facts: TcpFacts): Backend {
  const problem =
    damageOf(row) ??
    portProblem(row, facts) ??
    tlsProblem(row, facts) ??
    (facts.hasStream ? null : `${NO_STREAM.reason} ${NO_STREAM.fix}`);
  if (problem !== null) return { problem };
  // The gateway's own ports are none of UDP.
  return findBackend(row, node, facts, row.proto === 'udp' ? new Set() : facts.ownPorts);
}

/** What no one can find out by asking the backend: it answers, and asks the next of the circle. */
function withoutCircles(services: readonly DesiredTcpService[], { isOwn, blame }: Facts): DesiredTcpService[] {
  const open = services.filter(({ enabled, closed }) => enabled && !closed);
  const loops = proxyLoopsIn(open, isOwn);
  return services.map((service) => {
    if (!loops.has(service.id)) return service;
    blame('tcpService', service.id, leadsBack(service));
    return { ...service, closed: true, addresses: [] };
  });
}
