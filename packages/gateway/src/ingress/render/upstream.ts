import { UnquotableError } from '../../rules/attempt.ts';
import type { ConfigText } from './configText.ts';
import type { DesiredHttpService } from './desiredState.ts';
import { peer } from './text.ts';

/** The backends of HTTP services. Services that lead to the same one share its kept connections. */
export type Upstreams = {
  /** What stands after `proxy_pass`. @throws {UnquotableError} when an address cannot be written, or there is none */
  passTo(service: DesiredHttpService): string;
  /**
   * Writes all that were asked for.
   * @param requests how many each may have at once, in each worker
   * @param idle how many connections a worker keeps open to all backends of one remote node while nothing is asked
   */
  write(out: ConfigText, { requests, idle }: { requests: number; idle: number }): void;
};

type Upstream = { name: string; owner: number; remoteNode: number | null; servers: string[] };

// Idle connections are given up before Node, Apache and uvicorn close them (5 s), so that no request meets a
// connection that its backend is just closing.
const IDLE_SECONDS = 4;
// Each worker keeps its own; one that has more visitors at once than it keeps connections opens one for each further request.
const IDLE_CONNECTIONS = 64;
// As for visitors. nginx would give each one up after 1000, and the next request would wait for a way round the world.
const REQUESTS_A_CONNECTION = 100_000;

/**
 * nginx compares each name that it reads with all others, a reload with thousands of services feels it: names of
 * different length differ at once, others in their first characters.
 */
const NAME_LENGTHS = 37;
const nameOf = (id: number): string => `${id}.http${'-'.repeat(id % NAME_LENGTHS)}`;

/** @throws {UnquotableError} */
function wayTo(service: DesiredHttpService): { scheme: 'http' | 'https'; servers: string[]; key: string } {
  const servers = service.addresses.map((address) => `server ${peer(address, service.backendPort)}`);
  if (servers.length === 0) throw new UnquotableError('The address of the backend is not known.');
  const scheme = service.backendProto === 'https' ? 'https' : 'http';
  // A kept TLS connection was opened for one host name; a request for another one would be misdirected.
  // Nor does one lead to the host of the same address in another network.
  const key = [scheme, scheme === 'https' ? service.domain : '', service.sourceAddress, ...servers].join(' ');
  return { scheme, servers, key };
}

export function createUpstreams(): Upstreams {
  const byKey = new Map<string, Upstream>();
  return {
    passTo(service) {
      const { scheme, servers, key } = wayTo(service);
      const upstream = byKey.get(key) ?? {
        name: nameOf(service.id),
        owner: service.id,
        remoteNode: service.remoteNode,
        servers,
      };
      byKey.set(key, upstream);
      return `${scheme}://${upstream.name}`;
    },
    write(out, { requests, idle }) {
      const ofNode = Map.groupBy(byKey.values(), ({ remoteNode }) => remoteNode);
      for (const { name, owner, remoteNode, servers } of byKey.values()) {
        const share = remoteNode === null ? IDLE_CONNECTIONS : Math.floor(idle / (ofNode.get(remoteNode)?.length ?? 1));
        const kept = Math.max(1, Math.min(IDLE_CONNECTIONS, share));
        out.owned('httpService', owner, () => {
          out.block(`upstream ${name}`, () => {
            // Counted by each worker for itself, which costs a request nothing.
            const most = Math.ceil(requests / servers.length);
            for (const server of servers) out.line(`${server} max_conns=${most}`);
            out.line(`keepalive ${kept}`);
            out.line(`keepalive_requests ${REQUESTS_A_CONNECTION}`);
            out.line(`keepalive_timeout ${IDLE_SECONDS}s`);
          });
        });
      }
    },
  };
}
