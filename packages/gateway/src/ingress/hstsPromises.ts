import { isClockWrong } from '../rules/wrongClock.ts';
import type { DomainRow } from '../store/rows.ts';
import type { Store } from '../store/store.ts';

/** Knows how long each domain may promise to be reached by HTTPS alone. */
export type HstsPromises = {
  /** Reads what was promised before. */
  load(): Promise<void>;
  /**
   * Seconds for the header of a domain; 0: browsers are to forget what it promised; null: nothing is to be said.
   * @param isTrusted browsers trust the certificate that it is served with
   */
  secondsOf(domain: Pick<DomainRow, 'id' | 'hsts'>, isTrusted: boolean): number | null;
  /** Keeps what was promised, of these domains alone. */
  keep(domains: readonly Pick<DomainRow, 'id'>[]): Promise<void>;
  /** When `secondsOf` says the next thing, milliseconds since 1970; infinity: never. */
  nextAt(): number;
};

/** By the domain's id: since when it promises; null: it took its promise back. */
type Promises = Map<number, string | null>;

const SETTING = 'hstsPromises';
const DAY_MS = 86_400_000;
/** After how many days what is promised: never for longer than it went well already, but for a day at least. */
const STEPS_DAYS = [365, 30, 7, 1] as const;

export function createHstsPromises(parts: {
  store: Pick<Store, 'settings' | 'write'>;
  now(): Date;
  log: Record<'warn', (facts: object, message: string) => void>;
}): HstsPromises {
  const { store, now } = parts;
  let promises: Promises | null = null;
  let written = '';

  const ageMs = (since: string): number => now().getTime() - Date.parse(since);

  return {
    async load() {
      if (promises !== null) return;
      written = (await store.settings.get(SETTING)) ?? '[]';
      promises = readPromises(written);
    },
    secondsOf({ id, hsts }, isTrusted) {
      // Nothing new is promised by a clock that was not set yet.
      if (promises === null || !isTrusted || isClockWrong(now())) return null;
      const since = promises.get(id);
      if (!hsts) {
        if (since === undefined) return null;
        promises.set(id, null);
        return 0;
      }
      // A clock that was set back does not begin in the future.
      if (typeof since !== 'string' || ageMs(since) < 0) promises.set(id, now().toISOString());
      const days = typeof since === 'string' ? ageMs(since) / DAY_MS : 0;
      return (STEPS_DAYS.find((step) => days >= step) ?? 1) * (DAY_MS / 1000);
    },
    async keep(domains) {
      if (promises === null) return;
      const ids = new Set(domains.map(({ id }) => id));
      for (const id of promises.keys()) if (!ids.has(id)) promises.delete(id);
      const text = JSON.stringify([...promises]);
      if (text === written) return;
      try {
        await store.write((tx) => tx.settings.set(SETTING, text));
        written = text;
      } catch (error) {
        // It is promised all the same; a new start begins with a day again.
        parts.log.warn({ err: error }, 'since when domains promise HTTPS could not be kept');
      }
    },
    nextAt() {
      const sinces = [...(promises?.values() ?? [])].flatMap((since) => (since === null ? [] : [Date.parse(since)]));
      const steps = sinces.flatMap((since) => STEPS_DAYS.map((days) => since + days * DAY_MS));
      return Math.min(...steps.filter((at) => at > now().getTime()), Number.POSITIVE_INFINITY);
    },
  };
}

/** What was damaged by hand is none: it only begins again. */
function readPromises(text: string): Promises {
  try {
    const entries = JSON.parse(text) as unknown;
    if (!Array.isArray(entries)) return new Map();
    return new Map(
      entries.flatMap((entry: unknown) => {
        const [id, since] = Array.isArray(entry) ? (entry as unknown[]) : [];
        const isSince = since === null || (typeof since === 'string' && !Number.isNaN(Date.parse(since)));
        return typeof id === 'number' && isSince ? [[id, since] as const] : [];
      }),
    );
  } catch {
    return new Map();
  }
}
