import type { Client } from '@sallyport/sdk';
import type { OwnNode } from '@sallyport/sdk/contract';
import type { Host } from './host.ts';
import type { HostConfig } from './hostConfig.ts';
import { type Listener, type Port, addressesOf, isOwnBackend, portName, reachOf } from './loopback.ts';
import { gatewayAddressIn } from './acceptedRoutes.ts';

/**
 * What a port of this host is to the gateway: reached as it is; forwarded to the loopback address; listened on where the
 * gateway gets no answer; or nothing listens there yet.
 */
type PortState = 'reachable' | 'forwarded' | 'unreachable' | 'none';

/** What this host found out about a port that it exposes. */
export type ExposedPort = { state: PortState; listens: string[]; sentence: string };

/** A port that a command on this host exposes. */
export type Exposure = {
  port: Port;
  /** Whether the user has named the port; otherwise the gateway has. */
  isNamed: boolean;
  /** The host behind a gateway node, as it is given or as the service has it. */
  backendHost: string | null | undefined;
};

const fetchedBy = async ({ cli }: Client, signal: AbortSignal) => {
  const [node, wg] = await Promise.all([cli.node({}, { signal }), cli.wgconfig({}, { signal })]);
  return { node, gatewayAddress: gatewayAddressIn(node, wg) };
};

/** Forwards what the node's open services lead to now, as far as this host has agreed. */
export async function forwardNow(host: Host, config: HostConfig, client: Client, signal: AbortSignal): Promise<void> {
  if (host.consent(config).allowLoopback.length > 0) await host.forward(config, await fetchedBy(client, signal));
}

/**
 * Publishes a port by `work`, forwarded where that is needed and possible.
 * @returns what came of it, and what the port is to the gateway; null when the service leads to another host
 */
export async function exposePort<T>(
  host: Host,
  config: HostConfig,
  client: Client,
  { port, isNamed, backendHost }: Exposure,
  work: (node: OwnNode) => Promise<T>,
  signal: AbortSignal,
): Promise<{ result: T; found: ExposedPort | null }> {
  const fetched = await fetchedBy(client, signal);
  const { node } = fetched;
  if (!isOwnBackend(node, backendHost)) return { result: await work(node), found: null };
  const isAgreed = isNamed || host.consent(config).allowLoopback.includes(portName(port));
  const { result, forwarded } = await host.publish(config, fetched, isAgreed ? port : undefined, () => work(node));
  const problem = isAgreed ? forwarded.problem : `no command on this host has named it; \`--port ${port.port}\` does.`;
  return { result, found: portFound(forwarded.listeners, port, node.address, problem) };
}

const nothingListens = ({ proto, port }: Port): string =>
  `Nothing listens on port ${port} of this host yet. Start the server, or run the command again with the right --port: \`ss ${proto === 'tcp' ? '-ltn' : '-lun'}\` lists the ports that have one.`;

/**
 * What to say of a port.
 * @param own this host's address in the tunnel
 * @param problem why it is not forwarded, in words that end a sentence; null: it is, where it has to be
 */
export function portFound(
  listeners: readonly Listener[],
  port: Port,
  own: string,
  problem: string | null,
): ExposedPort {
  const listens = addressesOf(listeners, port);
  const server = `The server on port ${port.port} of this host listens on ${listens.join(', ')}`;
  switch (reachOf(listeners, port, own)) {
    case 'reachable':
      return { state: 'reachable', listens, sentence: `${server}, where the gateway reaches it.` };
    case 'none':
      return { state: 'none', listens, sentence: nothingListens(port) };
    case 'loopback':
      return problem === null
        ? {
            state: 'forwarded',
            listens,
            sentence: `${server} only; this host forwards the gateway's connections to it.`,
          }
        : {
            state: 'unreachable',
            listens,
            sentence: `${server} only, where the gateway does not reach it, and it is not forwarded: ${problem} Or have it listen on every address.`,
          };
    default:
      return {
        state: 'unreachable',
        listens,
        sentence: `${server} only, where the gateway does not reach it. Have it listen on 127.0.0.1 or on every address.`,
      };
  }
}
