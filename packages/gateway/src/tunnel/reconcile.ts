import { createBackoff } from '../rules/backoff.ts';
import { type PlannedTunnel, tunnelPlan, type TunnelSettings } from './plan.ts';
import type { NodeRow } from '../store/rows.ts';
import type { KeyVault } from '../vault/keyVault.ts';
import type { Secret } from '../vault/secret.ts';
import { NOTHING_REFUSED, type Tunnel, type TunnelApplied, type TunnelStatus } from './wireguard/tunnel.ts';

/** The tunnel as the services of remote nodes see it. */
export type TunnelView = {
  status: TunnelStatus;
  /** The gateway's own address in it, from which alone the subnets are reached. */
  gateway: string;
  /** The subnets that are reached through a node, by its id. */
  subnets: ReadonlyMap<number, readonly string[]>;
  /** Why a node, or a subnet of it, is not reached, by its id. */
  problems: ReadonlyMap<number, string>;
  /** Those of the addresses `leftBehind` that are not reached yet, though a node has them now. */
  withheld: readonly string[];
};

/** Makes the tunnel follow the nodes. */
export type TunnelFollower = {
  /**
   * Fulfilled when exactly the enabled nodes are in the tunnel, or `status` says why not; it never fails.
   * @param leftBehind addresses to which nginx may still connect for the node that had them before
   */
  follow(nodes: readonly NodeRow[], leftBehind: readonly string[]): Promise<TunnelView>;
  /** Calls back when the view is another one, though no node was changed; returns the way to stop. */
  onChange(listener: () => void): () => void;
  /** How the tunnel is: what came of the last attempt, or whether this machine could have one. */
  status(): TunnelStatus;
  /** What is the matter with the way to the internet, in a sentence; null: nothing. */
  forwardingProblem(): string | null;
  stop(): void;
};

export type TunnelFollowerParts = {
  tunnel: Tunnel;
  settings: TunnelSettings;
  vault: Pick<KeyVault, 'open'>;
  /** Where nodes are, or were last, by public key: it is asked before a peer goes, and what is not known by then is lost. */
  endpoints(): Promise<ReadonlyMap<string, string>>;
  log: Record<'info' | 'warn', (facts: object, message: string) => void>;
};

const RETRY_MS = { min: 500, max: 30_000 };

/**
 * The interface is there from the start, without peers: a browser on this machine aborts what it is loading when one
 * appears, and would lose the answer to the first "Add Client". A machine that cannot have one is left alone.
 */
export function createTunnelFollower(parts: TunnelFollowerParts): TunnelFollower {
  const { tunnel, settings, log } = parts;
  const listeners = new Set<() => void>();
  const opened = new Map<string, Secret>();
  const vault = {
    // The same keys at every change of any node.
    open(sealed: string): Secret {
      const known = opened.get(sealed) ?? parts.vault.open(sealed);
      opened.set(sealed, known);
      return known;
    },
  };
  let nodes: readonly NodeRow[] = [];
  let left: readonly string[] = [];
  let followed: string | null = null;
  let view: TunnelView = {
    status: tunnel.status(),
    gateway: settings.gateway,
    subnets: new Map(),
    problems: new Map(),
    withheld: [],
  };
  let forwardingProblem: string | null = null;
  /** Whether nothing was followed yet: why it is off then, the start message says. */
  let isStarting = true;
  const retry = createBackoff(() => void again(), RETRY_MS);
  const forget = tunnel.onDamage(() => {
    log.warn({}, 'the tunnel was taken away; it is set up again');
    void again();
  });

  async function again(): Promise<void> {
    const before = JSON.stringify([view.status, [...view.problems]]);
    await follow(nodes, left, true);
    if (JSON.stringify([view.status, [...view.problems]]) !== before) for (const listener of listeners) listener();
  }

  async function follow(
    wanted: readonly NodeRow[],
    leftBehind: readonly string[],
    evenUnchanged: boolean,
  ): Promise<TunnelView> {
    nodes = wanted;
    left = leftBehind;
    const remote = wanted.filter(({ isLocal }) => !isLocal);
    const print = [
      ...leftBehind,
      ...remote.map(({ id, version, updatedAt }) => `${id} ${version} ${updatedAt}`),
    ].join();
    if (!evenUnchanged && followed === print) return view;
    if (!evenUnchanged && remote.length === 0 && !tunnel.present() && !tunnel.status().available) {
      followed = print;
      view = { ...view, status: tunnel.status(), subnets: new Map(), problems: new Map(), withheld: [] };
      return view;
    }
    const known = new Set([settings.sealedPrivateKey, ...remote.map((node) => node.sealedPresharedKey)]);
    for (const sealed of opened.keys()) if (!known.has(sealed)) opened.delete(sealed);
    try {
      const planned = tunnelPlan(remote, settings, vault, await parts.endpoints(), leftBehind);
      settle(remote, planned, await tunnel.apply(planned.plan));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      fail(remote, { available: false, failed: true, reason, fix: 'It is tried again by itself.' }, new Map());
    }
    followed = view.status.available ? print : null;
    isStarting = false;
    return view;
  }

  function settle(remote: readonly NodeRow[], planned: PlannedTunnel, applied: TunnelApplied): void {
    if (!applied.status.available) return fail(remote, applied.status, planned.problems);
    retry.reset();
    const problems = new Map(planned.problems);
    const subnets = new Map<number, readonly string[]>();
    for (const [id, all] of planned.subnets) {
      subnets.set(
        id,
        all.filter((subnet) => !applied.refusedSubnets.has(subnet)),
      );
      const refused = all.find((subnet) => applied.refusedSubnets.has(subnet));
      if (refused === undefined) continue;
      problems.set(id, `Its subnet ${refused} is not reached: ${applied.refusedSubnets.get(refused)}.`);
    }
    forwardingProblem = applied.forwardingProblem;
    view = { ...view, status: applied.status, subnets, problems, withheld: planned.withheld };
  }

  function fail(
    remote: readonly NodeRow[],
    status: TunnelStatus & { available: false },
    known: ReadonlyMap<number, string>,
  ): void {
    const isNews = view.status.available || view.status.reason !== status.reason;
    if (isNews && !isStarting) log.warn({ ...status }, 'the tunnel is off');
    forwardingProblem = NOTHING_REFUSED.forwardingProblem;
    const problems = new Map(known);
    // Where there is to be no tunnel, the screen says so once; this is about one that broke.
    for (const { id, enabled } of status.failed === true ? remote : []) {
      if (enabled && !problems.has(id)) problems.set(id, `The tunnel does not work: ${status.reason} ${status.fix}`);
    }
    view = { ...view, status, subnets: new Map(), problems, withheld: [] };
    // What no time fixes is tried as well: it costs nothing, and says the same again.
    retry.later();
  }

  return {
    follow: (wanted, leftBehind) => follow(wanted, leftBehind, false),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    status: () => (!view.status.available && view.status.failed === true ? view.status : tunnel.status()),
    forwardingProblem: () => forwardingProblem,
    stop() {
      retry.stop();
      forget();
      listeners.clear();
    },
  };
}
