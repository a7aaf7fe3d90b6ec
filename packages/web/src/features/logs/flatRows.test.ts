import { expect, it } from 'vitest';
import { flatRows, type RowContent } from './flatRows.ts';
import { patternOf } from './logFilter.ts';

/** Rows that show the lines of these numbers, as a panel shows a part of its list. */
function drawnRows() {
  const place = document.createElement('div');
  const rows = flatRows(place);
  const lines = new Map<number, RowContent['line']>();
  const lineOf = (id: number) => {
    const line = lines.get(id) ?? { id, text: `INFO line ${id} <b>` };
    lines.set(id, line);
    return line;
  };
  const show = (from: number, to: number, look: Partial<RowContent> = {}) => {
    const ids = Array.from({ length: to - from }, (_, index) => from + index);
    const contentOf = (id: number) => ({ line: lineOf(id), isGap: false, isCurrent: false, pattern: null, ...look });
    rows.show(from, from, ids.map(contentOf));
  };
  const elements = () => [...place.querySelectorAll<HTMLElement>('[data-line]')];
  const texts = () => elements().map(({ textContent }) => textContent);
  return { place, show, elements, texts };
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `INFO line ${from + index} <b>`);

it.each([
  ['further down', 3, 8],
  ['further up', 0, 4],
  ['somewhere else', 100, 105],
  ['more of them', 1, 12],
  ['fewer of them', 3, 4],
  ['none', 0, 0],
])('are in their order when what is shown is %s', (_, from, to) => {
  const { show, texts, place } = drawnRows();
  show(2, 7);
  expect(texts()).toEqual(numbered(2, 7));
  show(from, to);
  expect(texts()).toEqual(numbered(from, to));
  expect(place.style.top).toBe(`${from * 20}px`);
  expect(place.querySelector('b')).toBeNull();
});

it('keep the element of a line that stays in view, and use those of all others again', () => {
  const { show, elements } = drawnRows();
  show(0, 5);
  const before = elements();
  show(2, 7);
  expect(elements()).toEqual([...before.slice(2), ...before.slice(0, 2)]);
  show(50, 55);
  expect(new Set(elements())).toEqual(new Set(before));
});

it('keep the elements of the last lines too when others come into view above them', () => {
  const { show, elements } = drawnRows();
  show(4, 9);
  const before = elements();
  // A reader who stops following sees the same lines, with some drawn beyond them.
  show(1, 10);
  expect(elements().slice(3, 8)).toEqual(before);
  show(0, 6);
  expect(elements().slice(4)).toEqual(before.slice(0, 2));
});

it('mark what is searched for, where the search stands, and nothing of it afterwards', () => {
  const { show, elements, texts } = drawnRows();
  show(0, 2, { pattern: patternOf('LINE'), isCurrent: true });
  const marks = () => elements().flatMap((row) => [...row.querySelectorAll('mark')].map((mark) => mark.textContent));
  const current = () => elements().filter((row) => 'current' in row.dataset).length;
  expect([texts(), marks(), current()]).toEqual([numbered(0, 2), ['line', 'line'], 2]);
  show(0, 2);
  expect([texts(), marks(), current()]).toEqual([numbered(0, 2), [], 0]);
});
