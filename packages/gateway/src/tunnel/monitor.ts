import { isDeepStrictEqual } from 'node:util';
import type { NodeRuntime } from '../world.ts';
import { type Moment, newTrack, type NodeTrack, observed, statusOf } from './status.ts';
import type { NodeRow, NodeTrafficRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import type { Tunnel } from './wireguard/tunnel.ts';

/** Knows how each node is, by asking WireGuard about all of them at once. */
export type TunnelWatch = {
  /** Reads what was kept, and begins to ask; before, every node is silent. */
  start(): Promise<void>;
  /** The nodes as they are from now on. */
  follow(nodes: readonly NodeRow[]): void;
  runtime(nodeId: number): NodeRuntime;
  /** Why nothing can be sent to a node, in a sentence; null when it can, or it is not known. */
  unreachable(nodeId: number): string | null;
  /** Whether the host of a node has to join again, and has not done so yet: its keys were replaced. */
  mustRejoin(nodeId: number): boolean;
  /** Whether it is known that a node had no handshake yet: nothing was ever reached through its services. */
  neverConnected(nodeId: number): boolean;
  /** Calls back when `neverConnected` answers something new, once for all nodes of a look. */
  onFirstHandshake(listener: () => void): () => void;
  /** Where nodes were last, by public key. */
  endpoints(): ReadonlyMap<string, string>;
  /** Calls back when `runtime` answers something new; while a client listens, it is asked each second. */
  onRuntime(listener: () => void): () => void;
  /** Calls back when `unreachable` answers something new. */
  onReach(listener: () => void): () => void;
  /** Asks now. */
  look(): Promise<void>;
  /** Keeps what was counted. */
  stop(): Promise<void>;
};

export type TunnelWatchParts = {
  tunnel: Pick<Tunnel, 'read'>;
  store: Pick<Store, 'nodes' | 'nodeTraffic' | 'write'>;
  /** The public keys of nodes whose keys were replaced. */
  rejoining?: ReadonlySet<string>;
  now?: () => Moment;
  log: Record<'warn', (facts: object, message: string) => void>;
};

/** With what it takes to read and to tell, a change is seen within a second. */
const WATCHED_MS = 750;
const UNWATCHED_MS = 5000;
const SAVE_MS = 60_000;
/** Who has made or changed a node is about to connect it, and waits for it. */
const AWAITED_MS = 3_600_000;

/** A node of which nothing was heard. */
export const SILENT: NodeRuntime = {
  status: 'offline',
  clientIp: null,
  latestHandshakeTimestamp: null,
  transferRx: null,
  transferTx: null,
};

type Known = {
  row: NodeRow;
  track: NodeTrack;
  runtime: NodeRuntime;
};

export function createTunnelWatch({ tunnel, store, log, ...rest }: TunnelWatchParts): TunnelWatch {
  const now = rest.now ?? (() => ({ wall: Date.now(), steady: performance.now() }));
  const stored = new Map<number, NodeTrafficRow>();
  const saved = new Map<number, NodeTrafficRow>();
  const runtimeListeners = new Set<() => void>();
  const reachListeners = new Set<() => void>();
  const firstListeners = new Set<() => void>();
  /** WireGuard said of all nodes how they are; while it does not, it is not known which never connected. */
  let isReadable = false;
  let byKey = new Map<string, Known>();
  let byId = new Map<number, Known>();
  let timer: NodeJS.Timeout | null = null;
  /** After how long the timer looks. */
  let beatMs = UNWATCHED_MS;
  let savedAt = now().steady;
  let looking: Promise<void> = Promise.resolve();
  /** The look that begins when the one that is under way has ended. */
  let nextLook: Promise<void> | null = null;
  let running = false;

  function follow(nodes: readonly NodeRow[]): void {
    const before = byId;
    byId = new Map();
    byKey = new Map();
    for (const row of nodes) {
      if (row.isLocal || row.publicKey === null) continue;
      const known = before.get(row.id);
      const isSame = known?.row.publicKey === row.publicKey;
      const kept = isSame ? known.track : newTrack(row.id, row.publicKey, known?.track.traffic ?? stored.get(row.id));
      // Anyone who was disconnected is not there until they are heard again.
      const track = row.enabled ? kept : { ...kept, receivedAt: null, handshakeAgeFrom: null };
      const next: Known = { row, track, runtime: runtimeOf(row, track, now().steady) };
      byId.set(row.id, next);
      byKey.set(row.publicKey, next);
    }
    for (const id of saved.keys()) if (!byId.has(id)) saved.delete(id);
    // A node that has just been made does not wait for the slow beat either.
    if (beatMs !== WATCHED_MS && isAwaited()) lookLater();
  }

  async function ask(): Promise<void> {
    const readings = await tunnel.read();
    const at = now();
    let isFirst = isReadable !== (readings !== null);
    isReadable = readings !== null;
    for (const reading of readings ?? []) {
      const known = byKey.get(reading.publicKey);
      if (known === undefined) continue;
      const { handshakeAt } = known.track.traffic;
      known.track = observed(known.track, reading, at);
      if (handshakeAt === null && known.track.traffic.handshakeAt !== null) isFirst = true;
    }
    let isNews = false;
    let isReach = false;
    for (const known of byId.values()) {
      const before = known.runtime;
      const runtime = runtimeOf(known.row, known.track, at.steady);
      if (isDeepStrictEqual(before, runtime)) continue;
      known.runtime = runtime;
      isNews = true;
      if ((before.status === 'offline') !== (runtime.status === 'offline')) isReach = true;
    }
    if (isFirst) for (const listener of firstListeners) listener();
    if (isReach) for (const listener of reachListeners) listener();
    if (isNews) for (const listener of runtimeListeners) listener();
    if (at.steady - savedAt >= SAVE_MS) await save();
  }

  /** One that is under way may have read already; all who ask meanwhile share the one after it. */
  function look(): Promise<void> {
    nextLook ??= looking.then(() => {
      nextLook = null;
      looking = ask().catch((error: unknown) => log.warn({ err: error }, 'the tunnel could not be read'));
      return looking;
    });
    return nextLook;
  }

  async function save(): Promise<void> {
    savedAt = now().steady;
    const rows = [...byId.values()].flatMap(({ track }) =>
      track.isLive && !isDeepStrictEqual(saved.get(track.traffic.nodeId), track.traffic) ? [track.traffic] : [],
    );
    if (rows.length === 0) return;
    try {
      await store.write((tx) => tx.nodeTraffic.save(rows));
      for (const row of rows) saved.set(row.nodeId, row);
    } catch (error) {
      // A full disk costs a minute of figures; they are tried again with the next ones.
      log.warn({ err: error }, 'the traffic of nodes could not be kept');
    }
  }

  const isAwaited = (): boolean =>
    [...byId.values()].some(
      ({ row, track }) =>
        row.enabled &&
        track.traffic.handshakeAt === null &&
        Math.abs(now().wall - Date.parse(row.updatedAt)) < AWAITED_MS,
    );

  function lookLater(): void {
    if (!running) return;
    if (timer !== null) clearTimeout(timer);
    beatMs = runtimeListeners.size > 0 || isAwaited() ? WATCHED_MS : UNWATCHED_MS;
    timer = setTimeout(() => void look().finally(lookLater), beatMs);
    timer.unref();
  }

  return {
    async start() {
      for (const row of await store.nodeTraffic.all()) {
        stored.set(row.nodeId, row);
        saved.set(row.nodeId, row);
      }
      follow(await store.nodes.all());
      running = true;
      lookLater();
    },
    follow,
    look,
    runtime: (nodeId) => byId.get(nodeId)?.runtime ?? SILENT,
    unreachable(nodeId) {
      const known = byId.get(nodeId);
      // Nothing was read yet: it may well be there.
      if (known === undefined || !running || !known.row.enabled) return null;
      if (known.runtime.status !== 'offline') return null;
      const { name } = known.row;
      return known.track.traffic.handshakeAt === null
        ? `Its node ${name} has not connected yet. Bring up the tunnel there.`
        : `Its node ${name} is not connected. Look whether its tunnel is up, and whether it reaches this gateway.`;
    },
    mustRejoin(nodeId) {
      const known = byId.get(nodeId);
      const key = known?.row.publicKey ?? null;
      return key !== null && rest.rejoining?.has(key) === true && known?.track.traffic.handshakeAt === null;
    },
    neverConnected(nodeId) {
      const known = byId.get(nodeId);
      return isReadable && known !== undefined && known.row.enabled && known.track.traffic.handshakeAt === null;
    },
    onFirstHandshake: (listener) => subscribe(firstListeners, listener),
    endpoints: () =>
      new Map(
        [...byKey].flatMap(([key, { track }]) =>
          track.traffic.endpoint === null ? [] : [[key, track.traffic.endpoint] as const],
        ),
      ),
    onRuntime(listener) {
      const stop = subscribe(runtimeListeners, listener);
      // The first who watches does not wait for the slow beat.
      if (runtimeListeners.size === 1 && running) void look().finally(lookLater);
      return stop;
    },
    onReach: (listener) => subscribe(reachListeners, listener),
    async stop() {
      running = false;
      if (timer !== null) clearTimeout(timer);
      await look();
      await save();
    },
  };
}

function runtimeOf({ keepalive }: NodeRow, track: NodeTrack, steady: number): NodeRuntime {
  const { traffic, isLive } = track;
  const isKnown = isLive || traffic.handshakeAt !== null;
  return {
    status: isLive ? statusOf(track, keepalive, steady) : 'offline',
    clientIp: isLive && traffic.endpoint !== null ? hostOf(traffic.endpoint) : null,
    latestHandshakeTimestamp: traffic.handshakeAt,
    transferRx: isKnown ? traffic.totalRx : null,
    transferTx: isKnown ? traffic.totalTx : null,
  };
}

const hostOf = (endpoint: string): string => endpoint.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');

function subscribe(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}
