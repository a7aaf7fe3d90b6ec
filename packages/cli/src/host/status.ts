import { setTimeout as sleep } from 'node:timers/promises';
import { isApiError } from '@sallyport/sdk';
import type { OwnNode } from '@sallyport/sdk/contract';
import type { Host, LoopbackPort } from './host.ts';
import { JOIN_AGAIN, TOKEN_REFUSED } from './hostCommand.ts';
import type { HostConfig } from './hostConfig.ts';
import { type TunnelState, isAlive } from './tunnel.ts';

/** How this host is connected, in a word. */
export type Link = 'unconfigured' | 'down' | 'waiting' | 'up';

/** All that is known about this host as a node. */
export type HostStatus = {
  link: Link;
  url: string | null;
  interface: string | null;
  tunnel: TunnelState | null;
  /** What the gateway says; null when it was not asked or could not say. */
  node: OwnNode | null;
  /** Why the gateway did not say. */
  gatewayProblem: string | null;
  /** Ports of its services on the loopback address, forwarded or not; null: the gateway did not say which it has. */
  loopback: LoopbackPort[] | null;
};

const UNCONFIGURED: HostStatus = {
  link: 'unconfigured',
  url: null,
  interface: null,
  tunnel: null,
  node: null,
  gatewayProblem: null,
  loopback: null,
};

/** Looks at the tunnel alone. */
export async function linkOf(host: Host, config: HostConfig, now: Date): Promise<{ link: Link; tunnel: TunnelState }> {
  const tunnel = await host.tunnel(config.interface).state();
  return { link: tunnel.isUp ? (isAlive(tunnel, now) ? 'up' : 'waiting') : 'down', tunnel };
}

/** Looks at the tunnel and asks the gateway. What the gateway does not answer is part of the status, not an error. */
export async function statusOf(host: Host, now: () => Date, signal: AbortSignal): Promise<HostStatus> {
  const config = host.file.read();
  if (!config) return UNCONFIGURED;
  const [local, remote] = await Promise.all([linkOf(host, config, now()), ask(host, config, signal)]);
  // The last handshake may be young still when the administrator disables the node.
  const link = local.link === 'up' && remote.node?.enabled === false ? 'waiting' : local.link;
  const loopback = remote.node && (await host.loopbackPorts(config, remote.node));
  return { ...local, ...remote, loopback, link, url: config.url, interface: config.interface };
}

/** Long enough for a busy gateway that asks the backends first (3 s), short enough for someone who waits. */
const ASK_MAX_MS = 5000;

async function ask(
  host: Host,
  config: HostConfig,
  signal: AbortSignal,
): Promise<Pick<HostStatus, 'node' | 'gatewayProblem'>> {
  try {
    const { cli } = await host.client(config);
    return {
      node: await cli.node({ query: { fresh: 'true' } }, { signal, timeoutMs: ASK_MAX_MS }),
      gatewayProblem: null,
    };
  } catch (error) {
    signal.throwIfAborted();
    if (!isApiError(error)) throw error;
    const text = error.kind === 'unauthorized' ? `${TOKEN_REFUSED} ${JOIN_AGAIN}` : error.message;
    return { node: null, gatewayProblem: text };
  }
}

const POLL_MS = 2000;

/** The status now, and whenever it differs from the one before, until `signal` aborts. */
export async function* changingStatus(host: Host, now: () => Date, signal: AbortSignal): AsyncGenerator<HostStatus> {
  let last = '';
  while (!signal.aborted) {
    const found = await statusOf(host, now, signal);
    const text = JSON.stringify(found);
    if (text !== last) yield found;
    last = text;
    await sleep(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}
