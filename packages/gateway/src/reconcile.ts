import { type BackendNames, createBackendNames, type Resolve } from './backendNames.ts';
import { ingressProblem } from './ingressProblem.ts';
import { backendHosts, ingressState } from './ingressState.ts';
import type { ObjectKind } from './ports.ts';
import {
  bisect,
  findOwner,
  objectKey,
  type ObjectKey,
  type Quarantine,
  type Quarantined,
  withoutQuarantined,
} from './quarantine.ts';
import type { CertificateFiles, ConfigFile, DesiredState, RenderOptions } from './render/desiredState.ts';
import { renderNginx } from './render/nginx.ts';
import type { Change } from './store/change.ts';
import type { Desired, Store } from './store/store.ts';
import type { Ingress } from './system/ingress.ts';
import type { Fault } from './system/nginxFaults.ts';

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

type Certificates = {
  /** The files of a self-signed certificate for these names, made when there is none. Fails in words. */
  selfSigned(names: readonly string[]): Promise<CertificateFiles>;
};

type Log = { info(facts: object, message: string): void; warn(facts: object, message: string): void };

export type ReconcilerParts = {
  store: Pick<Store, 'desired' | 'restore'>;
  /** Null on a machine without nginx: everything is saved and nothing is served. */
  ingress: Ingress | null;
  resolve: Resolve;
  certificates: Certificates;
  options: Pick<RenderOptions, 'listen' | 'ports'> & {
    /** The names and addresses by which the console's own port is reached. */
    ownNames: readonly string[];
  };
  log: Log;
  now(): Date;
};

type Waiter = { changes: readonly Change[]; done(result: Published): void };

const RETRY_MIN_MS = 500;
const RETRY_MAX_MS = 30_000;
/** How often it is tried whether an object with a problem can be served after all. */
const RECHECK_MS = 30_000;

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
  const names: BackendNames = createBackendNames(parts.resolve, () => void schedule());

  /** One generation at a time; whoever comes meanwhile shares the next one. */
  function schedule(): Promise<void> {
    if (ingress === null || stopped) return Promise.resolve();
    wanted = true;
    work ??= drain(ingress).finally(() => {
      work = null;
    });
    return work;
  }

  async function drain(nginx: Ingress): Promise<void> {
    while (wanted && !stopped) {
      // Callers of the same moment belong to the same generation.
      await new Promise<void>((next) => void setImmediate(next));
      wanted = false;
      const batch = waiters;
      waiters = [];
      const left = await serve(nginx, batch).catch((error: unknown) => {
        fail(error instanceof Error ? error.message : String(error));
        return batch;
      });
      for (const waiter of left) waiter.done({ rejected: null });
    }
  }

  /** Serves the database. Returns the callers that were not refused. */
  async function serve(nginx: Ingress, batch: readonly Waiter[]): Promise<Waiter[]> {
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

    // Every round refuses a caller or puts one object deeper into quarantine, so there is an end.
    for (;;) {
      const desired = await store.desired();
      forgetChanged(desired);
      const found = new Map<string, string>();
      const { state, render } = await prepare(desired, nginx, found);
      const rendered = render(withoutQuarantined(state, quarantine));
      const unwritable = await firstRefused(rendered.faults, refuse);
      if (unwritable) continue;
      for (const { kind, id, reason } of rendered.faults) found.set(`${kind} ${id}`, reason);
      for (const { kind, id, reason } of quarantine.values()) found.set(`${kind} ${id}`, reason);

      const fingerprint = JSON.stringify(rendered.files);
      if (status.up && served === fingerprint) {
        settle(found, status);
        return left;
      }
      const applied = await nginx.apply(rendered.files);
      if (applied.ok) {
        served = fingerprint;
        retryMs = RETRY_MIN_MS;
        settle(found, { up: true, generation: applied.generation, problem: null });
        log.info({ generation: applied.generation }, 'nginx serves a new generation');
        return left;
      }
      const culprit = await findCulprit(nginx, applied.faults, rendered.owners, state, (part) => render(part).files);
      if (culprit === null) {
        problems = found;
        fail(ingressProblem(applied.faults, parts.options.ports));
        return left;
      }
      if (!(await refuse(culprit))) isolate(culprit, desired);
    }
  }

  /** The first rendering fault that is a caller's own. */
  async function firstRefused(
    faults: readonly { kind: ObjectKind; id: number; reason: string }[],
    refuse: (culprit: { kind: ObjectKind; id: number; reason: string }) => Promise<boolean>,
  ): Promise<boolean> {
    for (const fault of faults) if (await refuse(fault)) return true;
    return false;
  }

  async function prepare(desired: Desired, nginx: Ingress, found: Map<string, string>) {
    const now = parts.now();
    const [resolutions, certificate, certificates] = await Promise.all([
      names.resolveAll(backendHosts(desired, now)),
      parts.certificates.selfSigned(parts.options.ownNames),
      certificatesOf(desired),
    ]);
    const blame = (kind: ObjectKind, id: number, problem: string): void => void found.set(`${kind} ${id}`, problem);
    const state = ingressState(desired, { now, resolutions, certificates, blame });
    const options: RenderOptions = { ...parts.options, layout: nginx.layout, certificate };
    return { state, render: (part: DesiredState) => renderNginx(part, options) };
  }

  async function certificatesOf({ domains }: Desired) {
    const entries = domains.map(async ({ domain }) => {
      const certificate = await parts.certificates
        .selfSigned([domain])
        .catch(() => ({ problem: 'A certificate for it could not be made; the log of the gateway says why.' }));
      return [domain, certificate] as const;
    });
    return new Map(await Promise.all(entries));
  }

  /** Quarantine belongs to a row as it was; another version of it is tried anew. */
  function forgetChanged(desired: Desired): void {
    const versions = new Map<string, number>([
      ...desired.domains.map(({ id, version }) => [objectKey('domain', id), version] as const),
      ...desired.httpServices.map(({ id, version }) => [objectKey('httpService', id), version] as const),
    ]);
    for (const [key, { version }] of quarantine) if (versions.get(key) !== version) quarantine.delete(key);
  }

  async function findCulprit(
    nginx: Ingress,
    faults: readonly Fault[],
    owners: ReturnType<typeof renderNginx>['owners'],
    state: DesiredState,
    render: (state: DesiredState) => ConfigFile[],
  ): Promise<Omit<Quarantined, 'version' | 'level'> | null> {
    const owner = findOwner(owners, faults);
    const outAlready = owner !== null && quarantine.get(objectKey(owner.kind, owner.id))?.level === 'out';
    if (owner !== null && !outAlready) return owner;
    // A port that is taken or a full disk is nobody's fault, and `check` would not see it.
    if (faults.some(({ environment, address }) => environment === true || address !== undefined)) return null;
    return bisect(withoutQuarantined(state, quarantine), render, (files) => nginx.check(files));
  }

  function isolate(
    { kind, id, reason }: { kind: Quarantined['kind']; id: number; reason: string },
    desired: Desired,
  ): void {
    const key = objectKey(kind, id);
    const rows = kind === 'domain' ? desired.domains : desired.httpServices;
    const version = rows.find((row) => row.id === id)?.version ?? 0;
    const before = quarantine.get(key);
    quarantine.set(key, {
      kind,
      id,
      version,
      level: before === undefined ? 'closed' : 'out',
      reason: before?.reason ?? reason,
    });
    log.warn({ kind, id, reason }, 'an object is quarantined; everything else is served');
  }

  function fail(problem: string): void {
    log.warn({ problem }, 'the ingress could not be brought up to date');
    served = null;
    settle(problems, { ...status, up: false, problem });
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
      if (ingress === null || stopped) return Promise.resolve({ rejected: null });
      return new Promise((done) => {
        waiters.push({ changes, done });
        void schedule();
      });
    },
    async start() {
      if (ingress === null) return { problem: null };
      forgetDeath = ingress.onDeath(() => {
        served = null;
        settle(problems, { ...status, up: false, problem: 'nginx ended unexpectedly; it is being started again.' });
        void schedule();
      });
      await schedule();
      recheckLater();
      return { problem: status.problem };
    },
    problem: (kind, id) => problems.get(`${kind} ${id}`) ?? null,
    onFindings(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    state: () => status,
    async stop() {
      stopped = true;
      forgetDeath?.();
      names.stop();
      if (retry !== null) clearTimeout(retry);
      if (recheck !== null) clearTimeout(recheck);
      await work;
      for (const waiter of waiters.splice(0)) waiter.done({ rejected: null });
    },
  };
}
