import { type BypassPatterns, bypassPatterns } from '../rules/bypassPatterns.ts';

/** Whether a path needs no sign-in by one of its service's patterns; `busy`: it cannot be said at the moment. */
export type OpenRoutes = (lines: string | null, path: string) => 'open' | 'guarded' | 'busy';

const KEPT = 200;
/** What a usual pattern never takes of the processor. */
const SLOW_MS = 3;
/** What slow answers may take together at once, and the share of the gateway's time after that: a twentieth. */
const CREDIT_MS = 100;
const SHARE = 1 / 20;

/** Milliseconds: what time it is, and how long this thread has worked so far. */
type Clocks = { now(): number; used(): number };

const CLOCKS: Clocks = {
  now: () => performance.now(),
  // On a busy machine much more time passes than is worked, and that is not the pattern's fault.
  used() {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  },
};

/**
 * Visitors ask without having signed in, so a pattern that was made to be slow must not take the gateway's time from
 * all others: the services whose last answer was slow share a credit, and wait where it is used up.
 */
export function createOpenRoutes({ now, used }: Clocks = CLOCKS): OpenRoutes {
  const known = new Map<string, { patterns: BypassPatterns; slow: boolean }>();
  let credit = CREDIT_MS;
  let creditAt = now();

  const entryOf = (lines: string) => {
    const entry = known.get(lines) ?? { patterns: bypassPatterns(lines), slow: false };
    // The one that was asked for last is forgotten last.
    known.delete(lines);
    known.set(lines, entry);
    const [oldest] = known.keys();
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
    return entry;
  };

  return (lines, path) => {
    if (typeof lines !== 'string') return 'guarded';
    const entry = entryOf(lines);
    if (!entry.patterns.any) return 'guarded';
    const at = now();
    credit = Math.min(CREDIT_MS, credit + (at - creditAt) * SHARE);
    creditAt = at;
    if (entry.slow && credit <= 0) return 'busy';
    const from = used();
    const isOpen = entry.patterns.opens(path);
    const took = used() - from;
    entry.slow = took > SLOW_MS;
    if (entry.slow) credit -= took;
    return isOpen ? 'open' : 'guarded';
  };
}
