import { isIPv6 } from 'node:net';
import type { HttpServiceRow, TcpServiceRow } from '../../store/rows.ts';
import type { AddressParts } from '../../store/serviceKeys.ts';
import type { Settings } from '../settings.ts';
import { message } from '@sallyport/sdk/contract';
import { type Identity, nodesOf } from '../identity.ts';
import { failure, refuseProblems, takenMessage } from '../failure.ts';
import type { World } from '../../world.ts';
import type { StoreReader } from '../../store/transaction.ts';

const HTTPS_PORT = 443;

/** Where visitors reach an HTTP service; the console without a domain has a port of its own. */
export function publicUrl(
  { domain, pathLocation, builtin }: Pick<HttpServiceRow, 'domain' | 'pathLocation' | 'builtin'>,
  settings: Settings,
): string {
  const port = builtin && domain === null ? settings.consolePort : settings.httpsPort;
  return `https://${hostOf(domain, settings)}${portOf(port)}${pathLocation}`;
}

/** Where visitors reach what a domain has at its root. */
export const domainUrl = (domain: string, { httpsPort }: Pick<Settings, 'httpsPort'>): string =>
  `https://${domain}${portOf(httpsPort)}/`;

/** Where clients reach a TCP or UDP service. */
export function publicAddress(
  { domain, proto, port }: Pick<TcpServiceRow, 'domain' | 'proto' | 'port'>,
  settings: Settings,
): string {
  return `${proto}://${hostOf(domain, settings)}:${port}`;
}

const portOf = (port: number): string => (port === HTTPS_PORT ? '' : `:${port}`);

const hostOf = (domain: string | null, { vpnHost }: Settings): string =>
  domain ?? (isIPv6(vpnHost) ? `[${vpnHost}]` : vpnHost);

/** What of the settings the addresses of services are made of. */
export const addressParts = (settings: Settings): AddressParts => ({
  ownHost: hostOf(null, settings),
  httpsPort: portOf(settings.httpsPort),
  consolePort: portOf(settings.consolePort),
});

type Place = Pick<TcpServiceRow, 'proto' | 'port' | 'nodeId'>;
type Before = Pick<TcpServiceRow, 'id' | 'port'>;
type At = { store: StoreReader; world: World; settings: Settings; caller: Identity | null };

/**
 * Hands out the public ports of TCP and UDP services, each to one write at a time: asking the machine takes time, which
 * no transaction may, and two answers must not be the same. Whether a port is free in the end the database decides.
 */
export function createPublicPorts() {
  const held = new Set<number>();
  const holding = async <T>(ports: readonly number[], work: () => Promise<T>): Promise<T> => {
    for (const port of ports) held.add(port);
    try {
      return await work();
    } finally {
      for (const port of ports) held.delete(port);
    }
  };
  const refuse = (problem: string) => failure.invalid([{ field: 'port', message: problem }]);

  return {
    /**
     * Writes with the port that was asked for.
     * @param before the service that moves to it, if it is none that is new; its old port is kept for it, for the case
     *   that the write is taken back
     * @throws {Failure} 422 next to `port` when it is outside the range, another service's or another process's, or, for the
     *   token of a node, lately another node's
     */
    async given<T>({ proto, port, nodeId }: Place, before: Before | null, at: At, write: () => Promise<T>): Promise<T> {
      const { store, world, settings, caller } = at;
      const { tcpPorts } = settings;
      // Whose a port is does not concern the token of a node, or one for some nodes.
      const taken = (words: string): string =>
        nodesOf(caller) === null ? words : 'This port is not free. Choose another one.';
      const others = (await store.tcpServices.all({ port })).filter(({ id }) => id !== before?.id);
      const wasOthers = nodesOf(caller) !== null && (await store.formerPorts.ofOthers(nodeId)).has(port);
      refuseProblems([
        port < tcpPorts.from && { field: 'port', message: message.min(tcpPorts.from) },
        port > tcpPorts.to && { field: 'port', message: message.max(tcpPorts.to) },
        (others.length > 0 || wasOthers || held.has(port)) && { field: 'port', message: taken(takenMessage('port')) },
      ]);
      return holding([port, before?.port ?? port], async () => {
        if (!(await world.portIsFree(proto, port))) {
          throw refuse(taken(`Port ${port} is in use by another process. Free it or choose another port.`));
        }
        return write();
      });
    },

    /**
     * Writes with the lowest port of the range that no service has, open or not, and no other process, and that was not
     * lately another node's. Where there is none, an administrator is given one that was.
     * @param write answers null when the port was taken meanwhile, having changed nothing
     * @throws {Failure} 400 when there is none: nothing that was asked for is wrong
     */
    async next<T>(
      { proto, nodeId }: Omit<Place, 'port'>,
      at: At,
      write: (port: number) => Promise<T | null>,
    ): Promise<T> {
      const { store, world, settings, caller } = at;
      const { tcpPorts } = settings;
      const tried = new Set<number>();
      for (;;) {
        const taken = new Set((await store.tcpServices.all()).map(({ port }) => port));
        // Asked for after these: what is left in between is in one of both.
        const ofOthers = await store.formerPorts.ofOthers(nodeId);
        const isFree = (port: number): boolean => !taken.has(port) && !held.has(port) && !tried.has(port);
        const port =
          firstOf(tcpPorts, (each) => isFree(each) && !ofOthers.has(each)) ??
          (nodesOf(caller) === null ? firstOf(tcpPorts, isFree) : null);
        if (port === null) {
          throw failure.rejected(
            `No port is free from ${tcpPorts.from} to ${tcpPorts.to}. Delete a service, or widen SALLYPORT_TCP_PORTS.`,
          );
        }
        tried.add(port);
        const written = await holding([port], async () => ((await world.portIsFree(proto, port)) ? write(port) : null));
        if (written !== null) return written;
      }
    },
  };
}

function firstOf({ from, to }: Settings['tcpPorts'], isRight: (port: number) => boolean): number | null {
  for (let port = from; port <= to; port += 1) if (isRight(port)) return port;
  return null;
}

export type PublicPorts = ReturnType<typeof createPublicPorts>;
