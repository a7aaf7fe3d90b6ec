import { type Applied, type ConfigFile, type Ingress, ingressLayout } from '../ingress/nginx/ingress.ts';
import type { Fault } from '../ingress/nginx/faults.ts';
import type { ClosingWorkers, ConnectionTarget, OpenConnections } from '../ingress/nginx/openConnections.ts';

/** Says what is wrong with a configuration, or null. */
export type Rejection = (files: ConfigFile[]) => Fault | Fault[] | null;

/** An ingress in memory: it keeps what it is given and serves no one. */
export type FakeIngress = Ingress & {
  /** The configuration that a real nginx would serve now, the generation's number filled in; null while stopped. */
  served(): { generation: number; files: ConfigFile[] } | null;
  /** Refuses every configuration of which this says a fault, until the returned function is called. */
  rejectWhen(rejection: Rejection): () => void;
  /** Ends it as a crash would. */
  crash(): void;
  /** Damages its files, until the next configuration. */
  damage(): void;
  /** Makes memory so short that there is no room for another generation, or gives it room again. */
  fill(full: boolean): void;
};

export function createFakeIngress(): FakeIngress {
  const data = { ingress: '/fake/ingress', secrets: '/fake/secrets', workerUser: null };
  const rejections = new Set<Rejection>();
  const mourners = new Set<() => void>();
  const watchers = new Set<() => void>();
  const layout = ingressLayout(data, { hasStream: true, streamModule: null, headersModule: null, hasHalfClose: true });
  let damaged = false;
  let isFull = false;
  let highest = 0;
  let origin: string | undefined;
  let served: { generation: number; files: ConfigFile[] } | null = null;

  const faultsOf = (files: ConfigFile[]): Fault[] => {
    if (files.some(({ path }) => path.startsWith('/') || path.split('/').includes('..'))) {
      throw new TypeError('A configuration file leads out of its generation.');
    }
    return [...rejections].flatMap((rejection) => rejection(files) ?? []);
  };

  const apply = async (files: ConfigFile[], given?: string): Promise<Applied> => {
    // A real one answers later, too.
    await Promise.resolve();
    const faults = faultsOf(files);
    highest += 1;
    const generation = highest;
    if (faults.length > 0) return { ok: false, faults };
    const filled = files.map(({ path, text }) => ({
      path,
      text: text.replaceAll(layout.generationMark, String(generation)),
    }));
    served = { generation, files: filled };
    origin = given;
    damaged = false;
    return { ok: true, generation };
  };

  return {
    layout,
    apply,
    hasRoom: () => !isFull,
    origin: () => Promise.resolve(served === null && origin === undefined ? null : origin),
    check: async (files) => {
      await Promise.resolve();
      return faultsOf(files);
    },
    resume: () => Promise.resolve(served?.generation ?? null),
    running: () => Promise.resolve(served !== null),
    onDeath: (listener) => {
      mourners.add(listener);
      return () => mourners.delete(listener);
    },
    onDamage: (listener) => {
      watchers.add(listener);
      return () => watchers.delete(listener);
    },
    intact: () => Promise.resolve(!damaged),
    reopenLogs: () => Promise.resolve(),
    stop: () => {
      served = null;
      return Promise.resolve();
    },
    close: () => {
      mourners.clear();
      watchers.clear();
    },
    served: () => served,
    rejectWhen: (rejection) => {
      rejections.add(rejection);
      return () => rejections.delete(rejection);
    },
    crash: () => {
      served = null;
      for (const mourner of mourners) mourner();
    },
    damage: () => {
      damaged = true;
      for (const watcher of watchers) watcher();
    },
    fill: (full) => {
      isFull = full;
    },
  };
}

/** Connections of a test: nothing is ended, but what was asked for is remembered. */
export type FakeConnections = OpenConnections & {
  /** The targets of each call, the oldest call first. */
  cuts: ConnectionTarget[][];
  /** How often old workers were ended. */
  ended(): number;
  /** The next generation is served, and of those before, numbered from 0, workers of these are on their way out. */
  serve(closing: readonly number[]): void;
  /** The machine is started again: nothing runs, and its times begin again. */
  reboot(): void;
  /** Makes the machine one that ends no connections, or again one that does. */
  refuse(refused: boolean): void;
};

export function createFakeConnections(): FakeConnections {
  const cuts: ConnectionTarget[][] = [];
  let refused = false;
  let ended = 0;
  let since = 0;
  let boot = 'boot';
  /** Where a test does not say it, each generation has a worker that stays until it is ended. */
  let closing: ClosingWorkers | null = null;
  let first = 0;
  let recorded: string | null = null;
  return {
    cuts,
    refuse: (value) => {
      refused = value;
    },
    ended: () => ended,
    closing: () => closing ?? workers(Array.from({ length: since + 1 - first }, (_, index) => first + index)),
    nextStart: () => (closing === null ? (since += 1) : since + 1),
    boot: () => boot,
    endWorkers: () => {
      ended += 1;
      first = since + 1;
      if (closing !== null) closing = [];
      return Promise.resolve(!refused);
    },
    reboot: () => {
      boot += ' again';
      since = 0;
      closing = [];
    },
    serve: (startTimes) => {
      since += 1;
      closing = workers(startTimes);
    },
    cut: (targets) => {
      cuts.push([...targets]);
      return Promise.resolve(refused ? null : targets.length);
    },
    limit: () => Promise.resolve(0),
    record: (text) => {
      recorded = text;
    },
    recorded: () => recorded,
  };
}

const workers = (startTimes: readonly number[]): ClosingWorkers =>
  startTimes.map((startTime) => ({ pid: startTime, startTime: String(startTime) }));

const lineOf = ({ text }: ConfigFile, word: string): number =>
  text.split('\n').findIndex((line) => line.includes(word)) + 1;

/** What nginx does with a parameter that it does not know: it names the line. For a fake ingress. */
export const refuses =
  (word: string) =>
  (files: ConfigFile[]): Fault | null => {
    const file = files.find(({ text }) => text.includes(word));
    return file === undefined
      ? null
      : { message: `invalid parameter "${word}"`, file: file.path, line: lineOf(file, word) };
  };

/** A fault that leads nowhere. For a fake ingress. */
export const chokesOn =
  (word: string) =>
  (files: ConfigFile[]): Fault | null =>
    files.some(({ text }) => text.includes(word)) ? { message: 'something is wrong' } : null;
