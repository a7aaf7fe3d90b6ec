import {
  type ApiToken,
  type DnsState,
  type Domain,
  dnsStateLabels,
  type HttpService,
  type JoinKey,
  type Node,
  type OpenSession,
  type TcpService,
  type Token,
} from '@sallyport/sdk/contract';
import { formatBytes, formatClosing, formatDate, formatExact, formatRelative } from '@sallyport/sdk/format';
import { isWaiting, serviceStatus, type TokenStatus, tokenStatus } from '@sallyport/sdk/rules';
import type { Tone } from '../io.ts';
import type { Column } from './table.ts';

/** When the time limit of a service closed it, at the reader's own time of day; null: it did not. */
export const closedByTime = (service: Pick<HttpService, 'closedAt' | 'closedBy'>): string | null =>
  service.closedBy === 'time-limit' ? formatClosing(service, new Date()) : null;

/** A service of either type, in one table. */
export type ServiceRow = ({ type: 'http' } & HttpService) | ({ type: 'tcp' } & TcpService);

/** An HTTP service as a row of it. */
export const httpRow = (service: HttpService): ServiceRow => ({ type: 'http', ...service });
/** A TCP service as a row of it. */
export const tcpRow = (service: TcpService): ServiceRow => ({ type: 'tcp', ...service });

const HEALTH_TONES: Record<ServiceRow['health'], Tone | undefined> = { up: 'green', down: 'red', unknown: 'dim' };

/** Open to visitors, closed to them, or open and yet not served. */
function stateOf(row: ServiceRow): 'open' | 'closed' | 'failing' {
  const status = serviceStatus(row);
  return status === 'closed' || status === 'failing' ? status : 'open';
}

/** A service that closed by itself says when, at the reader's own time of day. */
function stateText(row: ServiceRow): string {
  const state = stateOf(row);
  return closedByTime(row)?.toLowerCase() ?? state;
}

const STATE_TONES: Record<ReturnType<typeof stateOf>, Tone> = { open: 'green', closed: 'dim', failing: 'red' };

/** The columns of the services table; `now` is what "in 2 hours" counts from. */
export const serviceColumns = (now: Date): readonly Column<ServiceRow>[] => [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true },
  { heading: 'TYPE', leaves: 3, text: (row) => (row.type === 'tcp' ? row.proto : 'http'), exact: ({ type }) => type },
  { heading: 'NODE', leaves: 2, text: ({ nodeId }) => String(nodeId), alignRight: true },
  { heading: 'STATE', text: stateText, exact: stateOf, tone: (row) => STATE_TONES[stateOf(row)] },
  { heading: 'PUBLIC ACCESS', leaves: 4, text: ({ publicAccess }) => publicAccess, mayShrink: true },
  { heading: 'BACKEND', text: ({ health }) => health, tone: ({ health }) => HEALTH_TONES[health] },
  {
    heading: 'ENDS',
    leaves: 1,
    text: ({ expiresAt }) => (expiresAt === null ? '-' : formatRelative(expiresAt, now)),
    exact: ({ expiresAt }) => expiresAt ?? '',
  },
];

const CERTIFICATES: Record<Domain['ssl'], string> = { 'self-signed': 'Self Signed', certbot: "Let's Encrypt" };

const DNS_TONES: Record<DnsState, Tone | undefined> = {
  here: 'green',
  partly: 'yellow',
  inside: 'yellow',
  elsewhere: 'red',
  'not-found': 'red',
  'no-answer': undefined,
  'unknown-address': undefined,
};

/** The columns of the domains table. */
export const domainColumns: readonly Column<Domain>[] = [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'DOMAIN', text: ({ domain }) => domain, mayShrink: true },
  { heading: 'CERTIFICATE', text: ({ ssl }) => CERTIFICATES[ssl], exact: ({ ssl }) => ssl },
  { heading: 'AUTHENTICATION', text: ({ authentication }) => (authentication ? 'yes' : 'no') },
  {
    heading: 'PROBLEM',
    // What is on its way is no problem, and is told to people alone.
    text: ({ problem, pending }) => problem ?? pending ?? '-',
    exact: ({ problem }) => problem ?? '',
    tone: ({ problem }) => (problem === null ? undefined : 'red'),
    mayShrink: true,
  },
  {
    heading: 'DNS',
    leaves: 1,
    text: ({ dnsState }) => (dnsState === null ? '-' : dnsStateLabels[dnsState]),
    exact: ({ dnsState }) => dnsState ?? '',
    tone: ({ dnsState }) => (dnsState === null ? undefined : DNS_TONES[dnsState]),
  },
];

const TOKEN_TONES: Record<TokenStatus, Tone> = { Active: 'green', Expired: 'yellow', Revoked: 'dim' };

/** The columns of the access tokens table; what has ended is told by `now`. */
export const tokenColumns = (now: Date): readonly Column<Token>[] => [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true },
  {
    heading: 'STATUS',
    text: (row) => tokenStatus(row, now),
    exact: (row) => tokenStatus(row, now).toLowerCase(),
    tone: (row) => TOKEN_TONES[tokenStatus(row, now)],
  },
  {
    heading: 'ENDS',
    text: ({ expireAt }) => (expireAt === null ? 'never' : formatDate(expireAt)),
    exact: ({ expireAt }) => expireAt ?? '',
  },
  {
    heading: 'LAST USED',
    text: ({ lastUsedAt }) => formatRelative(lastUsedAt, now),
    exact: ({ lastUsedAt }) => lastUsedAt ?? '',
  },
];

/** The columns of the API tokens table; "2 hours ago" counts from `now`. */
export const apiTokenColumns = (now: Date): readonly Column<ApiToken>[] => [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true },
  { heading: 'TOKEN', text: ({ prefix }) => `${prefix}…`, exact: ({ prefix }) => prefix },
  { heading: 'SCOPE', text: ({ scope }) => scope.join(','), mayShrink: true },
  {
    heading: 'NODES',
    leaves: 1,
    text: ({ nodes }) => nodes?.join(',') ?? 'all',
    exact: ({ nodes }) => nodes?.join(',') ?? '',
  },
  {
    heading: 'ENDS',
    text: ({ expireAt }) =>
      expireAt === null ? 'never' : Date.parse(expireAt) < now.getTime() ? 'it has ended' : formatDate(expireAt),
    exact: ({ expireAt }) => expireAt ?? '',
  },
  {
    heading: 'LAST USED',
    text: ({ lastUsedAt }) => formatRelative(lastUsedAt, now),
    exact: ({ lastUsedAt }) => lastUsedAt ?? '',
  },
];

/** The columns of the sessions table; "2 hours ago" counts from `now`. */
export const sessionColumns = (now: Date): readonly Column<OpenSession>[] => [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'OWN', text: ({ isOwn }) => (isOwn ? 'own' : ''), tone: () => 'green' },
  { heading: 'SIGNED IN', text: (row) => formatExact(row.created_at), exact: (row) => row.created_at },
  {
    heading: 'LAST USED',
    text: ({ lastUsedAt }) => formatRelative(lastUsedAt, now),
    exact: ({ lastUsedAt }) => lastUsedAt ?? '',
  },
  { heading: 'FROM', text: ({ address }) => address ?? '-', exact: ({ address }) => address ?? '' },
  {
    heading: 'ENDS',
    leaves: 1,
    text: ({ expiresAt }) => formatRelative(expiresAt, now),
    exact: (row) => row.expiresAt,
  },
];

/** The columns of the join keys table. */
export const joinKeyColumns = (now: Date): readonly Column<JoinKey>[] => [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true },
  { heading: 'FOR', text: purposeOf },
  { heading: 'USES', text: ({ uses }) => String(uses), alignRight: true },
  { heading: 'ENDS', text: ({ expireAt }) => formatRelative(expireAt, now), exact: ({ expireAt }) => expireAt },
];

function purposeOf({ nodeId, nodeName, reusable, isGateway, namePattern }: JoinKey): string {
  if (nodeId !== null) return `node ${nodeName ?? nodeId}`;
  const what = isGateway ? 'gateway' : 'node';
  return `${reusable ? `${what}s` : `one ${what}`}${namePattern === null ? '' : ` ${namePattern}`}`;
}

/** A session as a list shows it: without its token. */
export type ProfileRow = {
  name: string;
  url: string;
  username: string;
  expiresAt: string | null;
  pin: string | null;
};

/** The columns of the profiles table; what has ended is told by `now`. */
export const profileColumns = (now: Date): readonly Column<ProfileRow>[] => [
  { heading: 'NAME', text: ({ name }) => name },
  { heading: 'GATEWAY', text: ({ url }) => url, mayShrink: true },
  { heading: 'USER', text: ({ username }) => username },
  {
    heading: 'SIGNED IN UNTIL',
    text: ({ expiresAt }) =>
      expiresAt === null ? '-' : Date.parse(expiresAt) <= now.getTime() ? 'it has ended' : formatExact(expiresAt),
    exact: ({ expiresAt }) => expiresAt ?? '',
  },
  {
    heading: 'TRUSTED CERTIFICATE',
    text: ({ pin }) => (pin === null ? 'as usual' : `${pin.slice(0, 16)}…`),
    exact: ({ pin }) => pin ?? '',
  },
];

type StatusWord = Node['status'] | 'disabled' | 'waiting' | '-';

const NODE_TONES: Record<StatusWord, Tone | undefined> = {
  online: 'green',
  idle: 'yellow',
  offline: 'red',
  disabled: 'dim',
  waiting: 'dim',
  '-': undefined,
};

/** The word for how a node is. The local node has no tunnel that could be up or down. */
const exactStatusOf = ({ isLocal, enabled, status }: Node): StatusWord =>
  isLocal ? '-' : enabled ? status : 'disabled';

/** The same for people: a node that no host has joined as is not there yet, rather than away. */
const statusOf = (node: Node): StatusWord => (isWaiting(node) ? 'waiting' : exactStatusOf(node));

const typeOf = ({ isLocal, isGateway }: Node) => (isLocal ? 'local' : isGateway ? 'gateway' : 'node');

const isoOf = (ms: number | null) => (ms ? new Date(ms).toISOString() : '');

/** The columns of the nodes table; `now` is what "2 minutes ago" counts from. */
export const nodeColumns = (now: Date): readonly Column<Node>[] => [
  { heading: 'ID', text: ({ id }) => String(id), alignRight: true },
  { heading: 'NAME', text: ({ name }) => name, mayShrink: true },
  { heading: 'TYPE', leaves: 4, text: typeOf },
  { heading: 'STATUS', text: statusOf, exact: exactStatusOf, tone: (row) => NODE_TONES[statusOf(row)] },
  { heading: 'ADDRESS', leaves: 5, text: ({ address }) => address },
  {
    heading: 'LAST HANDSHAKE',
    leaves: 3,
    text: ({ isLocal, latestHandshakeTimestamp }) => (isLocal ? '-' : formatRelative(latestHandshakeTimestamp, now)),
    exact: ({ latestHandshakeTimestamp }) => isoOf(latestHandshakeTimestamp),
  },
  {
    heading: 'RECEIVED',
    leaves: 2,
    text: ({ transferRx }) => formatBytes(transferRx),
    exact: ({ transferRx }) => String(transferRx ?? ''),
    alignRight: true,
  },
  {
    heading: 'SENT',
    leaves: 1,
    text: ({ transferTx }) => formatBytes(transferTx),
    exact: ({ transferTx }) => String(transferTx ?? ''),
    alignRight: true,
  },
];
