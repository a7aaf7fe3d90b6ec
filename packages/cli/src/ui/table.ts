import { printable } from '@sallyport/sdk/lines';
import stringWidth from 'string-width';
import type { Io, Tone } from '../io.ts';

/** One column: its heading, a cell's text for people, its tone, and its text for programs where that differs. */
export type Column<T> = {
  heading: string;
  text: (row: T) => string;
  tone?: (row: T) => Tone | undefined;
  /** For programs: exact, without rounding. */
  exact?: (row: T) => string;
  alignRight?: boolean;
  /** May be cut when the table is wider than the terminal. */
  mayShrink?: boolean;
  /** A screen that is too narrow leaves it out; the one with the lowest number first. */
  leaves?: number;
};

const GAP = '  ';
const SHRUNK_MIN_COLUMNS = 8;

/** A cell holds no control character, and no tab, which would look like the next cell. */
const oneLine = (text: string) => printable(text).replaceAll('\t', '\\t');

/**
 * The lines of a table for a screen of `width` columns, headings first. What finds no room is left out, column by column: nothing else
 * could be seen of it there but the dots of a line that was cut.
 */
export function screenLines<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number,
  paint: Io['paint'],
): string[] {
  const lines = tableLines(columns, rows, width, paint);
  if (lines.every((line) => stringWidth(line) <= width)) return lines;
  const first = Math.min(...columns.flatMap(({ leaves }) => leaves ?? []));
  const rest = columns.filter(({ leaves }) => leaves !== first);
  return rest.length < columns.length ? screenLines(rest, rows, width, paint) : lines;
}

/** The lines of a table for a terminal of `width` columns, headings first. */
export function tableLines<T>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  width: number,
  paint: Io['paint'],
): string[] {
  const cells = rows.map((row) => columns.map(({ text }) => oneLine(text(row))));
  const natural = columns.map(({ heading }, at) =>
    Math.max(stringWidth(heading), ...cells.map((row) => stringWidth(row[at] ?? ''))),
  );
  const widths = shrunk(columns, natural, width);
  const line = (texts: readonly string[], tones: readonly (Tone | undefined)[]) =>
    columns
      .map(({ alignRight }, at) => {
        const text = cut(texts[at] ?? '', widths[at] ?? 0);
        const blank = ' '.repeat(Math.max(0, (widths[at] ?? 0) - stringWidth(text)));
        const tone = tones[at];
        const shown = tone === undefined ? text : paint(tone, text);
        return alignRight ? `${blank}${shown}` : `${shown}${at === columns.length - 1 ? '' : blank}`;
      })
      .join(GAP);
  return [
    line(
      columns.map(({ heading }) => heading),
      columns.map(() => 'bold'),
    ),
    ...rows.map((row, index) =>
      line(
        cells[index] ?? [],
        columns.map(({ tone }) => tone?.(row)),
      ),
    ),
  ];
}

/** The lines of a table for a program: exact values between tabs, without headings. */
export const tabLines = <T>(columns: readonly Column<T>[], rows: readonly T[]): string[] =>
  rows.map((row) => columns.map(({ exact, text }) => oneLine((exact ?? text)(row))).join('\t'));

/** Takes what does not fit from the columns that may shrink, the widest first. */
function shrunk<T>(columns: readonly Column<T>[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, each) => sum + each, 0) + GAP.length * (widths.length - 1) - width;
  while (excess > 0) {
    const [widest] = columns
      .map(({ mayShrink }, at) => ({ at, size: mayShrink ? (widths[at] ?? 0) : 0 }))
      .filter(({ size }) => size > SHRUNK_MIN_COLUMNS)
      .toSorted((one, other) => other.size - one.size);
    if (!widest) break;
    widths[widest.at] = widest.size - 1;
    excess -= 1;
  }
  return widths;
}

/** Cuts a text between characters as people see them, so that it takes at most `width` columns. */
function cut(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    const columns = stringWidth(segment);
    if (used + columns > width - 1) break;
    kept += segment;
    used += columns;
  }
  return `${kept}…`;
}
