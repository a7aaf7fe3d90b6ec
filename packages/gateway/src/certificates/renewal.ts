import { certificateAwaited, certificateProblem } from './issueFaults.ts';
import { isClockWrong } from '../rules/wrongClock.ts';
import type { Clock } from '../world.ts';
import type { DomainRow } from '../store/rows.ts';
import { type CertificateIssuer, IssueError, type IssuedPair, type IssueFault } from './certificateIssuer.ts';

/** Sees that every domain that wants one has a certificate of the authority, and keeps it fresh. */
export type IssuedCertificates = {
  /** The pair of a domain, once there is one. It may be about to end. */
  get(domain: string): Promise<IssuedPair | null>;
  /** Why a domain has no certificate of the authority, or no new one; null: all is well. `pair` is what `get` said. */
  problem(domain: string, pair: IssuedPair | null): string | null;
  /** That the first certificate of a domain is on its way; null: it is there, or `problem` says why not. */
  pending(domain: string, pair: IssuedPair | null): string | null;
  /**
   * Tells which domains are served, so that the authority finds its proofs. What is missing is asked for from now on;
   * a row of another version at once. Fulfilled when the pairs of domains that are gone are removed.
   */
  follow(domains: readonly Wanted[]): Promise<void>;
  /** Has every pair looked at again. */
  forget(): void;
  /**
   * Fulfilled when the authority has answered for a domain as it was last saved and that is served, or after ten
   * seconds. At once for any other domain.
   */
  tried(id: number): Promise<void>;
  /** Calls back when `get`, `problem` or `pending` may answer something new, and waits for it; returns the way to stop. */
  onNews(listener: () => Promise<void>): () => void;
  /** Ends the alarms and what is being asked for. */
  stop(): Promise<void>;
};

export type IssuedCertificatesParts = {
  issuer: CertificateIssuer;
  clock: Clock;
  /** The port on which nginx serves plain HTTP. */
  httpPort: number;
  log: Record<'info' | 'warn', (facts: object, message: string) => void>;
  /** From 0 to 1; another one each time. */
  random?: () => number;
};

type Wanted = Pick<DomainRow, 'id' | 'domain' | 'ssl' | 'version'>;

type Entry = {
  id: number;
  domain: string;
  version: number;
  /** Waiting for its turn, or being asked for. */
  pending: boolean;
  abort: AbortController;
  fault: IssueFault | null;
  failures: number;
  cancelRetry: () => void;
  tried: PromiseWithResolvers<void>;
};

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Four attempts in the first hour: Let's Encrypt takes five that fail for a name in an hour. */
const RETRY_MS = [MINUTE_MS, 5 * MINUTE_MS, 40 * MINUTE_MS, 2 * HOUR_MS, 12 * HOUR_MS] as const;
/** What was refused for its frequency must not be asked for soon. */
const LIMITED_MS = 3 * HOUR_MS;
/** Twice a day, at another time each day, so that gateways do not ask in step. */
const CHECK_MS = { min: 10 * HOUR_MS, max: 13 * HOUR_MS };
const RENEW_BEFORE_MS = 30 * DAY_MS;
/** Of the time that a certificate is valid; what is valid for some days only is renewed in time as well. */
const RENEW_LAST_PART = 1 / 3;
const TRIED_LIMIT_MS = 10 * SECOND_MS;

export function createIssuedCertificates(parts: IssuedCertificatesParts): IssuedCertificates {
  const { issuer, clock, log, random = Math.random } = parts;
  const listeners = new Set<() => Promise<void>>();
  const entries = new Map<string, Entry>();
  const known = new Map<string, Promise<IssuedPair | null>>();
  const queue: Entry[] = [];
  let working: Promise<void> | null = null;
  let running: Entry | null = null;
  let tidied = false;
  let stale = false;
  let stopped = false;
  let cancelCheck: (() => void) | null = null;

  const get = (domain: string): Promise<IssuedPair | null> => {
    const found = known.get(domain) ?? issuer.find(domain);
    known.set(domain, found);
    return found;
  };

  const isDue = (pair: IssuedPair | null): boolean => {
    if (pair === null || pair.authority !== issuer.authority) return true;
    const valid = pair.notAfter.getTime() - pair.notBefore.getTime();
    const before = Math.min(RENEW_BEFORE_MS, valid * RENEW_LAST_PART);
    return clock.now().getTime() >= pair.notAfter.getTime() - before;
  };

  const tell = async (): Promise<void> => {
    await Promise.all([...listeners].map((listener) => listener()));
  };

  /** What is being asked for may still be written down: it is removed when that is over. */
  const tidy = (): Promise<void> =>
    issuer
      .keepOnly([...entries.keys(), ...(running === null ? [] : [running.domain])])
      .catch((error: unknown) =>
        log.warn({ error: String(error) }, 'certificates that are not used any more could not be removed'),
      );

  const enqueue = (entry: Entry): void => {
    if (entry.pending || stopped) return;
    entry.pending = true;
    entry.cancelRetry();
    queue.push(entry);
    working ??= work();
  };

  /** One at a time: certbot takes no other, and an authority counts. */
  async function work(): Promise<void> {
    // `working` must be set before this can end.
    await Promise.resolve();
    for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
      if (entry.abort.signal.aborted) continue;
      running = entry;
      await ask(entry);
      running = null;
      if (entries.get(entry.domain) !== entry) await tidy();
    }
    // In the same step as the look at the queue: anyone who comes after it starts again.
    working = null;
  }

  async function ask(entry: Entry): Promise<void> {
    const { domain, abort } = entry;
    try {
      // Every attempt would fail, and authorities count those.
      if (isClockWrong(clock.now())) throw new IssueError({ kind: 'clock', detail: '' });
      known.set(domain, Promise.resolve(await issuer.issue(domain, abort.signal)));
      Object.assign(entry, { fault: null, failures: 0 });
      log.info({ domain }, 'a certificate was obtained');
    } catch (error) {
      if (abort.signal.aborted) return;
      entry.fault = error instanceof IssueError ? error.fault : { kind: 'other', detail: String(error) };
      log.warn({ domain, ...entry.fault }, 'a certificate could not be obtained');
      retryLater(entry);
    }
    entry.pending = false;
    // Not before it is served: anyone who waits wants to visit it. Nor may the next in the queue wait for that.
    void tell().then(entry.tried.resolve, entry.tried.resolve);
  }

  function retryLater(entry: Entry): void {
    const delay = RETRY_MS[Math.min(entry.failures, RETRY_MS.length - 1)] ?? DAY_MS;
    const kind = entry.fault?.kind;
    // To look at the clock, or for a program that is not there, costs nothing.
    const wait = kind === 'missing' || kind === 'clock' ? MINUTE_MS : kind === 'limit' ? LIMITED_MS : delay;
    entry.failures += 1;
    entry.cancelRetry = clock.wake(new Date(clock.now().getTime() + wait), () => enqueue(entry));
  }

  /** Asks for what is missing or about to end. What failed has its own time to be tried again. */
  async function look(entry: Entry): Promise<void> {
    const pair = await get(entry.domain).catch(() => null);
    if (stopped || entries.get(entry.domain) !== entry || entry.pending) return;
    if (isDue(pair)) enqueue(entry);
    else entry.tried.resolve();
  }

  function drop(entry: Entry): void {
    entries.delete(entry.domain);
    known.delete(entry.domain);
    entry.abort.abort();
    entry.cancelRetry();
    entry.tried.resolve();
  }

  function checkLater(): void {
    if (cancelCheck !== null || stopped) return;
    const wait = CHECK_MS.min + random() * (CHECK_MS.max - CHECK_MS.min);
    cancelCheck = clock.wake(new Date(clock.now().getTime() + wait), () => {
      cancelCheck = null;
      known.clear();
      for (const entry of entries.values()) if (entry.fault === null) void look(entry);
      if (entries.size > 0) checkLater();
    });
  }

  return {
    get,
    problem(domain, pair) {
      const fault = entries.get(domain)?.fault ?? null;
      const { authority } = issuer;
      if (fault === null) return null;
      const availability = issuer.availability();
      const unavailable = availability.available ? null : availability.reason;
      return certificateProblem(fault, { domain, authority, httpPort: parts.httpPort, pair, unavailable });
    },
    pending(domain, pair) {
      const hasFailed = (entries.get(domain)?.fault ?? null) !== null;
      return pair === null && !hasFailed ? certificateAwaited(issuer) : null;
    },
    async follow(domains) {
      if (stopped) return;
      const wanted = new Map(domains.flatMap((row) => (row.ssl === 'certbot' ? [[row.domain, row] as const] : [])));
      const gone = [...entries.values()].filter(({ domain, id }) => wanted.get(domain)?.id !== id);
      gone.forEach(drop);
      for (const { id, domain, version } of wanted.values()) {
        const before = entries.get(domain);
        if (before?.version === version && !stale) continue;
        const entry: Entry = before ?? {
          id,
          domain,
          version,
          pending: false,
          abort: new AbortController(),
          fault: null,
          failures: 0,
          cancelRetry: () => undefined,
          tried: Promise.withResolvers(),
        };
        if (before !== undefined && before.version !== version && !before.pending) {
          before.tried.resolve();
          Object.assign(before, { failures: 0, tried: Promise.withResolvers<void>() });
        }
        entry.version = version;
        entries.set(domain, entry);
        void look(entry);
      }
      stale = false;
      if (entries.size > 0) checkLater();
      if (!tidied || gone.length > 0) await tidy();
      tidied = true;
    },
    forget() {
      known.clear();
      stale = true;
    },
    async tried(id) {
      const entry = [...entries.values()].find((each) => each.id === id);
      if (entry === undefined) return;
      const late = Promise.withResolvers<void>();
      const cancel = clock.wake(new Date(clock.now().getTime() + TRIED_LIMIT_MS), late.resolve);
      await Promise.race([entry.tried.promise, late.promise]);
      cancel();
    },
    onNews(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      stopped = true;
      cancelCheck?.();
      queue.length = 0;
      for (const entry of entries.values()) drop(entry);
      await working;
    },
  };
}
