/** What one more path makes a pattern longer by at most, next to its own characters: `(?:`, `|` and `)?`. */
const FORK_CHARS = 6;

/** Of what a path may hold only the dot means something in a pattern; a backslash stands twice between quotes. */
const literal = (text: string): string => text.replaceAll('.', String.raw`\\.`);

/**
 * A pattern for exactly these paths, to stand between quotes. What several of them begin with stands there once, as the
 * stem of a tree: a request is compared with it letter by letter, and not with each path in turn.
 * @param paths as `pathPrefix` gives them, none of them twice
 */
export function pathPattern(paths: readonly string[]): string {
  const isOne = paths.includes('');
  const byFirst = Map.groupBy(
    paths.filter((path) => path !== ''),
    ([first]) => first,
  );
  const ways = [...byFirst].map(
    ([first = '', those]) => literal(first) + pathPattern(those.map((path) => path.slice(first.length))),
  );
  if (ways.length === 0) return '';
  if (ways.length === 1 && !isOne) return ways.join('');
  return `(?:${ways.join('|')})${isOne ? '?' : ''}`;
}

/** So many characters a pattern grows by at most with one path more. */
export const patternChars = (path: string): number => literal(path).length + FORK_CHARS;
