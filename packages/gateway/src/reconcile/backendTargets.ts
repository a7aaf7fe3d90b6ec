import type { BackendTarget } from './backendHealth.ts';
import type { Problems } from './findings.ts';
import type { OpenServices } from './openServices.ts';

/** The backends to be asked whether they answer: those of all open services that nginx may reach. */
export function backendTargets(open: OpenServices, problems: Problems): BackendTarget[] {
  return [...open].map(([key, { kind, id, version, row, proto, addresses }]) => ({
    kind,
    id,
    version,
    proto,
    addresses,
    port: row.backendPort,
    serverName: row.domain,
    unreachable: addresses.length > 0 ? null : (problems.get(key) ?? null),
  }));
}
