import { isDeepStrictEqual } from 'node:util';
import { createBackoff } from '../rules/backoff.ts';
import type { BackendHealth } from '../health/backendHealth.ts';
import { backendTargets, networksOf, openServices, type OpenServices } from './openServices.ts';
import { type Batch, canWait, createWriteQueue, LEFT, liesBelowOpen, type Published } from './writeBatch.ts';
import { createConnectionCutter } from './connectionCutter.ts';
import { createFindings, ingressProblem, type IngressStatus, type Problems, WAITS_FOR_MEMORY } from './findings.ts';
import { createIngressPreparation, type PreparationParts, type Prepared } from './preparation.ts';
import type { IssuedCertificates } from '../certificates/renewal.ts';
import { objectKey, type ObjectKey } from '../rules/attempt.ts';
import { writeHistory } from '../store/records.ts';
import { OWN_NAME_REASON, OWN_PATH_REASON, withClosed, withoutOwnNames } from './state.ts';
import type { CertificateState, ObjectKind } from '../world.ts';
import {
  bisect,
  type Culprit,
  findOwners,
  forgetChanged,
  isolate,
  partOf,
  type Quarantine,
  withoutQuarantined,
} from './quarantine.ts';
import type { TunnelFollower } from '../tunnel/reconcile.ts';
import type { TunnelWatch } from '../tunnel/monitor.ts';
import type { ConfigFile, OwnerKind, Rendered } from './render/desiredState.ts';
import type { Change } from '../store/transaction.ts';
import type { Desired, Store } from '../store/store.ts';
import type { OpenConnections } from './nginx/openConnections.ts';
import type { Ingress } from './nginx/ingress.ts';
import { type Fault, isDiskFault } from './nginx/faults.ts';

/** Makes the outside world follow the database. */
export type Reconciler = {
  /** Fulfilled when what the database says, these changes included, is served; or when they were refused. */
  publish(changes: readonly Change[]): Promise<Published>;
  /**
   * Serves what is in the database; `problem` says why it could not. On a full disk (`isDiskFull`) nginx serves what it
   * served last, and it is tried again by itself. Only then timers and listeners run.
   */
  start(): Promise<{ problem: string | null; isDiskFull?: true }>;
  /** Why an object cannot be served as saved; null when it is. */
  problem(kind: ObjectKind, id: number): string | null;
  /** How the certificate of a domain is that is served; of one that is not there, nothing. */
  certificate(domainId: number): CertificateState;
  /** Calls back when `problem` or `state` may answer something new; returns the way to stop. */
  onFindings(listener: () => void): () => void;
  state(): IngressStatus;
  /** Whether open connections of closed services end at once; false when the machine refused it. */
  endsConnections(): boolean;
  /**
   * Addresses and networks in the tunnel to which nginx may connect, now or soon, for nodes that have them no more.
   * @param asking the number of the node that wants to have them; null: it is new
   */
  leftBehind(nodes: Desired['nodes'], asking: number | null): string[];
  /** Ends the timers and waits for the generation in progress. nginx goes on serving. */
  stop(): Promise<void>;
};

export type ReconcilerParts = PreparationParts & {
  store: Pick<Store, 'desired' | 'history' | 'restore' | 'writing'>;
  ingress: Ingress;
  openConnections: OpenConnections;
  /** Anyone who asks the backends is told which ones there are. */
  health: Pick<BackendHealth, 'watch'>;
  /** The authority is asked for what the served domains want. */
  issued: PreparationParts['issued'] & Pick<IssuedCertificates, 'follow' | 'onNews'>;
  /** The way to remote nodes. */
  tunnel: Pick<TunnelFollower, 'follow' | 'onChange'>;
  /** Which of them are there. */
  nodes: Pick<TunnelWatch, 'follow' | 'look' | 'unreachable' | 'neverConnected' | 'onReach' | 'onFirstHandshake'>;
};

/** Without domains whose names are none: nothing can be asked for under them. The domain itself says so. */
const readable = (desired: Desired): Desired =>
  desired.domains.every(({ domain }) => typeof domain === 'string')
    ? desired
    : { ...desired, domains: desired.domains.filter(({ domain }) => typeof domain === 'string') };

/** What nginx refused. */
type Refused = Pick<Rendered, 'owners'> &
  Pick<Prepared, 'state' | 'render'> & {
    /** Whether an object was changed by a caller who waits. */
    isChanged(kind: OwnerKind, id: number): boolean;
  };

/** What nginx was given, and what else may have called for it. */
type Served = { fingerprints: readonly string[]; files: readonly ConfigFile[] };

/** After how long a whole ingress that could not be served is tried again. */
const RETRY_MS = { min: 500, max: 30_000 };
/** After how long it is tried whether objects with a problem can be served after all. */
const RECHECK_MS = { min: 5000, max: 60_000 };

export function createReconciler(parts: ReconcilerParts): Reconciler {
  const { store, ingress, log } = parts;
  const quarantine: Quarantine = new Map();
  const findings = createFindings();
  const writes = createWriteQueue(takeBack, store.writing);
  const cutter = createConnectionCutter(parts.openConnections, log);
  const preparation = createIngressPreparation(parts, () => void schedule());
  const retry = createBackoff(() => void schedule(), RETRY_MS);
  // A repaired certificate or a port that was freed changes no row.
  const recheck = createBackoff(() => {
    if (!ingress.hasRoom()) {
      recheck.later();
      return;
    }
    quarantine.clear();
    void schedule();
  }, RECHECK_MS);
  let work: Promise<void> | null = null;
  let limiting: Promise<void> = Promise.resolve();
  let wanted = false;
  let urgent = false;
  let stopped = false;
  /** New objects that wait until memory has room for another generation. */
  const waiting = new Set<ObjectKey>();
  let isDiskFull = false;
  let served: Served | null = null;
  let certificates: ReadonlyMap<number, CertificateState> = new Map();
  /** Tells which backends there are once more: another node may be there, or gone. */
  let askBackends = (): void => undefined;
  const forget: (() => void)[] = [];

  /** One generation at a time; anyone who comes meanwhile shares the next one. */
  function schedule(isUrgent = true): Promise<void> {
    if (stopped) return Promise.resolve();
    wanted = true;
    urgent ||= isUrgent;
    work ??= drain();
    return work;
  }

  async function drain(): Promise<void> {
    while (wanted && !stopped) {
      await writes.collect();
      const mayWait = !urgent;
      wanted = false;
      urgent = false;
      const batch = writes.take();
      await serve(batch, mayWait).catch((error: unknown) => {
        log.error({ err: error }, 'an unexpected error');
        fail(
          'The ingress could not be brought up to date; the log of the gateway says why. It is tried again by itself.',
        );
      });
      batch.fulfil();
    }
    // In the same step as the look at `wanted`: anyone who comes after it starts again.
    work = null;
  }

  /** Whether the rows are again what they were before the changes. Where not, that concerns their caller alone. */
  async function takeBack(changes: readonly Change[]): Promise<boolean> {
    try {
      return await store.restore(changes);
    } catch (error) {
      log.error({ err: error }, 'a refused change could not be taken back');
      return false;
    }
  }

  /** Refuses all callers whose objects they are; false when no caller's are. */
  async function refuse(batch: Batch, culprits: readonly Culprit[], desired: Desired): Promise<boolean> {
    const refused = await batch.refuse(culprits);
    for (const { refusal, isTakenBack } of refused) {
      if (isTakenBack) log.warn({ ...refusal }, 'a change was refused and taken back');
      else {
        isolate(quarantine, refusal, desired, 'out');
        log.warn({ ...refusal }, 'a change was refused and cannot be taken back; it is quarantined');
      }
    }
    return refused.length > 0;
  }

  async function serve(batch: Batch, mayWait: boolean): Promise<void> {
    // A row that is saved again is tried again.
    for (const { kind, id } of batch.changes()) quarantine.delete(objectKey(kind, id));

    let looked = false;
    let status = findings.status();
    const released = new Set<string>();
    // Every round refuses callers, puts objects deeper into quarantine or has old workers end, so there is an end.
    for (;;) {
      const { desired, ownDomains, outside } = withoutOwnNames(
        readable(await store.desired()),
        parts.options.hostNames,
      );
      const leftBehind = cutter.begin(desired.nodes);
      forgetChanged(quarantine, desired);
      parts.nodes.follow(desired.nodes);
      // First the tunnel: what nginx serves next may lead through it. A node that goes is cut off before its services are.
      const tunnel = await parts.tunnel.follow(desired.nodes, leftBehind);
      // A host exposes its first service right after it has connected, and it is to be open when the call is answered.
      const services = [...desired.httpServices, ...desired.tcpServices];
      if (services.some(({ enabled, nodeId }) => enabled && parts.nodes.neverConnected(nodeId))) {
        await parts.nodes.look();
      }
      const prepared = await preparation.prepare(desired, ingress.layout, tunnel);
      const { problems, fingerprints, render } = prepared;
      const state = withClosed(prepared.state, outside);
      certificates = prepared.certificates;
      const rendered = render(withoutQuarantined(state, quarantine));
      // Those whose own change could not be rendered.
      const own = rendered.faults.filter((fault) => fault.own);
      if (await refuse(batch, own, desired)) continue;
      for (const { id } of ownDomains) problems.set(objectKey('domain', id), OWN_NAME_REASON);
      for (const id of outside) problems.set(objectKey('httpService', id), OWN_PATH_REASON);
      for (const { kind, id, reason } of rendered.faults) problems.set(objectKey(kind, id), reason);
      for (const { kind, id, reason } of quarantine.values()) problems.set(objectKey(kind, id), reason);

      const asked = { fingerprints, files: rendered.files };
      const isServed = status.up && isDeepStrictEqual(served, asked);
      const waits = mayWait && !liesBelowOpen(batch.changes(), desired.httpServices);
      if (!isServed && served !== null && status.up && waits && !ingress.hasRoom()) {
        for (const { kind, id } of batch.changes()) waiting.add(objectKey(kind, id));
        for (const key of waiting) problems.set(key, WAITS_FOR_MEMORY);
        settle(problems, status);
        return;
      }
      waiting.clear();
      const open = openServices(desired, state);
      if (!isServed) cutter.prepare(open);
      const history = await store.history();
      const origin = history === null ? undefined : writeHistory(history);
      const applied = isServed ? null : await ingress.apply(rendered.files, origin);
      if (applied === null || applied.ok) {
        if (applied !== null) {
          served = asked;
          status = { up: true, generation: applied.generation, problem: null };
          retry.reset();
          log.info({ generation: applied.generation }, 'nginx serves a new generation');
        }
        if (tunnel.withheld.some((address) => !released.has(address))) {
          // A node gets what was another's only once nothing of nginx leads there for that one.
          for (const address of tunnel.withheld) released.add(address);
          watchBackends(open, problems);
          await cutter.follow(open);
          if (await cutter.endWorkersTo(tunnel.withheld)) continue;
        }
        await settleServed(desired, open, problems, status);
        if (applied !== null) {
          limiting = limiting.then(() => limitOldWorkers(desired));
          await preparation.discardCertificates(desired);
        }
        return;
      }
      if (!looked && applied.faults.some(({ path }) => path !== undefined)) {
        // It may be a certificate that was damaged since it was looked at; looking again fixes it.
        looked = true;
        preparation.forgetCertificates();
        continue;
      }
      const changed = new Set(batch.changes().map(({ kind, id }) => objectKey(kind, id)));
      const isChanged = (kind: OwnerKind, id: number): boolean => changed.has(objectKey(kind, id));
      const culprits = await findCulprits(applied.faults, { owners: rendered.owners, state, render, isChanged });
      if (culprits.length === 0) {
        isDiskFull = applied.faults.some(isDiskFault);
        fail(ingressProblem(applied.faults, parts.options.ports), problems);
        return;
      }
      if (await refuse(batch, culprits, desired)) continue;
      for (const culprit of culprits) {
        isolate(quarantine, culprit, desired);
        log.warn({ ...culprit }, 'an object is quarantined; everything else is served');
      }
    }
  }

  async function findCulprits(faults: readonly Fault[], refused: Refused): Promise<Culprit[]> {
    const { state, render, isChanged } = refused;
    const isOut = ({ kind, id }: Culprit): boolean => quarantine.get(objectKey(kind, id))?.level === 'out';
    const named = findOwners(refused.owners, faults).filter((owner) => !isOut(owner));
    if (named.some(({ kind, id }) => isChanged(kind, id))) return [...named, ...(await findOthers(named, refused))];
    if (named.length > 0) return named;
    // A port that is taken or a full disk is no one's fault, and `check` would not see it.
    if (faults.some(({ environment, address }) => environment === true || address !== undefined)) return [];
    const culprit = await bisect(
      withoutQuarantined(state, quarantine),
      (part) => render(part).files,
      (files) => ingress.check(files),
      isChanged,
    );
    return culprit === null ? [] : [culprit];
  }

  /**
   * nginx names one fault of a configuration at a time. What else of the batch it would refuse is looked for among the
   * objects of the batch alone: it reads those in a moment, and the whole need not be loaded once for each.
   */
  async function findOthers(named: readonly Culprit[], { state, render, isChanged }: Refused): Promise<Culprit[]> {
    const others: Culprit[] = [];
    const known = new Set(named.map(({ kind, id }) => objectKey(kind, id)));
    const isLeft = (kind: OwnerKind, id: number): boolean => isChanged(kind, id) && !known.has(objectKey(kind, id));
    for (;;) {
      const part = partOf(withoutQuarantined(state, quarantine), isLeft);
      if (part.httpServices.length + part.tcpServices.length + part.domains.length === 0) return others;
      const { files, owners } = render(part);
      const found = findOwners(owners, await ingress.check(files)).filter(({ kind, id }) => isLeft(kind, id));
      if (found.length === 0) return others;
      others.push(...found);
      for (const { kind, id } of found) known.add(objectKey(kind, id));
    }
  }

  function fail(problem: string, problems: Problems = findings.problems()): void {
    log.warn({ problem }, 'the ingress could not be brought up to date');
    served = null;
    settle(problems, { ...findings.status(), up: false, problem });
    retry.later();
  }

  function watchBackends(open: OpenServices, problems: Problems): void {
    askBackends = () => parts.health.watch(backendTargets(open, problems, parts.nodes.unreachable));
    askBackends();
  }

  /** What is to happen once the database is served. */
  async function settleServed(desired: Desired, open: OpenServices, problems: Problems, status: IngressStatus) {
    watchBackends(open, problems);
    settle(problems, status);
    await Promise.all([cutter.follow(open), parts.issued.follow(desired.domains)]);
  }

  /** The workers of each generation count for themselves, so what a node holds open would grow with each change. */
  async function limitOldWorkers({ nodes }: Desired): Promise<void> {
    const remote = nodes.filter(({ isLocal }) => !isLocal).map(networksOf);
    if (remote.length === 0) return;
    try {
      const ended = await parts.openConnections.limit(remote, preparation.mostOfNode);
      if (ended > 0) log.info({ ended }, 'connections that old workers of nginx held were ended');
    } catch (error) {
      log.warn({ err: error }, 'what old workers of nginx hold open could not be limited');
    }
  }

  function settle(problems: Problems, status: IngressStatus): void {
    const { newProblems } = findings.settle(problems, status);
    if (newProblems) recheck.reset();
    if (problems.size > 0) recheck.later();
  }

  return {
    publish(changes) {
      if (stopped) return Promise.resolve(LEFT);
      const published = writes.add(changes);
      void schedule(!canWait(changes));
      return published;
    },
    async start() {
      const serveAnew = (): void => {
        served = null;
        void schedule();
      };
      forget.push(
        ingress.onDeath(() => {
          const problem = 'nginx ended unexpectedly; it is being started again.';
          settle(findings.problems(), { ...findings.status(), up: false, problem });
          serveAnew();
        }),
        ingress.onDamage(() => {
          log.warn({}, 'files of nginx were deleted or changed; they are made again');
          serveAnew();
        }),
        parts.issued.onNews(() => schedule()),
        parts.tunnel.onChange(() => void schedule()),
        parts.nodes.onReach(() => askBackends()),
        parts.nodes.onFirstHandshake(() => void schedule()),
      );
      await schedule();
      const { problem } = findings.status();
      if (problem !== null && isDiskFull) {
        const generation = await ingress.resume();
        if (generation !== null) settle(findings.problems(), { ...findings.status(), generation });
      }
      return { problem, ...(isDiskFull && { isDiskFull }) };
    },
    problem: (kind, id) =>
      findings.problems().get(objectKey(kind, id)) ?? (kind === 'node' ? null : findings.status().problem),
    certificate: (domainId) => certificates.get(domainId) ?? { pending: null, certificateEndsAt: null },
    onFindings: findings.onNews,
    state: findings.status,
    endsConnections: cutter.works,
    leftBehind: cutter.leftBehind,
    async stop() {
      stopped = true;
      for (const stop of forget.splice(0)) stop();
      preparation.stop();
      retry.stop();
      recheck.stop();
      cutter.stop();
      await work;
      await limiting;
      writes.take().leave();
    },
  };
}
