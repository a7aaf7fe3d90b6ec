import { RE2Set } from 're2js';

// Visitors choose the path and a node's token may choose the pattern, so matching runs in an engine that never goes
// back (decision 0023), over a bounded path and a bounded number of states.

/** A path that is longer needs a sign-in. */
export const PATH_MAX_CHARS = 1000;
/** Instructions of all patterns of one service together; one of a usual pattern has 20 to 60. */
const MAX_INSTRUCTIONS = 500;
/**
 * How many characters the classes of all patterns of one service may cover together. To read a class that ignores case,
 * the engine looks at each of its characters: a few kB of text would keep it busy for seconds.
 */
const MAX_COVERED = 200_000;
/** What a class by name counts for, such as `\\pL`: it takes as long as this many characters. */
const NAMED_CLASS_COVERS = 10_000;
/** What the engine may keep in memory to be faster. */
const MEMORY_BYTES = 1 << 20;

/** The patterns among the lines of `skipAuthRoutes`. */
export type BypassPatterns = {
  /** Why one of them opens nothing, in a sentence; null: all of them can be used. */
  problem: string | null;
  /** @param path decoded, without its query */
  opens(path: string): boolean;
};

/** The lines that are patterns; what is no text has none. */
export const patternLines = (lines: string | null): string[] =>
  typeof lines === 'string' ? lines.split('\n').filter((line) => line.startsWith('^')) : [];

/** Reads the patterns of a service. One that cannot be used opens nothing, and harms none of the others. */
export function bypassPatterns(lines: string | null): BypassPatterns {
  const none = (problem: string | null): BypassPatterns => ({ problem, opens: () => false });
  const covered = patternLines(lines).reduce((sum, line) => sum + coveredBy(line), 0);
  if (covered > MAX_COVERED) return none(TOO_LARGE);
  const set = new RE2Set(RE2Set.UNANCHORED, 0, MEMORY_BYTES);
  let problem: string | null = null;
  let count = 0;
  for (const line of patternLines(lines)) {
    try {
      set.add(line);
      count += 1;
    } catch (error) {
      problem ??= refusalOf(line, error);
    }
  }
  if (count === 0) return none(problem);
  try {
    set.compile();
  } catch {
    return none(TOO_LARGE);
  }
  if (set.prog.numInst() > MAX_INSTRUCTIONS) return none(TOO_LARGE);
  return { problem, opens: (path) => path.length <= PATH_MAX_CHARS && set.match(path).length > 0 };
}

/** Why not all patterns can be used; null: they can. */
export const bypassProblem = (lines: string | null): string | null => bypassPatterns(lines).problem;

const TOO_LARGE =
  'The patterns of the paths that bypass authentication are too complicated together. Use fewer or simpler ones.';

/** How many characters the classes of a pattern cover, by its text alone: at least as many as they really do. */
function coveredBy(line: string): number {
  const named = line.match(/\\p/gi)?.length ?? 0;
  // Overlapping: the end of one range may be the beginning of what looks like another.
  const ranges = [...line.matchAll(/(?=(.)-(\\x\{)?(.))/gsu)];
  return ranges.reduce(
    (sum, [, from = '', braced, to = '']) => sum + (braced === undefined ? distance(from, to) : LAST_CHARACTER),
    named * NAMED_CLASS_COVERS,
  );
}

const LAST_CHARACTER = 0x10ffff;
const distance = (from: string, to: string): number =>
  Math.max(0, (to.codePointAt(0) ?? 0) - (from.codePointAt(0) ?? 0));

function refusalOf(line: string, error: unknown): string {
  const [, reason = 'it is no regular expression'] =
    /^error parsing regexp: (.+)$/.exec(error instanceof Error ? error.message : '') ?? [];
  const shown = (line.length > 80 ? `${line.slice(0, 79)}…` : line).replaceAll(/\p{Cc}/gu, '�');
  return `The pattern ${shown} cannot be used: ${reason.slice(0, 120).replaceAll('`', '')}. Lookaround, back references and possessive quantifiers are not possible.`;
}
