import type { ReactNode } from 'react';
import { LogMatch } from '../../ui/LogPanel.tsx';

/** More than anybody reads in one line; a search for `e` in a long one would draw thousands. */
const MATCHES_MAX = 100;

/** The text with what the pattern finds in it marked. */
export function highlight(text: string, pattern: RegExp | null): ReactNode {
  if (!pattern) return text;
  const parts: ReactNode[] = [];
  let from = 0;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    if (parts.length >= 2 * MATCHES_MAX) break;
    parts.push(text.slice(from, index), <LogMatch key={index}>{found}</LogMatch>);
    from = index + found.length;
  }
  return parts.length === 0 ? text : [...parts, text.slice(from)];
}
