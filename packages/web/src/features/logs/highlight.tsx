import type { ReactNode } from 'react';
import { LogMatch } from '../../ui/log/LogPanel.tsx';

/** More than anybody reads in one line; a search for `e` in a long one would draw thousands. */
const MATCHES_MAX = 100;

/** A part of a line, where it begins, and whether it is what was searched for. */
type LinePart = { text: string; at: number; isMatch: boolean };

/** The text in parts, those that the pattern finds by themselves; one part where it finds nothing. */
function partsOf(text: string, pattern: RegExp | null): readonly LinePart[] {
  const parts: LinePart[] = [];
  let from = 0;
  for (const { 0: found, index } of pattern ? text.matchAll(pattern) : []) {
    if (parts.length >= 2 * MATCHES_MAX) break;
    parts.push({ text: text.slice(from, index), at: from, isMatch: false }, { text: found, at: index, isMatch: true });
    from = index + found.length;
  }
  return [...parts, { text: text.slice(from), at: from, isMatch: false }];
}

/** The text with what the pattern finds in it marked. */
export const highlight = (line: string, pattern: RegExp | null): ReactNode =>
  partsOf(line, pattern).map(({ text, at, isMatch }) => (isMatch ? <LogMatch key={at}>{text}</LogMatch> : text));
