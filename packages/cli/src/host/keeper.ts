import { setTimeout as sleep } from 'node:timers/promises';
import { isApiError } from '@sallyport/sdk';
import { Failure, sentence } from '../failure.ts';
import type { Forwarded, Host } from './host.ts';
import { JOIN_AGAIN, TOKEN_REFUSED } from './hostCommand.ts';
import { exposingCommand, portName } from './loopback.ts';
import { type NameResolver, openResolver, type ResolverPlace } from './resolver.ts';
import { isAlive } from './tunnel.ts';

/** How often the gateway is asked while all is well, unless someone says otherwise. */
export const KEEP_MS = 10_000;
/** The longest wait behind failures: as long may a service be missing after its gateway is back. */
export const KEEP_MAX_MS = 60_000;
/** So long without an answer through the tunnel, the gateway's name is looked up again. */
const SILENT_MAX_MS = 60_000;

/** It ends by this signal, and leaves the tunnel up for the one that systemd starts next, which may be a newer version. */
export const HANDOVER_SIGNAL = 'SIGUSR2';

/** How often what guards loopback is looked for, also while the gateway does not answer. */
const GUARD_MS = 5000;

/** What keeps a host connected needs of the world; tests give another time and another chance. */
export type KeeperParts = {
  host: Host;
  say: (sentence: string) => void;
  now: () => Date;
  signal: AbortSignal;
  /** Milliseconds between two looks while all is well. */
  everyMs?: number;
  random?: () => number;
  wait?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Answers the gateway's questions for names behind this host. */
  resolver?: (place: ResolverPlace) => Promise<NameResolver>;
};

const realWait = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => undefined);

/** The wait behind so many failures in a row: doubled each time, up to a bound. */
const pauseMs = (failures: number, everyMs: number): number =>
  Math.min(KEEP_MAX_MS, everyMs * 2 ** Math.min(failures, 16));

/** That wait as it is kept, which is never the same for two hosts: a quarter more or less. */
export const backoffMs = (failures: number, random: () => number, everyMs = KEEP_MS): number =>
  Math.round(pauseMs(failures, everyMs) * (0.75 + 0.5 * random()));

/**
 * Keeps this host as it is meant to be until `signal` aborts: connected, with the configuration that the gateway has now, while
 * the administrator has the node enabled and no one said `disconnect`; disconnected otherwise. A gateway that cannot be
 * asked changes nothing: the tunnel that is up stays up, and the pauses grow. Says what becomes of the host, each thing once, and
 * of a failure when it tries again, for as long as its pauses grow. Takes the tunnel down at the end, unless that is a `HANDOVER_SIGNAL`.
 */
export async function keepConnected({
  host,
  say,
  now,
  signal,
  everyMs = KEEP_MS,
  random = Math.random,
  wait = realWait,
  resolver = openResolver,
}: KeeperParts): Promise<void> {
  const names = createNameService(resolver);
  let failures = 0;
  let told = '';
  let toldForwarding = '';
  let upSince = now().getTime();
  const tell = (news: string) => {
    if (news !== told) say(news);
    told = news;
  };

  const tellForwarding = (forwarded: Forwarded) => {
    const news = forwardingNews(forwarded);
    if (news !== toldForwarding) say(news === '' ? 'Forwards nothing to the loopback address any more.' : news);
    toldForwarding = news;
  };

  /** One look; fulfilled with what there is to say, null when that is nothing. */
  async function look(): Promise<string | null> {
    const config = host.file.read();
    if (!config?.connected) names.end();
    if (!config) return 'This host is not a node of a gateway; waiting for `sallyport login` or `sallyport connect`.';
    const tunnel = host.tunnel(config.interface);
    if (!config.connected) {
      await tunnel.down();
      return 'Disconnected, until `sallyport connect`.';
    }
    const fetched = await host.fetch(config, signal);
    const { node } = fetched;
    const name = `Node "${node.name}"`;
    if (!node.enabled) {
      names.end();
      await tunnel.down();
      return `${name} is disabled by the administrator; disconnected.`;
    }
    const change = await host.keepUp(config, fetched);
    // `sallyport disconnect` came meanwhile; the next look goes by what it left.
    if (change === null) return null;
    tellForwarding(await host.forward(config, fetched));
    const { gatewayAddress } = fetched;
    const place = node.isGateway && gatewayAddress !== null ? { address: node.address, gateway: gatewayAddress } : null;
    const unanswered = await names.follow(place);
    if (unanswered !== null) say(unanswered);
    const state = await tunnel.state();
    if (change !== 'unchanged' || isAlive(state, now())) upSince = now().getTime();
    if (change !== 'unchanged')
      return `${name} is connected${change === 'replaced' ? ', with its new configuration' : ''}.`;
    if (now().getTime() - upSince > SILENT_MAX_MS) {
      upSince = now().getTime();
      await tunnel.restart();
      return `${name}: the gateway does not answer through the tunnel; restarted it.`;
    }
    return failures > 0 ? `${name}: the gateway answers again.` : null;
  }

  const guarding = guardLoopback(host, signal);
  while (!signal.aborted) {
    let reason: string | null = null;
    try {
      const news = await look();
      if (news !== null) tell(news);
      failures = 0;
    } catch (error) {
      if (signal.aborted) break;
      failures += 1;
      reason = sentenceOf(error);
    }
    const pause = backoffMs(failures, random, everyMs);
    if (reason !== null) {
      const grows = pauseMs(failures, everyMs) > pauseMs(failures - 1, everyMs);
      if (grows || reason !== told) say(`${reason} Trying again in ${Math.round(pause / 1000)} s.`);
      told = reason;
    }
    await wait(pause, signal);
  }
  await guarding;
  names.end();
  if (signal.reason instanceof Error && signal.reason.message === HANDOVER_SIGNAL) {
    say('Ends for the next start, and leaves the tunnel up.');
    return;
  }
  try {
    const config = host.file.read();
    if (config) await host.tunnel(config.interface).down();
  } catch (error) {
    // Behind a signal, no one else would tell of it.
    say(sentenceOf(error));
    throw error;
  }
}

/** Looks after what is forwarded by itself: a gateway could keep its answers back for as long as it likes. */
async function guardLoopback(host: Host, signal: AbortSignal): Promise<void> {
  const check = async () => {
    const config = host.file.read();
    if (config) await host.tunnel(config.interface).checkForwarding();
  };
  while (!signal.aborted) {
    await realWait(GUARD_MS, signal);
    // That the configuration cannot be read, the next look says.
    await check().catch(() => undefined);
  }
}

/** What is forwarded and what is not, for those who read the log of the service. */
function forwardingNews({ ports, refused, problem }: Forwarded): string {
  const names = [...new Set(ports.map(portName))].join(', ');
  const forwarded =
    problem === null ? `Forwards to the loopback address: ${names}.` : `Not forwarded: ${names}; ${problem}`;
  return [
    ...(ports.length > 0 ? [forwarded] : []),
    ...refused.map(
      (service) =>
        `Not forwarded: ${portName(service)} listens on the loopback address alone, and no command on this host has exposed it. If visitors are meant to reach it: \`sudo ${exposingCommand(service)}\`.`,
    ),
  ].join(' ');
}

/** Answers for names at one place at a time. */
function createNameService(open: (place: ResolverPlace) => Promise<NameResolver>) {
  let service: NameResolver | null = null;
  let at = '';
  const end = (): void => {
    service?.close();
    service = null;
    at = '';
  };
  return {
    end,
    /** Has it answer there, or nowhere. Fulfilled with why it cannot, which is said once for a place; null: nothing to say. */
    async follow(place: ResolverPlace | null): Promise<string | null> {
      const wanted = place === null ? '' : `${place.address} ${place.gateway}`;
      if (wanted === at && (service !== null || place === null)) return null;
      const isNew = wanted !== at;
      end();
      if (place === null) return null;
      at = wanted;
      try {
        service = await open(place);
        return null;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
        const other = code === 'EADDRINUSE' ? 'another program has it, which has to answer instead' : code;
        return isNew
          ? `The gateway's questions for names behind this host are not answered: port 53 at ${place.address} cannot be had (${other}).`
          : null;
      }
    },
  };
}

function sentenceOf(error: unknown): string {
  if (isApiError(error, 'unauthorized')) {
    return `${TOKEN_REFUSED} ${JOIN_AGAIN}`;
  }
  if (error instanceof Failure) return `${error.message} ${error.next ?? ''}`.trim();
  return sentence(error instanceof Error ? error.message : String(error));
}
