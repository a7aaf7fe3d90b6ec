import { objectKey, type ObjectKey } from '../rules/attempt.ts';
import type { Clock, Health, ServiceKind } from '../world.ts';
import type { BackendProbe, ProbeTarget } from './backendProbe.ts';

/** A service that is enabled, and where its backend is. */
export type BackendTarget = {
  kind: ServiceKind;
  id: number;
  /** Another version is another state of the service: its backend is asked at once. */
  version: number;
  proto: 'http' | 'https' | 'tcp' | 'udp';
  /** IP addresses that nginx may reach; a packet goes to no other. */
  addresses: readonly string[];
  /** Of this machine, from which nginx reaches it; null: any. */
  sourceAddress: string | null;
  port: number;
  /** The name that a TLS handshake asks for; null: none. */
  serverName: string | null;
  /** Why there is no way to the backend, in a sentence: it is then down for that reason, and is sent nothing. */
  unreachable: string | null;
};

/** Keeps asking the backends of the services whether they answer. */
export type BackendHealth = {
  /** The services as they are served from now on, all of them. What is new or has changed is asked at once. */
  watch(targets: readonly BackendTarget[]): void;
  /** `unknown` for what is not watched, cannot be asked (UDP), or has not answered yet. */
  get(kind: ServiceKind, id: number): Health;
  /** Fulfilled once a service that was changed has its answer, at the latest after `PROBED_WAIT_MS`. */
  probed(kind: ServiceKind, id: number): Promise<void>;
  /**
   * Asks the backend of a service once more, unless it was asked within `ASKED_AGAIN_MS`; fulfilled with what is known
   * afterwards, at the latest after `ASKED_WAIT_MS`. What is unreachable is sent nothing. Nothing is asked while
   * `ASKED_OPEN_MAX` questions are open.
   */
  asked(kind: ServiceKind, id: number): Promise<Health>;
  /** Calls back when `get` may answer something new, once for many services; returns the way to stop. */
  onChange(listener: () => void): () => void;
  /** Gives up the questions that are open; nothing more is asked. */
  stop(): void;
};

type BackendHealthParts = {
  probe: BackendProbe;
  clock: Clock;
  /** Between 0 and 1. */
  random?: () => number;
};

/** How often a backend is asked, give or take a fifth, so that a thousand of them are not asked in step. */
const INTERVAL_MS = 30_000;
const JITTER = 0.2;
/**
 * A backend that was up counts as down only when it fails twice: an answer that is lost, or a restart of a moment, is
 * no outage. It counts as up again with its first answer.
 */
const CONFIRM_MS = 1500;
/** A backend that has just gone down is soon asked again, then more and more seldom: it may have been restarted. */
const RECOVERY_MS = 5000;
/** Backends that are due within this time are asked together, so that the machine may sleep in between. */
const TICK_MS = 250;
/** Most that are asked in one go: a start with thousands of services takes some seconds rather than much memory. */
const TOGETHER_MAX = 32;
/** Enough for a thousand backends that never answer, each of which keeps its question for five seconds. */
const OPEN_MAX = 192;
/** These many more for services that someone has just saved, as long as they are no more than that at a time. */
const SAVED_OPEN_MAX = 64;
/** Most that a save waits for an answer: a backend that is there, or refuses, needs a fraction of that. */
const PROBED_WAIT_MS = 250;
/** A backend is asked no more than so often, however many want to know. */
const ASKED_AGAIN_MS = 1000;
/**
 * They leave half of the questions to the backends that are due: a node's token may want to know of all its services. A name
 * with several addresses counts for each of them.
 */
const ASKED_OPEN_MAX = OPEN_MAX / 2;
/** Most that they wait, which is enough for a second question to a backend that did not answer the first. */
const ASKED_WAIT_MS = 3000;
/** Least time between two calls of the listeners: when a whole node goes, its services go one by one. */
const CHANGED_MS = 250;

const UNKNOWN: Health = { health: 'unknown', healthReason: null };
const UP: Health = { health: 'up', healthReason: null };

/** One backend, however many services lead to it. */
type Backend = {
  target: ProbeTarget;
  services: number;
  finding: Health;
  /** It was up and has failed once. */
  failedOnce: boolean;
  /** Failures since it was up, or since someone last saved a service that leads to it. */
  failures: number;
  dueAt: number;
  /** It is being asked. */
  open: boolean;
  /** When it was asked last. */
  askedAt: number;
  /** A service that leads to it was changed while it was being asked: the answer may be older than the change. */
  again: boolean;
  /** It has answered since such a service was changed. */
  fresh: boolean;
  /** Someone waits for it, so it comes before the others. */
  saved: boolean;
  waiting: (() => void)[];
};

type Watched = { version: number; key: string; backend: Backend | null; fixed: Health };

/** One timer for all backends; two services with the same backend are one question. */
export function createBackendHealth({ probe, clock, random = Math.random }: BackendHealthParts): BackendHealth {
  let services = new Map<ObjectKey, Watched>();
  const backends = new Map<string, Backend>();
  const listeners = new Set<() => void>();
  const stopping = new AbortController();
  let openCount = 0;
  let openAddresses = 0;
  let alarm: { at: number; cancel(): void } | null = null;
  let toldAt = Number.NEGATIVE_INFINITY;
  let telling: (() => void) | null = null;

  const now = (): number => clock.now().getTime();
  // Whole milliseconds, as a clock's alarms are: one with a fraction rings before its time, and costs a tick.
  const jittered = (ms: number): number => Math.ceil(ms * (1 - JITTER + random() * 2 * JITTER));
  const spread = (ms: number): number => Math.ceil(random() * ms);

  function ringAt(at: number): void {
    if (stopping.signal.aborted || (alarm !== null && alarm.at <= at)) return;
    alarm?.cancel();
    alarm = { at, cancel: clock.wake(new Date(at), askDue) };
  }

  function askDue(): void {
    alarm = null;
    const at = now();
    let next = Number.POSITIVE_INFINITY;
    const due: Backend[] = [];
    for (const backend of backends.values()) {
      if (backend.open) continue;
      // A clock that was set back must not put off the questions until it has caught up.
      if (backend.dueAt <= at || backend.dueAt > at + 2 * INTERVAL_MS) due.push(backend);
      else next = Math.min(next, backend.dueAt);
    }
    due.sort((a, b) => Number(b.saved) - Number(a.saved) || a.dueAt - b.dueAt);
    let room = TOGETHER_MAX;
    for (const backend of due) {
      if ((backend.saved || room > 0) && start(backend)) room -= 1;
      else next = at;
    }
    if (next < Number.POSITIVE_INFINITY) ringAt(Math.max(next, at + TICK_MS));
  }

  /** @returns whether there was room for one more question */
  function start(backend: Backend): boolean {
    if (stopping.signal.aborted || openCount >= OPEN_MAX + (backend.saved ? SAVED_OPEN_MAX : 0)) return false;
    const { length: addresses } = backend.target.addresses;
    openCount += 1;
    openAddresses += addresses;
    backend.open = true;
    backend.askedAt = now();
    backend.again = false;
    backend.saved = false;
    probe(backend.target, stopping.signal)
      .then((reason) => learn(backend, reason))
      // Nothing was learned; it is asked again in its turn.
      .catch(() => void (backend.dueAt = now() + jittered(INTERVAL_MS)))
      .finally(() => {
        openCount -= 1;
        openAddresses -= addresses;
        backend.open = false;
        if (backend.services === 0 || stopping.signal.aborted) return;
        if (backend.again) ask(backend, true);
        else {
          answer(backend);
          ringAt(backend.dueAt);
        }
      });
    return true;
  }

  function ask(backend: Backend, saved: boolean): void {
    backend.fresh = false;
    backend.again = backend.open;
    backend.saved ||= saved && !backend.open;
    // Anyone who saves is at work on it, and will want to see it come up.
    if (saved) backend.failures = 0;
    backend.dueAt = now();
    if (!backend.open && !(saved && start(backend))) ringAt(backend.dueAt);
  }

  function learn(backend: Backend, reason: string | null): void {
    const before = backend.finding;
    if (reason === null) {
      const isFirst = before === UNKNOWN;
      Object.assign(backend, { finding: UP, failedOnce: false, failures: 0 });
      // Those that were asked together at first are spread over the whole interval.
      backend.dueAt = now() + (isFirst ? spread(INTERVAL_MS) : jittered(INTERVAL_MS));
    } else if (before === UP && !backend.failedOnce) {
      backend.failedOnce = true;
      backend.dueAt = now() + jittered(CONFIRM_MS);
    } else {
      if (before.healthReason !== reason) backend.finding = { health: 'down', healthReason: reason };
      backend.failedOnce = false;
      backend.dueAt = now() + jittered(Math.min(INTERVAL_MS, RECOVERY_MS * 2 ** backend.failures));
      backend.failures += 1;
    }
    if (backend.finding !== before && backend.services > 0) tell();
  }

  /** Fulfilled with the backend's next answer, or when it takes too long. */
  function answered(backend: Backend, until: number): Promise<void> {
    return new Promise((done) => {
      const giveUp = clock.wake(new Date(until), done);
      backend.waiting.push(() => {
        giveUp();
        done();
      });
    });
  }

  function answer(backend: Backend): void {
    backend.fresh = true;
    for (const done of backend.waiting.splice(0)) done();
  }

  function tell(): void {
    if (telling !== null || stopping.signal.aborted) return;
    // Never further off than that, also when the clock was set back.
    const waitMs = Math.min(CHANGED_MS, Math.max(0, toldAt + CHANGED_MS - now()));
    telling = clock.wake(new Date(now() + waitMs), () => {
      telling = null;
      toldAt = now();
      for (const listener of listeners) listener();
    });
  }

  function backendOf(
    key: string,
    { proto, addresses, sourceAddress, port, serverName }: BackendTarget,
  ): Backend | null {
    if (proto === 'udp' || addresses.length === 0) return null;
    const known = backends.get(key);
    if (known !== undefined) return known;
    const backend: Backend = {
      target: { proto, addresses, sourceAddress, port, serverName },
      services: 0,
      finding: UNKNOWN,
      failedOnce: false,
      failures: 0,
      dueAt: now(),
      open: false,
      askedAt: Number.NEGATIVE_INFINITY,
      again: false,
      fresh: false,
      saved: false,
      waiting: [],
    };
    backends.set(key, backend);
    return backend;
  }

  function leave({ key, backend }: Watched): void {
    if (backend === null) return;
    backend.services -= 1;
    if (backend.services > 0) return;
    backends.delete(key);
    answer(backend);
  }

  return {
    watch(targets) {
      if (stopping.signal.aborted) return;
      const before = services;
      services = new Map();
      const toAsk = new Set<Backend>();
      for (const target of targets) {
        const name = objectKey(target.kind, target.id);
        const key = keyOf(target);
        const known = before.get(name);
        if (known?.key === key && known.version === target.version) {
          services.set(name, known);
          before.delete(name);
          continue;
        }
        const backend = target.unreachable === null ? backendOf(key, target) : null;
        const fixed: Health =
          target.unreachable === null ? UNKNOWN : { health: 'down', healthReason: target.unreachable };
        const watched = { version: target.version, key, backend, fixed };
        services.set(name, watched);
        if (!isSame(findingOf(known), findingOf(watched))) tell();
        if (backend === null) continue;
        backend.services += 1;
        toAsk.add(backend);
      }
      // A start, or a node that is back, brings many at once, and no one who waits for one of them.
      for (const backend of toAsk) ask(backend, toAsk.size <= SAVED_OPEN_MAX);
      // Only now, so that a backend which a service has just taken over keeps what is known of it.
      for (const gone of before.values()) leave(gone);
    },
    get(kind, id) {
      return findingOf(services.get(objectKey(kind, id)));
    },
    async probed(kind, id) {
      const backend = services.get(objectKey(kind, id))?.backend;
      if (backend && !backend.fresh) await answered(backend, now() + PROBED_WAIT_MS);
    },
    async asked(kind, id) {
      const name = objectKey(kind, id);
      const backend = services.get(name)?.backend;
      const until = now() + ASKED_WAIT_MS;
      // A clock that was set back must not put off the question until it has caught up.
      const mayAsk = backend && !backend.open && openAddresses < ASKED_OPEN_MAX;
      if (mayAsk && Math.abs(now() - backend.askedAt) >= ASKED_AGAIN_MS) start(backend);
      while (backend && (backend.open || backend.failedOnce) && now() < until) await answered(backend, until);
      return findingOf(services.get(name));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    stop() {
      stopping.abort();
      alarm?.cancel();
      telling?.();
      for (const backend of backends.values()) answer(backend);
      services = new Map();
      backends.clear();
    },
  };
}

const findingOf = (watched: Watched | undefined): Health => watched?.backend?.finding ?? watched?.fixed ?? UNKNOWN;

const isSame = (a: Health, b: Health): boolean => a.health === b.health && a.healthReason === b.healthReason;

/** What makes two backends the same question. */
function keyOf({ proto, addresses, sourceAddress, port, serverName, unreachable }: BackendTarget): string {
  if (unreachable !== null) return `unreachable ${unreachable}`;
  const how = proto === 'https' ? `tls ${serverName ?? ''}` : proto === 'udp' ? 'udp' : 'tcp';
  return `${how} ${addresses.join()} ${port} ${sourceAddress ?? ''}`;
}
