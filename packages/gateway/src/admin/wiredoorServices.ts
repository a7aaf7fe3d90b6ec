import {
  check,
  domainAttributes,
  domainInput,
  field,
  httpServiceAttributes,
  httpServiceInput,
  tcpServiceAttributes,
  tcpServiceInput,
  withDefaults,
} from '@sallyport/sdk/contract';
import { bypassProblem } from '../rules/bypassPatterns.ts';
import { API_PATH, isAtOrBelow, isOwnName, isWellKnown } from '../rules/domainName.ts';
import { pathKey } from '../store/tables.ts';
import type {
  StoredList,
  WiredoorData,
  WiredoorDomain,
  WiredoorHttpService,
  WiredoorTcpService,
} from './wiredoorDatabase.ts';
import { containerNotes } from './importPlan.ts';
import { type Left, nameOf, type PlannedNode, problemText } from './wiredoorNodes.ts';

/** A domain to be made. */
export type PlannedDomain = { form: ReturnType<typeof withDefaults<typeof domainAttributes>> };

/** A service to be made, as it was but for what is said. */
export type PlannedService = {
  /** The number of its node there. */
  nodeId: number;
  /** Where visitors find it, and where it leads. */
  title: string;
  expiresAt: string | null;
  /** Why it is closed to begin with; null: it is open. */
  closed: string | null;
  /** What is otherwise than there. */
  notes: string[];
} & (
  | { kind: 'http'; form: ReturnType<typeof withDefaults<typeof httpServiceAttributes>> }
  | { kind: 'tcp'; form: ReturnType<typeof withDefaults<typeof tcpServiceAttributes>>; port: number }
);

type Place = {
  nodes: readonly PlannedNode[];
  /** The numbers of Wiredoor's local node. */
  locals: ReadonlySet<number>;
  domains: readonly PlannedDomain[];
  hostNames: readonly string[];
  tcpPorts: { from: number; to: number };
  now: Date;
  left: Left[];
};

/** What becomes of the domains, those that only a service names among them. */
export function planDomains(
  data: Pick<WiredoorData, 'domains' | 'httpServices' | 'tcpServices'>,
  hostNames: readonly string[],
  left: Left[],
): PlannedDomain[] {
  const planned = new Map<string, PlannedDomain>();
  const known = new Set(data.domains.map(({ domain }) => domain.toLowerCase()));
  const named = new Set(
    [...data.httpServices, ...data.tcpServices].flatMap(({ domain }) => domain?.toLowerCase() ?? []),
  );
  const unknown = [...named].filter((domain) => !known.has(domain)).map(withoutRow);
  for (const { domain, isIssued, skipValidation, hasSignIn, allowedEmails } of [...data.domains, ...unknown]) {
    const emails = Array.isArray(allowedEmails) ? allowedEmails.filter((each) => check(field.email, each).ok) : [];
    const result = check(domainInput, {
      domain,
      ssl: isIssued ? 'certbot' : 'self-signed',
      // The authority looks for itself.
      skipValidation: skipValidation && !isIssued,
      authentication: hasSignIn,
      allowedEmails: hasSignIn && emails.length > 0 ? emails : null,
    });
    if (!result.ok) left.push({ what: `domain ${domain}`, why: problemText(result.problems) });
    else if (isOwnName(result.value.domain, hostNames)) {
      left.push({ what: `domain ${domain}`, why: 'it is a name of the gateway, whose services have no domain here' });
    } else if (!planned.has(result.value.domain)) {
      planned.set(result.value.domain, { form: withDefaults(domainAttributes, result.value) });
    }
  }
  return [...planned.values()];
}

const withoutRow = (domain: string): WiredoorDomain => ({
  domain,
  isIssued: false,
  skipValidation: true,
  hasSignIn: false,
  allowedEmails: null,
});

type Stored = WiredoorHttpService | WiredoorTcpService;

/** What becomes of the services. */
export function planServices(
  { nodes, httpServices, tcpServices }: Pick<WiredoorData, 'nodes' | 'httpServices' | 'tcpServices'>,
  place: Place,
): PlannedService[] {
  const gateways = new Set(nodes.flatMap(({ id, isGateway }) => (isGateway ? [id] : [])));
  const planned: PlannedService[] = [];
  const taken = new Set<string>();
  // The one that is served goes first, where two have one place.
  const inOrder = (services: readonly Stored[]): Stored[] =>
    services.toSorted((one, other) => Number(other.isEnabled) - Number(one.isEnabled));
  for (const service of [...inOrder(httpServices), ...inOrder(tcpServices)]) {
    const found = planOne(service, gateways.has(service.nodeId), place);
    const leave = (why: string): void => void place.left.push({ what: titleOf(service, place), why });
    if ('why' in found) {
      leave(found.why);
      continue;
    }
    if (taken.has(placeOf(found))) leave('another service is at the same place');
    else planned.push(found);
    taken.add(placeOf(found));
  }
  return planned;
}

const placeOf = (service: PlannedService): string =>
  service.kind === 'tcp' ? `port ${service.port}` : `${service.form.domain} ${pathKey(service.form.pathLocation)}`;

const titleOf = (service: Stored, { hostNames }: Pick<Place, 'hostNames'>): string =>
  'path' in service
    ? `https://${service.domain ?? hostNames[0]}${service.path}`
    : `${service.proto} port ${service.port}`;

function planOne(service: Stored, wasGateway: boolean, place: Place): PlannedService | { why: string } {
  const { nodes, locals, domains, hostNames, now } = place;
  const node = nodes.find(({ id }) => id === service.nodeId)?.form;
  const isLocal = locals.has(service.nodeId);
  if (node === undefined && !isLocal) return { why: 'its node is not taken in, or was deleted' };
  if (wasGateway && node?.isGateway === false) return { why: 'its node has no network that leads to its backend' };
  // Elsewhere the backend was the node itself, whatever is written there.
  const reachesHosts = isLocal || node?.isGateway === true;
  const backendHost = reachesHosts ? (service.backendHost ?? node?.address ?? null) : null;
  if (isLocal && backendHost === null) return { why: 'its backend has no host' };
  const isOwn = service.domain !== null && isOwnName(service.domain.toLowerCase(), hostNames);
  const domain = isOwn ? null : (service.domain?.toLowerCase() ?? null);
  const row = domains.find(({ form }) => form.domain === domain);
  if (domain !== null && row === undefined) return { why: 'its domain is not taken in' };
  const areListsSound = isSound(service.allowedIps) && isSound(service.blockedIps);
  const common = {
    name: nameOf(service.name, 'service'),
    domain,
    backendHost,
    backendPort: service.backendPort,
    ...listsOf(service),
  };
  const notes = [
    ...(isOwn ? ['its domain is a name of the gateway, so it has none here'] : []),
    ...hostNotes(backendHost, isLocal),
  ];
  const made = 'path' in service ? httpOf(service, common, notes) : tcpOf(service, common, notes, place);
  if ('why' in made) return made;
  const { expiresAt } = service;
  const closed =
    (areListsSound ? null : 'a list of addresses of it cannot be read, so it lets no one in') ??
    ('path' in service && service.requireAuth ? signInProblem(row) : null) ??
    (expiresAt === 'unreadable' ? 'its time to live cannot be read' : null) ??
    (service.isEnabled ? null : 'it was disabled there') ??
    (expiresAt !== null && expiresAt <= now ? 'its time to live is over' : null);
  return {
    ...made,
    nodeId: service.nodeId,
    title: `${titleOf(service, place)} → ${backendHost ?? node?.address}:${service.backendPort}`,
    expiresAt: closed === null && expiresAt instanceof Date ? expiresAt.toISOString() : null,
    closed,
    notes,
  };
}

/** What services of both kinds have. */
type Common = {
  name: string;
  domain: string | null;
  backendHost: string | null;
  backendPort: number;
  allowedIps: string[] | null;
  blockedIps: string[] | null;
};

function tcpOf(
  { proto, port, ssl }: WiredoorTcpService,
  common: Common,
  notes: string[],
  { tcpPorts: { from, to } }: Place,
): Pick<PlannedService & { kind: 'tcp' }, 'kind' | 'form' | 'port'> | { why: string } {
  const endsTls = ssl && proto !== 'udp';
  const result = check(tcpServiceInput, { ...common, proto, ssl: endsTls, port });
  if (!result.ok) return { why: problemText(result.problems) };
  if (!result.value.port) return { why: 'it has no public port' };
  if (endsTls) notes.push('the gateway ends its TLS, which Wiredoor may not have done');
  if (port < from || port > to) notes.push('it is closed until SALLYPORT_TCP_PORTS holds its port');
  return { kind: 'tcp', form: withDefaults(tcpServiceAttributes, result.value), port: result.value.port };
}

function httpOf(
  { path, scheme, requireAuth, skipAuthRoutes, blockedIps }: WiredoorHttpService,
  common: Common,
  notes: string[],
): Pick<PlannedService & { kind: 'http' }, 'kind' | 'form'> | { why: string } {
  if (common.domain === null && (isWellKnown(path) || isAtOrBelow(path, API_PATH))) {
    return { why: "this path of the gateway's own name is the gateway's" };
  }
  const body = { ...common, pathLocation: path, backendProto: scheme, requireAuth };
  const open = requireAuth ? skipAuthRoutes : null;
  const isUsable = check(httpServiceInput, { ...body, skipAuthRoutes: open }).ok && bypassProblem(open) === null;
  const result = check(httpServiceInput, { ...body, skipAuthRoutes: isUsable ? open : null });
  if (!result.ok) return { why: problemText(result.problems) };
  if (!isUsable) notes.push('the paths that needed no sign-in cannot be taken in: all of them ask for one');
  if (blockedIps !== null) notes.push('its blocked addresses are refused here; Wiredoor let them in');
  return { kind: 'http', form: withDefaults(httpServiceAttributes, result.value) };
}

/** Why a service that asks for a sign-in is closed; null: who may come in is known. */
function signInProblem(row: PlannedDomain | undefined): string | null {
  if (row?.form.authentication !== true) {
    return 'it asks for a sign-in that its domain does not have: Wiredoor let everybody in';
  }
  return row.form.allowedEmails === null
    ? "who may sign in stands in Wiredoor's environment alone (OAUTH2_PROXY_…): give the domain its e-mail addresses, then open it"
    : null;
}

const isSound = (list: StoredList): boolean =>
  list !== 'unreadable' && (list ?? []).every((each) => check(field.ipOrNetwork, each).ok);

/** Lets no one in. */
const EVERYBODY = ['0.0.0.0/0', '::/0'];

/** The lists of addresses as they were; those that cannot be read let no one in. */
export const listsOf = ({
  allowedIps,
  blockedIps,
}: {
  allowedIps: StoredList;
  blockedIps: StoredList;
}): Pick<Common, 'allowedIps' | 'blockedIps'> =>
  allowedIps !== 'unreadable' && blockedIps !== 'unreadable' && isSound(allowedIps) && isSound(blockedIps)
    ? { allowedIps, blockedIps }
    : { allowedIps: null, blockedIps: EVERYBODY };

/** Behind a gateway node, its host answers for names. */
const hostNotes = (host: string | null, isLocal: boolean): string[] =>
  isLocal && host !== null ? containerNotes(host) : [];
