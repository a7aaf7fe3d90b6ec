import { createIngressPreparation, type PreparationParts } from './ingressPreparation.ts';
import { ingressProblem } from './ingressProblem.ts';
import type { ObjectKind } from '../ports.ts';
import {
  bisect,
  type Culprit,
  findOwner,
  forgetChanged,
  isolate,
  objectKey,
  type ObjectKey,
  type Quarantine,
  withoutQuarantined,
} from './quarantine.ts';
import type { ConfigFile, DesiredState, Owner, RenderFault } from '../render/desiredState.ts';
import type { Change } from '../store/change.ts';
import type { Store } from '../store/store.ts';
import type { Ingress } from '../system/ingress.ts';
import type { Fault } from '../system/nginxFaults.ts';

/** What became of a caller's changes: `rejected` is the reason why they were taken back, in a sentence. */
export type Published = { rejected: string | null };

export type IngressStatus = {
  up: boolean;
  /** Number of the configuration that nginx serves. */
  generation: number;
  /** Why the ingress as a whole does not serve the database, in a sentence. */
  problem: string | null;
};

/** Makes the outside world follow the database. */
export type Reconciler = {
  /** Fulfilled when what the database says, these changes included, is served; or when they were taken back. */
  publish(changes: readonly Change[]): Promise<Published>;
  /** Serves what is in the database; `problem` says why it could not. Only then timers and listeners run. */
  start(): Promise<{ problem: string | null }>;
  /** Why an object cannot be served as saved; null when it is. */
  problem(kind: ObjectKind, id: number): string | null;
  /** Calls back when `problem` or `state` may answer something new; returns the way to stop. */
  onFindings(listener: () => void): () => void;
  state(): IngressStatus;
  /** Ends the timers and waits for the generation in progress. nginx goes on serving. */
  stop(): Promise<void>;
};

export type ReconcilerParts = PreparationParts & {
  store: Pick<Store, 'desired' | 'restore'>;
  ingress: Ingress;
};

type Waiter = { changes: readonly Change[]; done(result: Published): void };

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 30_000;
/** How often it is tried whether an object with a problem can be served after all. */
const RECHECK_MS = 60_000;

export function createReconciler(parts: ReconcilerParts): Reconciler {
  const { store, ingress, log } = parts;
  const quarantine: Quarantine = new Map();
  const listeners = new Set<() => void>();
  let problems = new Map<string, string>();
  let status: IngressStatus = { up: false, generation: 0, problem: null };
  let waiters: Waiter[] = [];
  let work: Promise<void> | null = null;
  let wanted = false;
  let stopped = false;
  let served: string | null = null;
  let retry: NodeJS.Timeout | null = null;
  let retryMs = RETRY_MIN_MS;
  let recheck: NodeJS.Timeout | null = null;
  let forgetDeath: (() => void) | null = null;
  const preparation = createIngressPreparation(parts, () => void schedule());

  /** One generation at a time; whoever comes meanwhile shares the next one. */
  function schedule(): Promise<void> {
    if (stopped) return Promise.resolve();
    wanted = true;
    work ??= drain();
    return work;
  }

  async function drain(): Promise<void> {
    while (wanted && !stopped) {
      // Callers of the same moment belong to the same generation.
      await new Promise<void>((next) => void setImmediate(next));
      wanted = false;
      const batch = waiters;
      waiters = [];
      const left = await serve(batch).catch((error: unknown) => {
        log.error({ err: error }, 'an unexpected error');
        fail(
          'The ingress could not be brought up to date; the log of the gateway says why. It is tried again by itself.',
        );
        return batch;
      });
      for (const waiter of left) waiter.done({ rejected: null });
    }
    // In the same step as the look at `wanted`: whoever comes after it starts anew.
    work = null;
  }

  /** Serves the database. Returns the callers that were not refused. */
  async function serve(batch: readonly Waiter[]): Promise<Waiter[]> {
    let left = [...batch];
    // A row that is saved again is tried again.
    for (const { kind, id } of batch.flatMap(({ changes }) => changes)) quarantine.delete(`${kind} ${id}` as ObjectKey);

    const refuse = async (culprit: { kind: ObjectKind; id: number; reason: string }): Promise<boolean> => {
      const waiter = left.findLast(({ changes }) =>
        changes.some(({ kind, id, after }) => kind === culprit.kind && id === culprit.id && after !== null),
      );
      if (waiter === undefined) return false;
      left = left.filter((other) => other !== waiter);
      await store.restore(waiter.changes);
      log.warn({ ...culprit }, 'a change was refused and taken back');
      waiter.done({ rejected: culprit.reason });
      return true;
    };

    let looked = false;
    // Every round refuses a caller or puts one object deeper into quarantine, so there is an end.
    for (;;) {
      const desired = await store.desired();
      forgetChanged(quarantine, desired);
      const { state, problems: found, fingerprints, render } = await preparation.prepare(desired, ingress.layout);
      const rendered = render(withoutQuarantined(state, quarantine));
      const unwritable = await firstRefused(rendered.faults, refuse);
      if (unwritable) continue;
      for (const { kind, id, reason } of rendered.faults) found.set(`${kind} ${id}`, reason);
      for (const { kind, id, reason } of quarantine.values()) found.set(`${kind} ${id}`, reason);

      const fingerprint = JSON.stringify([fingerprints, rendered.files]);
      if (status.up && served === fingerprint) {
        settle(found, status);
        return left;
      }
      const applied = await ingress.apply(rendered.files);
      if (applied.ok) {
        served = fingerprint;
        retryMs = RETRY_MIN_MS;
        settle(found, { up: true, generation: applied.generation, problem: null });
        log.info({ generation: applied.generation }, 'nginx serves a new generation');
        return left;
      }
      if (!looked && applied.faults.some(({ path }) => path !== undefined)) {
        // It may be a certificate that was damaged since it was looked at; looking again mends it.
        looked = true;
        preparation.forgetCertificates();
        continue;
      }
      const culprit = await findCulprit(applied.faults, rendered.owners, state, (part) => render(part).files);
      if (culprit === null) {
        fail(ingressProblem(applied.faults, parts.options.ports), found);
        return left;
      }
      if (await refuse(culprit)) continue;
      isolate(quarantine, culprit, desired);
      log.warn({ ...culprit }, 'an object is quarantined; everything else is served');
    }
  }

  /** The first rendering fault that is a caller's own. */
  async function firstRefused(
    faults: readonly RenderFault[],
    refuse: (culprit: { kind: ObjectKind; id: number; reason: string }) => Promise<boolean>,
  ): Promise<boolean> {
    for (const fault of faults) if (fault.own && (await refuse(fault))) return true;
    return false;
  }

  async function findCulprit(
    faults: readonly Fault[],
    owners: readonly Owner[],
    state: DesiredState,
    render: (state: DesiredState) => ConfigFile[],
  ): Promise<Culprit | null> {
    const owner = findOwner(owners, faults);
    const outAlready = owner !== null && quarantine.get(objectKey(owner.kind, owner.id))?.level === 'out';
    if (owner !== null && !outAlready) return owner;
    // A port that is taken or a full disk is nobody's fault, and `check` would not see it.
    if (faults.some(({ environment, address }) => environment === true || address !== undefined)) return null;
    return bisect(withoutQuarantined(state, quarantine), render, (files) => ingress.check(files));
  }

  function fail(problem: string, found = problems): void {
    log.warn({ problem }, 'the ingress could not be brought up to date');
    served = null;
    settle(found, { ...status, up: false, problem });
    if (retry !== null || stopped) return;
    retry = setTimeout(() => {
      retry = null;
      void schedule();
    }, retryMs);
    retry.unref();
    retryMs = Math.min(retryMs * 2, RETRY_MAX_MS);
  }

  /** Remembers what was found, and tells the listeners when it is something new. */
  function settle(found: Map<string, string>, next: IngressStatus): void {
    const news =
      found.size !== problems.size ||
      [...found].some(([key, problem]) => problems.get(key) !== problem) ||
      next.up !== status.up ||
      next.generation !== status.generation ||
      next.problem !== status.problem;
    problems = found;
    status = next;
    if (news) for (const listener of listeners) listener();
  }

  /** What could not be served a while ago may be all right now: a mended certificate changes no row. */
  function recheckLater(): void {
    if (stopped) return;
    recheck = setTimeout(() => {
      if (problems.size > 0) {
        quarantine.clear();
        void schedule();
      }
      recheckLater();
    }, RECHECK_MS);
    recheck.unref();
  }

  return {
    publish(changes) {
      if (stopped) return Promise.resolve({ rejected: null });
      return new Promise((done) => {
        waiters.push({ changes, done });
        void schedule();
      });
    },
    async start() {
      forgetDeath = ingress.onDeath(() => {
        served = null;
        settle(problems, { ...status, up: false, problem: 'nginx ended unexpectedly; it is being started again.' });
        void schedule();
      });
      await schedule();
      recheckLater();
      return { problem: status.problem };
    },
    problem: (kind, id) =>
      problems.get(`${kind} ${id}`) ?? (kind === 'httpService' || kind === 'domain' ? status.problem : null),
    onFindings(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => status,
    async stop() {
      stopped = true;
      forgetDeath?.();
      preparation.stop();
      if (retry !== null) clearTimeout(retry);
      if (recheck !== null) clearTimeout(recheck);
      await work;
      for (const waiter of waiters.splice(0)) waiter.done({ rejected: null });
    },
  };
}
