import type { Resolution } from './backendNames.ts';
import type { ObjectKind } from '../ports.ts';
import type { CertificateFiles, DesiredHttpService, DesiredState } from '../render/desiredState.ts';
import type { HttpServiceRow, NodeRow } from '../store/rows.ts';
import type { Desired } from '../store/store.ts';

/** What the gateway found out about the rows. */
export type Facts = {
  now: Date;
  resolutions: ReadonlyMap<string, Resolution>;
  /** By domain name; a reason in words where there is none. */
  certificates: ReadonlyMap<string, CertificateFiles | { problem: string }>;
  /** Whether an address and port are those on which this gateway or its nginx listens. */
  leadsBack(address: string, port: number): boolean;
  /** Why an object that is enabled cannot be served. */
  blame(kind: ObjectKind, id: number, problem: string): void;
};

/** The hosts that the open services of the local node lead to. */
export function backendHosts({ nodes, httpServices }: Desired, now: Date): Set<string> {
  const local = new Set(nodes.flatMap(({ id, isLocal }) => (isLocal ? [id] : [])));
  return new Set(
    httpServices.flatMap((row) =>
      !row.builtin && isOpen(row, now) && local.has(row.nodeId) && typeof row.backendHost === 'string'
        ? [row.backendHost]
        : [],
    ),
  );
}

/** The rows as nginx is to serve them. */
export function ingressState(desired: Desired, facts: Facts): DesiredState {
  const nodes = new Map(desired.nodes.map((node) => [node.id, node]));
  const domains = desired.domains.flatMap(({ id, domain }) => {
    const certificate = facts.certificates.get(domain);
    if (certificate === undefined) return [];
    if (!('problem' in certificate)) return [{ id, domain, certificate, closed: false }];
    facts.blame('domain', id, certificate.problem);
    // The files are those of the gateway itself as long as it is closed.
    return [{ id, domain, certificate: { certificate: '', key: '' }, closed: true }];
  });
  const httpServices = desired.httpServices.map((row) => httpService(row, nodes.get(row.nodeId), facts));
  return { domains, httpServices };
}

/** A time to live ends also while the gateway is down. */
function isOpen({ enabled, expiresAt }: HttpServiceRow, now: Date): boolean {
  return enabled && (expiresAt === null || Date.parse(expiresAt) > now.getTime());
}

function httpService(row: HttpServiceRow, node: NodeRow | undefined, facts: Facts): DesiredHttpService {
  const enabled = isOpen(row, facts.now);
  const backend = enabled && !row.builtin ? findBackend(row, node, facts) : { addresses: [] };
  const open = 'addresses' in backend;
  if (!open) facts.blame('httpService', row.id, backend.problem);
  return { ...row, enabled, closed: !open, addresses: open ? backend.addresses : [] };
}

function findBackend(row: HttpServiceRow, node: NodeRow | undefined, { resolutions, leadsBack }: Facts): Resolution {
  if (row.requireAuth) {
    return { problem: 'It asks visitors to sign in, which this gateway cannot do yet, so it is closed.' };
  }
  if (node === undefined) return { problem: 'Its node is gone.' };
  if (!node.enabled) return { problem: `Its node ${node.name} is disconnected. Connect the node to open the service.` };
  if (!node.isLocal) {
    // Without the tunnel a packet for the node's address would leave by the wrong way.
    return { problem: 'The tunnel is off, so the nodes behind it cannot be reached.' };
  }
  const host = row.backendHost;
  if (typeof host !== 'string') return { problem: 'It has no backend host.' };
  const found = resolutions.get(host) ?? { problem: `The name ${host} cannot be resolved.` };
  if ('addresses' in found && found.addresses.some((address) => leadsBack(address, row.backendPort))) {
    // A request to nginx would go round until it has no connection left; the API would be open to all under a name
    // that is not the console's.
    return {
      problem: `Its backend, port ${row.backendPort}, leads back to the gateway itself. Give the port of the service.`,
    };
  }
  return found;
}
