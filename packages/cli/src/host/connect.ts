import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnNode } from '@sallyport/sdk/contract';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Host } from './host.ts';
import type { HostConfig } from './hostConfig.ts';
import { type Tunnel, isAlive } from './tunnel.ts';

/** How long a connection may take until the gateway has answered through the tunnel. */
export const HANDSHAKE_WAIT_MS = 20_000;
const POLL_MS = 250;

/** What a connection came to. */
export type Connected = { node: OwnNode; change: 'started' | 'unchanged' | 'replaced' };

/** Fetches the configuration and brings the tunnel up. When that fails, what was there before is there again. */
export async function connectHost(host: Host, config: HostConfig, signal: AbortSignal): Promise<Connected> {
  const { node, text } = await host.fetch(config, signal);
  if (!node.enabled) {
    throw new Failure(
      'disconnected',
      `The administrator has disabled this node, "${node.name}".`,
      'It can connect when the administrator enables it again.',
    );
  }
  signal.throwIfAborted();
  return { node, change: await host.tunnel(config.interface).up(text) };
}

/**
 * Waits until the gateway answers through the tunnel.
 * @throws {Failure} `disconnected` when it has not within `HANDSHAKE_WAIT_MS`
 */
export async function waitForHandshake(context: Pick<Context, 'io' | 'signal' | 'now'>, tunnel: Tunnel): Promise<void> {
  const { io, signal } = context;
  const started = performance.now();
  let toldSeconds = 0;
  for (;;) {
    const state = await tunnel.state();
    if (isAlive(state, context.now())) return;
    const seconds = Math.floor((performance.now() - started) / 1000);
    if (seconds * 1000 >= HANDSHAKE_WAIT_MS) {
      const to = state.endpoint === null ? '' : ` at ${state.endpoint} (UDP)`;
      throw new Failure(
        'disconnected',
        `The tunnel is up, but the gateway${to} has not answered within ${HANDSHAKE_WAIT_MS / 1000} seconds.`,
        'See whether a firewall keeps its UDP port closed; `sallyport status` says when it answers.',
      );
    }
    if (seconds >= toldSeconds + 5) {
      toldSeconds = seconds;
      io.say(`Waiting for the gateway to answer through the tunnel, ${seconds} s …`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}
