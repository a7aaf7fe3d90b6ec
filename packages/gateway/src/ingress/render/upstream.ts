import { UnquotableError } from '../../rules/attempt.ts';
import { type ConfigText, peer } from './configText.ts';
import type { DesiredHttpService } from './desiredState.ts';

/** The gateway itself, behind its unix socket: for the console, and for what nginx asks about visitors of services. */
export const CONSOLE_UPSTREAM = 'console';
export const SIGN_IN_UPSTREAM = 'sign_in';

/** The backends of HTTP services. Services that lead to the same one share its kept connections. */
export type Upstreams = {
  /** What stands after `proxy_pass`. @throws {UnquotableError} when an address cannot be written, or there is none */
  passTo(service: DesiredHttpService): string;
  /** Writes all that were asked for. @param connections how many each worker of nginx has room for */
  write(out: ConfigText, connections: number): void;
};

type Upstream = { name: string; owner: number; remoteNode: number | null; servers: string[] };

// Idle connections are given up before Node, Apache and uvicorn close them (5 s), so that no request meets a
// connection that its backend is just closing.
const IDLE_SECONDS = 4;
// Each worker keeps its own; one that has more visitors at once than it keeps connections opens one for each further request.
const MOST_IDLE = 64;
/**
 * nginx takes 176 bytes for each that a backend may keep, in each generation: 22 MB with 2000 backends of 64 (decision 53
 * has the time). So many in all, and no backend fewer than `LEAST_IDLE`.
 */
const IDLE_IN_ALL = 8192;
const LEAST_IDLE = 16;
// As for visitors. nginx would give each one up after 1000, and the next request would wait for a way round the world.
const REQUESTS_A_CONNECTION = 100_000;

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
        name: `${service.id}.http`,
        owner: service.id,
        remoteNode: service.remoteNode,
        servers,
      };
      byKey.set(key, upstream);
      return `${scheme}://${upstream.name}`;
    },
    write(out, connections) {
      const { httpBackend, idleOfNode } = sharesOf(connections);
      const ofNode = Map.groupBy(byKey.values(), ({ remoteNode }) => remoteNode);
      const most = Math.max(LEAST_IDLE, Math.min(MOST_IDLE, Math.floor(IDLE_IN_ALL / byKey.size)));
      for (const { name, owner, remoteNode, servers } of byKey.values()) {
        const share = remoteNode === null ? most : Math.floor(idleOfNode / (ofNode.get(remoteNode)?.length ?? 1));
        const kept = Math.max(1, Math.min(most, share));
        out.owned('httpService', owner, () => {
          out.block(`upstream ${name}`, () => {
            // Counted by each worker for itself, which costs a request nothing.
            const open = Math.ceil(httpBackend / servers.length);
            for (const server of servers) out.line(`${server} max_conns=${open}`);
            out.line(`keepalive ${kept}`);
            out.line(`keepalive_requests ${REQUESTS_A_CONNECTION}`);
            out.line(`keepalive_timeout ${IDLE_SECONDS}s`);
          });
        });
      }
    },
  };
}

/**
 * What a service may take of the connections that a worker of nginx has room for: each of its own takes two, one to the
 * visitor and one to the backend. The last eighth is for the console and for visitors who have not asked for anything yet.
 */
export const sharesOf = (connections: number) => ({
  /** Requests of HTTP services that lead to the same backend, and of all of a remote node's. */
  httpBackend: Math.floor((connections * 3) / 16),
  httpNode: Math.floor((connections * 3) / 16),
  /** Kept open to the backends of a remote node while nothing is asked of them. */
  idleOfNode: Math.floor(connections / 16),
  /** Of a public port, of all ports of a node, and of all ports. */
  port: Math.floor(connections / 8),
  portsOfNode: Math.floor((connections * 3) / 16),
  ports: Math.floor(connections / 4),
  /** Of all UDP ports: packets that anybody sends without an answer must not use up what there is for TCP. */
  udpPorts: Math.floor(connections / 8),
  /** Of the UDP ports of a node. */
  udpPortsOfNode: Math.floor((connections * 3) / 32),
  /** Requests to the gateway: of the console, by anybody who has not signed in yet, too, and of visitors who sign in. */
  gateway: Math.floor(connections / 16),
  /** Requests of one address to the console: a browser has 32 at most, in all of its windows. */
  consoleAddress: Math.floor(connections / 128),
});
