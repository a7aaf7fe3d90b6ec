import { message, type Problem } from '@sallyport/sdk/contract';
import { isOwnName, isWellKnown, OWN_WELL_KNOWN, provesControl } from '../../rules/domainName.ts';
import { nodesOf } from '../identity.ts';
import { failure } from '../failure.ts';
import type { DomainRow, HttpServiceRow, NodeRow, TcpServiceRow } from '../../store/rows.ts';
import { pathKey } from '../../store/tables.ts';
import { nodesOn, type Transaction } from '../../store/transaction.ts';
import type { Context } from '../context.ts';

// Which domains and paths the access token of a node may use for the node's services, and an API token that is limited to
// some nodes. The administrator may use all.
// The decision note "Whose a domain is" says when a domain is a node's.

type Caller = Pick<Context, 'caller' | 'settings'>;
/** What of a service decides where it may be; a TCP service has no path, an HTTP service no `ssl`. */
export type Placed = Pick<HttpServiceRow, 'domain'> &
  Partial<Pick<HttpServiceRow, 'pathLocation' | 'requireAuth' | 'skipAuthRoutes'> & Pick<TcpServiceRow, 'ssl'>>;

/** The same for every domain that a token may not use: it tells nothing about the domain. */
const NOT_YOURS = { field: 'domain', message: message.domainNotYours };
const PATH_NOT_FREE = {
  field: 'pathLocation',
  message:
    'This path is not free for this node. Choose another path or another domain, or ask the administrator to publish it.',
};
/** On the gateway's own name: a domain is never used by a node that was not allowed to, where another one is. */
const BELOW_ROOT = {
  field: 'pathLocation',
  message:
    "This path is not free for this node. Another node has the root of this name. Choose another domain, or ask the administrator to let this node's access tokens use every domain (allowAnyDomain).",
};
const WHOLE_DOMAIN = {
  field: 'pathLocation',
  message:
    'This path speaks for the whole domain, which others use too, or may use. Choose another path or another domain, or ask the administrator to publish it.',
};

const TLS_OF_SHARED = {
  field: 'ssl',
  message:
    'Others use this domain too, or may use it, so its certificate is not for a port of this node. Choose another domain, or ask the administrator to open it.',
};

/** nginx is not given it either; refused here, it delays no one. */
const WHOLE_GATEWAY = { field: 'pathLocation', message: OWN_WELL_KNOWN };
const PROOF = {
  field: 'pathLocation',
  message:
    'Certificate authorities look at this path whose the name is. Choose another path, or ask the administrator to publish it.',
};

/**
 * Refuses what the access token of a node may not do with domains and paths. A service stays changeable where it is,
 * also when the administrator put it there; a port is asked about by `requireOwnCertificate`.
 * @param before the service as it is; null: it is new
 * @throws {Failure} 422
 */
export async function requireUsable(
  tx: Transaction,
  { caller, settings }: Caller,
  { node, next, before }: { node: NodeRow; next: Placed; before: Placed | null },
): Promise<void> {
  if (nodesOf(caller) === null) return;
  const isMoved = before === null || before.domain !== next.domain || before.pathLocation !== next.pathLocation;
  if (!isMoved && !opensMore(before, next)) return;
  const [domain] = next.domain === null ? [] : await tx.domains.all({ domain: next.domain });
  const isFree = (await isNodes(tx, domain, node)) || (await isFreeName(tx, domain ?? next.domain, { node, settings }));
  if (!isFree) throw failure.invalid([NOT_YOURS]);
  if (!isMoved || next.pathLocation === undefined) return;
  if (next.domain === null && isWellKnown(next.pathLocation)) throw failure.invalid([WHOLE_GATEWAY]);
  if (provesControl(next.pathLocation)) throw failure.invalid([PROOF]);
  const isNamed = domain !== undefined && isListed(domain, node);
  const isGranted = node.allowAnyDomain || isNamed;
  const path = pathKey(next.pathLocation);
  const inTheWay = (await servicesUnder(tx, next.domain, settings)).filter(({ nodeId, pathLocation, domain: name }) => {
    const other = pathKey(pathLocation);
    // Above others' paths as well, for its visitors would meet them there. The root is above all, but would close those
    // whose domain has become a name of the gateway.
    const isNear = path.startsWith(other) || ((path !== '/' || name !== next.domain) && other.startsWith(path));
    return nodeId !== node.id && !(isGranted && other === '/') && isNear;
  });
  if (inTheWay.length > 0) {
    const isBelowRoot = path !== '/' && inTheWay.every(({ pathLocation }) => pathLocation === '/');
    throw failure.invalid([isBelowRoot ? BELOW_ROOT : PATH_NOT_FREE]);
  }
  if (domain === undefined || !(isWellKnown(path) || (path === '/' && !isNamed))) return;
  if (await hasOthers(tx, domain, node)) throw failure.invalid([WHOLE_DOMAIN]);
}

/**
 * Refuses to open a port with the certificate of a domain that others use too: it says what a website of several nodes may
 * not, to browsers and for all names below.
 * @throws {Failure} 422
 */
export async function requireOwnCertificate(
  tx: Transaction,
  { caller }: Caller,
  { node, next }: { node: NodeRow; next: Placed },
): Promise<void> {
  if (nodesOf(caller) === null || next.ssl !== true || next.domain === null) return;
  const [domain] = await tx.domains.all({ domain: next.domain });
  if (domain?.authentication === false && (await hasOthers(tx, domain, node))) throw failure.invalid([TLS_OF_SHARED]);
}

/**
 * What is kept for a name outlives what is served there: browsers have programs of pages of a node, and hosts, command lines
 * and people know the console by it. So a name is the console's or nodes', and never one after the other.
 */
export async function formerUseProblem(
  tx: Transaction,
  {
    node,
    next,
    before,
  }: { node: NodeRow; next: Pick<Placed, 'domain'>; before: HttpServiceRow | TcpServiceRow | null },
): Promise<Problem | null> {
  const { domain: name } = next;
  const isConsole = before !== null && 'builtin' in before && before.builtin;
  if (name === null || name === before?.domain || (node.isLocal && !isConsole)) return null;
  if (!(await tx.formerNames.has({ name, usedBy: isConsole ? 'node' : 'console' }))) return null;
  const reason = isConsole
    ? 'A node had a website under this name, and browsers keep its programs, which could read the password. Choose a name that no node has had.'
    : 'The console had this name, and hosts and browsers may still send it their secrets there. Choose another name.';
  return { field: 'domain', message: reason };
}

/** The HTTP services under a domain; without one, those under names that have become the gateway's as well. */
async function servicesUnder(
  tx: Transaction,
  domain: string | null,
  { hostNames }: Pick<Caller['settings'], 'hostNames'>,
): Promise<HttpServiceRow[]> {
  const services = await tx.httpServices.all({ domain, builtin: false });
  if (domain !== null) return services;
  for (const { domain: name } of await tx.domains.all()) {
    if (isOwnName(name, hostNames)) services.push(...(await tx.httpServices.all({ domain: name, builtin: false })));
  }
  return services;
}

/**
 * Removes the domain that a service has left by a token's call, when it came with a service and nothing else keeps it.
 * So a token cannot fill the gateway with names.
 */
export async function releaseDomain(
  tx: Transaction,
  { caller }: Caller,
  { before, next }: { before: Placed; next: Placed },
): Promise<void> {
  if (nodesOf(caller) === null || before.domain === null || before.domain === next.domain) return;
  const [domain] = await tx.domains.all({ domain: before.domain });
  if (domain === undefined || !domain.cameWithService || !isUntouched(domain)) return;
  if ((await nodesOn(tx, domain.domain)).size === 0) await tx.domains.remove(domain.id);
}

/** Whether visitors see more of a domain than before: a path without sign-in, or a port with its certificate. */
const opensMore = (before: Placed, next: Placed): boolean =>
  (before.requireAuth === true && next.requireAuth !== true) ||
  before.skipAuthRoutes !== next.skipAuthRoutes ||
  (before.requireAuth !== true && next.requireAuth === true && Boolean(next.skipAuthRoutes)) ||
  (next.ssl === true && before.ssl !== true);

/** Whether a domain is the node's: by a service on it that is not next to another node's, or since the node is named. */
async function isNodes(tx: Transaction, domain: DomainRow | undefined, node: NodeRow): Promise<boolean> {
  if (domain === undefined) return false;
  if (node.allowAnyDomain || isListed(domain, node)) return true;
  if (domain.reserved || domain.authentication) return false;
  const nodes = await nodesOn(tx, domain.domain);
  return nodes.size === 1 && nodes.has(node.id);
}

/** Whether a node may take a domain that is no one's: one that is not known, or is not used any more. */
async function isFreeName(
  tx: Transaction,
  domain: DomainRow | string | null,
  { node, settings }: { node: NodeRow; settings: Caller['settings'] },
): Promise<boolean> {
  if (domain === null) return true;
  const isUnknown = typeof domain === 'string';
  if (!isUnknown && !(await isUnused(tx, domain))) return false;
  const name = isUnknown ? domain : domain.domain;
  // Hosts and programs that know the console by it would send their tokens there.
  if (await tx.formerNames.has({ name, usedBy: 'console' })) return false;
  // The second is the gateway's own name from the next start on.
  const own = [settings.machineName, await tx.settings.get('publicAddress')];
  return !own.includes(name) && (await isAboveNone(tx, name, { node, settings }));
}

/**
 * Whether no name below this one is the gateway's or of a domain that is not for the node: what browsers are told for a
 * name, and its cookies, can go for the names below.
 */
async function isAboveNone(
  tx: Transaction,
  name: string,
  { node, settings }: { node: NodeRow; settings: Caller['settings'] },
): Promise<boolean> {
  if (node.allowAnyDomain) return true;
  const isBelow = (other: string): boolean => other.endsWith(`.${name}`);
  const chosen = await tx.settings.get('publicAddress');
  const own = [settings.vpnHost, settings.machineName, chosen, ...settings.hostNames];
  if (own.some((other) => other !== null && isBelow(other))) return false;
  for (const domain of await tx.domains.all()) {
    if (isBelow(domain.domain) && !(await isNodes(tx, domain, node)) && !(await isUnused(tx, domain))) return false;
  }
  return true;
}

/** A list that was damaged by hand is none. */
const isListed = ({ allowedNodes }: DomainRow, { id }: NodeRow): boolean =>
  Array.isArray(allowedNodes) && allowedNodes.includes(id);

/** Whether nothing of it was decided by the administrator: it is for any node while no service is on it. */
const isUntouched = ({ reserved, authentication, allowedNodes, ssl }: DomainRow): boolean =>
  !reserved && !authentication && allowedNodes === null && ssl === 'self-signed';

const isUnused = async (tx: Transaction, domain: DomainRow): Promise<boolean> =>
  isUntouched(domain) && (await nodesOn(tx, domain.domain)).size === 0;

/** Whether other nodes have services on a domain, or may put some there. */
async function hasOthers(tx: Transaction, { domain, allowedNodes }: DomainRow, { id }: NodeRow): Promise<boolean> {
  const nodes = [...(await nodesOn(tx, domain)), ...(Array.isArray(allowedNodes) ? allowedNodes : [])];
  return nodes.some((other) => other !== id);
}
