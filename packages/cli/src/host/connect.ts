import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnNode } from '@sallyport/sdk/contract';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { ConsentNeeded } from './acceptedRoutes.ts';
import type { Host } from './host.ts';
import type { HostConfig } from './hostConfig.ts';
import { type TunnelState, isAlive } from './tunnel.ts';

/** How long a connection may take until the gateway has answered through the tunnel. */
export const ANSWER_WAIT_MS = 20_000;
const POLL_MS = 250;
const TELL_EVERY_S = 5;

/** What a connection came to. */
export type Connected = {
  node: OwnNode;
  change: 'started' | 'unchanged' | 'replaced';
  /** The gateway's own address in the tunnel; null: it does not say. */
  gatewayAddress: string | null;
};

type Parts = Pick<Context, 'io' | 'signal' | 'now'>;

/**
 * Fetches the configuration and brings the tunnel up. When that fails, what was there before is there again.
 * @param mayAsk whether the user at the terminal is asked for this, and `config` takes the yes
 */
export async function connectHost(
  { io, signal }: Parts,
  host: Host,
  config: HostConfig,
  mayAsk: (needed: ConsentNeeded) => boolean = () => false,
): Promise<Connected> {
  const fetched = await host.fetch(config, signal).catch(async (error: unknown) => {
    const isAsked = error instanceof ConsentNeeded && mayAsk(error) && io.canAsk;
    if (!isAsked || !(await io.confirm(error.question))) throw error;
    Object.assign(config, error.consent);
    return host.fetch(config, signal);
  });
  const { node, gatewayAddress, endpoint, unusedDns } = fetched;
  if (!node.enabled) {
    throw new Failure(
      'disconnected',
      `The administrator has disabled this node, "${node.name}".`,
      'It can connect when the administrator enables it again.',
    );
  }
  signal.throwIfAborted();
  if (endpoint.used !== endpoint.given) {
    io.say(
      `The gateway says that it is reached as "${endpoint.given}", which is no use from here; the tunnel leads to ${endpoint.used} instead. SALLYPORT_VPN_HOST on the gateway sets what it says.`,
    );
  }
  if (unusedDns !== null) {
    io.say(
      `The gateway names DNS servers for this host (${unusedDns}), which are not used. \`sudo sallyport connect --allow-dns\` uses them.`,
    );
  }
  const change = await host.bringUp(config, fetched);
  await host.forward(config, fetched);
  return { node, gatewayAddress, change };
}

/**
 * Waits until the gateway answers through the tunnel: a handshake, and then its own address in there.
 * @throws {Failure} `disconnected` when it has not within `ANSWER_WAIT_MS`
 */
export async function waitForAnswer(
  { io, signal, now }: Parts,
  { machine, tunnel }: Pick<Host, 'machine' | 'tunnel'>,
  { interface: name }: Pick<HostConfig, 'interface'>,
  gatewayAddress: string | null,
): Promise<void> {
  const started = performance.now();
  let toldSeconds = 0;
  for (;;) {
    // What is sent makes WireGuard ask for a handshake as well.
    const answers = gatewayAddress === null || (await machine.answersPing(gatewayAddress));
    const state = await tunnel(name).state();
    if (answers && isAlive(state, now())) return;
    const seconds = Math.floor((performance.now() - started) / 1000);
    if (seconds * 1000 >= ANSWER_WAIT_MS) throw unanswered(state, now(), gatewayAddress);
    if (seconds >= toldSeconds + TELL_EVERY_S) {
      toldSeconds = seconds;
      io.say(`Waiting for the gateway to answer through the tunnel, ${seconds} s …`);
    }
    await sleep(POLL_MS, undefined, { signal });
  }
}

function unanswered(state: TunnelState, now: Date, gatewayAddress: string | null): Failure {
  const within = `within ${ANSWER_WAIT_MS / 1000} seconds`;
  const at = state.endpoint === null ? '' : ` at ${state.endpoint} (UDP)`;
  if (isAlive(state, now)) {
    return new Failure(
      'disconnected',
      `The tunnel is up and the gateway${at} knows this host, but its address in the tunnel, ${gatewayAddress}, has not answered ${within}.`,
      'See whether a packet filter of this host or of the gateway drops what comes through the tunnel, pings among it.',
    );
  }
  return new Failure(
    'disconnected',
    `The tunnel is up, but the gateway${at} has not answered ${within}.`,
    "Let that UDP port through the gateway's firewall and router, and see whether it is the gateway's address: SALLYPORT_VPN_HOST on the gateway sets it. `sallyport status` says when it answers.",
  );
}
