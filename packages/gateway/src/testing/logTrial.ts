import type { LineKey, LineSink } from '../world.ts';
import type { KnownLogs, LogSource } from '../logs/accessLog.ts';

/** A reader of a log, for the tests of logs. */
export type LogTrialReader = {
  resumed: boolean;
  /** What it was given, batch by batch. */
  batches: string[][];
  texts(): string[];
  lastId(): string;
  ended(): boolean;
  /** From now on it has no room, until it takes. */
  hold(): void;
  take(): void;
  stop(): void;
};

/** Services and domains that a test makes and removes. */
export function createKnownKeys(keys: readonly LineKey[]): KnownLogs & { set(key: LineKey, isKnown: boolean): void } {
  let all = [...keys];
  const listeners = new Set<(key: LineKey, isKnown: boolean) => void>();
  return {
    all: () => all,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set(key, isKnown) {
      all = all.filter(({ kind, id }) => kind !== key.kind || id !== key.id);
      if (isKnown) all.push(key);
      for (const listener of listeners) listener(key, isKnown);
    },
  };
}

/** The services and domains of a trial: as if there were each that it may make. */
export const everyLog = (): KnownLogs =>
  createKnownKeys(
    (['domain', 'http', 'tcp'] as const).flatMap((kind) => Array.from({ length: 50 }, (_, id) => ({ kind, id }))),
  );

/** Begins to read a log, from its beginning unless told otherwise. */
export async function readLog(
  source: Pick<LogSource, 'open'>,
  key: LineKey,
  from: { count?: number; afterId?: string } = {},
): Promise<LogTrialReader> {
  const reader = await source.open(key, { count: from.count ?? 1_000_000, afterId: from.afterId ?? null });
  const batches: string[][] = [];
  let lastId = '';
  let ended = false;
  let held: PromiseWithResolvers<void> | null = null;
  const sink: LineSink = {
    push(texts, id) {
      batches.push(texts);
      lastId = id;
    },
    room: () => held?.promise ?? null,
    end() {
      ended = true;
    },
  };
  const stop = reader.read(sink);
  return {
    resumed: reader.resumed,
    batches,
    texts: () => batches.flat(),
    lastId: () => lastId,
    ended: () => ended,
    hold() {
      held ??= Promise.withResolvers();
    },
    take() {
      held?.resolve();
      held = null;
    },
    stop,
  };
}

/** The paths of the requests in lines. */
export const pathsIn = (texts: readonly string[]): string[] =>
  texts.map((text) => /"(?:GET )?(\S*)/.exec(text)?.[1] ?? '');

/** A line of a request as nginx writes it, with its break. */
export const rawLine = (path: string, more: object = {}): string =>
  `${JSON.stringify({ t: '1795331411.123', d: '2', s: '5', k: 'http', c: '203.0.113.7', r: `GET ${path} HTTP/1.1`, st: '200', b: '1', ms: '0.001', u: '', ...more })}\n`;
