import type { ReactNode } from 'react';
import { LogMatch } from '../../ui/log/LogPanel.tsx';

/** More than anybody reads in one line; a search for `e` in a long one would draw thousands. */
const MATCHES_MAX = 100;

/** A part of a line, where it begins, and whether it is what was searched for. */
type LinePart = { text: string; at: number; isMatch: boolean };

/** A piece of the text in parts, what the pattern finds in the text by itself; one part where that is elsewhere. */
function partsOf(text: string, pattern: RegExp | null, from: number, to: number): readonly LinePart[] {
  const parts: LinePart[] = [];
  let at = from;
  for (const { 0: found, index } of pattern ? text.matchAll(pattern) : []) {
    if (index >= to || parts.length >= 2 * MATCHES_MAX) break;
    const [begin, end] = [Math.max(index, from), Math.min(index + found.length, to)];
    if (begin >= end) continue;
    parts.push(
      { text: text.slice(at, begin), at, isMatch: false },
      { text: text.slice(begin, end), at: begin, isMatch: true },
    );
    at = end;
  }
  return [...parts, { text: text.slice(at, to), at, isMatch: false }];
}

/** A line, or a piece of it, with what the pattern finds in the line marked. */
export const highlight = (line: string, pattern: RegExp | null, from = 0, to = line.length): ReactNode[] =>
  partsOf(line, pattern, from, to).map(({ text, at, isMatch }) =>
    isMatch ? <LogMatch key={at}>{text}</LogMatch> : text,
  );
