import { hash } from 'node:crypto';
import { type BypassPatterns, bypassPatterns } from '../rules/bypassPatterns.ts';

/** Whether a path needs no sign-in by one of its service's patterns; `busy`: it cannot be said at the moment. */
export type OpenRoutes = (lines: string | null, path: string) => 'open' | 'guarded' | 'busy';

/** How many texts are kept as they were read, each with up to 1 MB, and of how many it is known that they are slow. */
const KEPT = 200;
const SLOW_KEPT = 10_000;
/** What nobody asked for in this time is forgotten: its service may be gone, or have no visitors. */
const UNUSED_MS = 10 * 60_000;
/** What a usual pattern never takes of the processor: to match a path, and to be read. */
const SLOW_MS = 3;
const SLOW_READING_MS = 8;
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
 * all others: the services whose last answer (or the reading for it) was slow share a credit, and wait where it is used up.
 */
export function createOpenRoutes({ now, used }: Clocks = CLOCKS): OpenRoutes {
  const known = new Map<string, { patterns: BypassPatterns; at: number }>();
  const slow = new Set<string>();
  let credit = CREDIT_MS;
  let creditAt = now();

  function patternsOf(lines: string, at: number): BypassPatterns {
    const patterns = known.get(lines)?.patterns ?? bypassPatterns(lines);
    // The one that was asked for last is forgotten last.
    known.delete(lines);
    known.set(lines, { patterns, at });
    forgetOldest(known, KEPT);
    for (const [unused, { at: before }] of known) {
      if (at - before < UNUSED_MS) break;
      known.delete(unused);
    }
    return patterns;
  }

  return (lines, path) => {
    if (typeof lines !== 'string') return 'guarded';
    const at = now();
    credit = Math.min(CREDIT_MS, credit + (at - creditAt) * SHARE);
    creditAt = at;
    const id = hash('sha256', lines, 'base64');
    if (slow.has(id) && credit <= 0) return 'busy';
    const from = used();
    const patterns = patternsOf(lines, at);
    const read = used();
    const isOpen = patterns.opens(path);
    const done = used();
    slow.delete(id);
    // More texts than are kept would be read again for each question.
    if (done - read > SLOW_MS || read - from > SLOW_READING_MS) {
      slow.add(id);
      forgetOldest(slow, SLOW_KEPT);
      credit -= done - from;
    }
    return isOpen ? 'open' : 'guarded';
  };
}

function forgetOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  const [oldest] = kept.keys();
  if (kept.size > most && oldest !== undefined) kept.delete(oldest);
}
