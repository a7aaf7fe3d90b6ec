import { objectKey, type ObjectKey } from '../rules/attempt.ts';
import type { ServiceKind } from '../world.ts';
import type { DesiredHttpService, DesiredState, DesiredTcpService } from './render/desiredState.ts';
import type { DomainRow, HttpServiceRow, NodeRow, TcpServiceRow } from '../store/rows.ts';
import type { Desired } from '../store/store.ts';
import type { BackendTarget } from '../health/backendHealth.ts';
import type { Problems } from './findings.ts';

/** A service that its administrator wants open, whether or not it can be served. */
export type OpenService = {
  kind: ServiceKind;
  id: number;
  version: number;
  row: HttpServiceRow | TcpServiceRow;
  /** Null for HTTP services, which share the gateway's ports. */
  publicPort: number | null;
  proto: 'http' | 'https' | 'tcp' | 'udp';
  /** Empty while the backend's address is not known. */
  addresses: readonly string[];
  /** Of this machine; null: any. */
  sourceAddress: string | null;
  /** The node behind the tunnel whose it is; null: the gateway's own machine. */
  remoteNode: number | null;
  /** That node's address and the networks that are its, also while nothing leads there; null: the machine's own. */
  networks: readonly string[] | null;
  visitors: Visitors;
};

/**
 * Whom a service lets in once they are at its door: everybody, no one, or those who sign in, with one of these e-mails
 * if there is a list.
 */
export type Visitors = 'everybody' | 'nobody' | { emails: readonly string[] | null };

export type OpenServices = ReadonlyMap<ObjectKey, OpenService>;

/** What has to be known of a service to tell later which of its connections must end. */
export type FormerService = Pick<OpenService, 'kind' | 'id' | 'publicPort' | 'proto' | 'addresses' | 'visitors'> & {
  /** An earlier gateway did not record it. */
  remoteNode?: number | null;
  row: Pick<TcpServiceRow, 'backendPort' | 'allowedIps' | 'blockedIps'> &
    Partial<Pick<HttpServiceRow, 'skipAuthRoutes'>>;
};

export type FormerServices = ReadonlyMap<ObjectKey, FormerService>;

/** Where a service was, and which workers of nginx know it there: those that were started in that time. */
export type Place = {
  service: FormerService;
  /** As the kernel tells the start of a process. */
  from: number;
  /** Null: nginx serves it. */
  to: number | null;
};

/** The services that are to be open: enabled, their time not over, their node connected. The console is none of them. */
export function openServices(desired: Desired, state: DesiredState): OpenServices {
  const nodes = new Map(desired.nodes.map((node) => [node.id, node]));
  const connected = new Set(desired.nodes.flatMap(({ id, enabled }) => (enabled ? [id] : [])));
  const http = new Map(state.httpServices.map((service) => [service.id, service]));
  const tcp = new Map(state.tcpServices.map((service) => [service.id, service]));
  const isOpen = (row: { nodeId: number }, service: DesiredHttpService | DesiredTcpService | undefined): boolean =>
    service?.enabled === true && connected.has(row.nodeId);
  const domains = new Map(desired.domains.map((row) => [row.domain, row]));
  const open: OpenService[] = [
    ...desired.httpServices.flatMap((row): OpenService[] => {
      if (row.builtin || !isOpen(row, http.get(row.id))) return [];
      const service = describe('httpService', row, http.get(row.id), nodes);
      return [{ ...service, visitors: visitorsOf(row, domains) }];
    }),
    ...desired.tcpServices.flatMap((row): OpenService[] =>
      isOpen(row, tcp.get(row.id)) ? [describe('tcpService', row, tcp.get(row.id), nodes)] : [],
    ),
  ];
  return new Map(open.map((service) => [keyOf(service), service]));
}

/** A list that cannot be read is no one's, as it is where visitors sign in. */
function visitorsOf({ requireAuth, domain }: HttpServiceRow, domains: ReadonlyMap<string, DomainRow>): Visitors {
  if (!requireAuth) return 'everybody';
  const row = domains.get(domain ?? '');
  if (row?.authentication !== true) return 'nobody';
  if (row.allowedEmails !== null && !Array.isArray(row.allowedEmails)) return 'nobody';
  return { emails: row.allowedEmails };
}

export const keyOf = ({ kind, id }: Pick<OpenService, 'kind' | 'id'>): ObjectKey => objectKey(kind, id);

function describe(
  ...[kind, row, found, nodes]:
    | ['httpService', HttpServiceRow, DesiredHttpService | undefined, ReadonlyMap<number, NodeRow>]
    | ['tcpService', TcpServiceRow, DesiredTcpService | undefined, ReadonlyMap<number, NodeRow>]
): OpenService {
  const node = nodes.get(row.nodeId);
  const isLocal = node?.isLocal === true;
  return {
    kind,
    id: row.id,
    version: row.version,
    row,
    publicPort: kind === 'tcpService' ? row.port : null,
    proto: kind === 'tcpService' ? row.proto : row.backendProto,
    addresses: found?.addresses ?? [],
    sourceAddress: found?.sourceAddress ?? null,
    remoteNode: isLocal ? null : row.nodeId,
    networks: isLocal || node === undefined ? null : networksOf(node),
    visitors: 'everybody',
  };
}

/** What is a node's in the tunnel: its address, and its networks. A list that was damaged by hand has what can be read of it. */
export const networksOf = ({ address, isGateway, gatewayNetworks }: NodeRow): string[] =>
  [
    address,
    ...(isGateway && Array.isArray(gatewayNetworks) ? gatewayNetworks.map((each) => fieldsOf(each)['subnet']) : []),
  ].filter((each) => typeof each === 'string');

/** What is open and was open, as it is noted for anyone who starts after this gateway. */
export function writeRecord(places: readonly Place[], boot: string): string {
  const noted = places.map(({ service: { row, remoteNode, ...service }, from, to }) => ({
    kind: service.kind,
    id: service.id,
    publicPort: service.publicPort,
    proto: service.proto,
    addresses: service.addresses,
    ...(remoteNode !== undefined && { remoteNode }),
    visitors: service.visitors,
    row: {
      backendPort: row.backendPort,
      allowedIps: listOf(row.allowedIps),
      blockedIps: listOf(row.blockedIps),
      ...('skipAuthRoutes' in row && typeof row.skipAuthRoutes === 'string' && { skipAuthRoutes: row.skipAuthRoutes }),
    },
    from,
    to,
  }));
  return JSON.stringify({ boot, places: noted });
}

/**
 * What was open, as far as it can be read; null when nothing was noted.
 * @param boot of today: of an earlier start of the machine no worker is left, and its times say nothing
 */
export function readRecord(text: string | null, boot: string): Place[] | null {
  if (text === null) return null;
  try {
    const noted: unknown = JSON.parse(text);
    // An earlier gateway noted the services alone.
    const { places = noted, boot: then } = fieldsOf(noted);
    if (!Array.isArray(places)) return null;
    // A row that was damaged by hand was noted with the rest.
    return places.filter(isFormer).flatMap((service): Place[] => {
      const { from, to } = fieldsOf(service);
      if (then !== boot) return typeof to === 'number' ? [] : [{ service, from: 0, to: null }];
      return [{ service, from: typeof from === 'number' ? from : 0, to: typeof to === 'number' ? to : null }];
    });
  } catch {
    return null;
  }
}

/** A list that was damaged by hand is none. */
const listOf = (list: readonly string[] | null): string[] | null => (isTexts(list) ? list : null);

function isFormer(value: unknown): value is FormerService {
  const { kind, id, publicPort, proto, addresses, remoteNode = null, visitors, row } = fieldsOf(value);
  const { backendPort, allowedIps, blockedIps, skipAuthRoutes } = fieldsOf(row);
  return (
    (kind === 'httpService' || kind === 'tcpService') &&
    Number.isSafeInteger(id) &&
    (publicPort === null || Number.isSafeInteger(publicPort)) &&
    ['http', 'https', 'tcp', 'udp'].some((one) => one === proto) &&
    isTexts(addresses) &&
    (remoteNode === null || Number.isSafeInteger(remoteNode)) &&
    (visitors === 'everybody' || visitors === 'nobody' || isTextsOrNull(fieldsOf(visitors)['emails'])) &&
    Number.isSafeInteger(backendPort) &&
    isTextsOrNull(allowedIps) &&
    isTextsOrNull(blockedIps) &&
    (skipAuthRoutes === undefined || typeof skipAuthRoutes === 'string')
  );
}

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const isTextsOrNull = (value: unknown): boolean => value === null || isTexts(value);

/**
 * The backends to be asked whether they answer: those of all open services that nginx may reach.
 * @param nodeUnreachable why nothing gets to a node at the moment; null when it does
 */
export function backendTargets(
  open: OpenServices,
  problems: Problems,
  nodeUnreachable: (nodeId: number) => string | null,
): BackendTarget[] {
  return [...open].map(([key, { kind, id, version, row, proto, addresses, sourceAddress }]) => ({
    kind,
    id,
    version,
    proto,
    addresses,
    sourceAddress,
    port: row.backendPort,
    serverName: row.domain,
    unreachable: addresses.length > 0 ? nodeUnreachable(row.nodeId) : (problems.get(key) ?? null),
  }));
}
