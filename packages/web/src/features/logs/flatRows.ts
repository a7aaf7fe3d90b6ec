import { printable, type BufferedLine } from '@sallyport/sdk';
import { LOG_LINE_PX, LOG_MATCH_CLASS, logLineClass, type LogLook } from '../../ui/log/LogPanel.tsx';
import { partsOf, type LinePart } from './highlight.tsx';
import { lookOf } from './lookOf.ts';

/** What a row shows. */
export type RowContent = { line: BufferedLine; isGap: boolean; isCurrent: boolean; pattern: RegExp | null };

/** An element with one line, and what was last written into it. */
type Row = { element: HTMLElement; text: Text; isPlain: boolean; className: string; content: RowContent | null };

/**
 * The rows of one height that are in view, written into `place` by hand: thousands of lines a second come and go, and
 * React would take as long to compare them as the browser takes to draw them. Their text is always text, never markup.
 */
export function flatRows(place: HTMLElement) {
  const rows: Row[] = [];
  let firstSerial = 0;

  /** A line that stays in view keeps its element, so that a selection and what is under the pointer stay too. */
  function turn(serial: number, count: number) {
    const moved = serial - firstSerial;
    firstSerial = serial;
    if (Math.abs(moved) >= rows.length) return;
    if (moved > 0) {
      const gone = rows.splice(0, moved);
      place.append(...gone.map(({ element }) => element));
      rows.push(...gone);
    } else if (moved < 0) {
      const beyond = Math.min(-moved, Math.max(0, rows.length - moved - count));
      const gone = rows.splice(rows.length - beyond);
      while (gone.length < -moved) gone.push(newRow());
      place.prepend(...gone.map(({ element }) => element));
      rows.unshift(...gone);
    }
  }

  function resize(count: number) {
    for (const { element } of rows.splice(count)) element.remove();
    while (rows.length < count) {
      const row = newRow();
      rows.push(row);
      place.append(row.element);
    }
  }

  return {
    /**
     * @param index the place of the first row in the list
     * @param serial a number that this row keeps, and that the next one has one more of
     */
    show(index: number, serial: number, contents: readonly RowContent[]) {
      const top = `${index * LOG_LINE_PX}px`;
      if (place.style.top !== top) place.style.top = top;
      turn(serial, contents.length);
      resize(contents.length);
      contents.forEach((content, at) => {
        const row = rows[at];
        if (row) write(row, content);
      });
    },
  };
}

function newRow(): Row {
  const element = document.createElement('div');
  const text = document.createTextNode('');
  element.dataset['line'] = 'true';
  element.append(text);
  return { element, text, isPlain: true, className: '', content: null };
}

function write(row: Row, content: RowContent) {
  const { line, isGap, isCurrent, pattern } = content;
  const before = row.content;
  if (before?.line === line && before.isCurrent === isCurrent && before.pattern === pattern) return;
  row.content = content;
  dress(row, { ...lookOf(line, isGap), current: isCurrent });
  const parts = isGap ? partsOf(line.text, null) : partsOf(printable(line.text), pattern);
  const [first] = parts;
  if (parts.length > 1) row.element.replaceChildren(...parts.map(nodeOf));
  else row.text.data = first?.text ?? '';
  if (parts.length === 1 && !row.isPlain) row.element.replaceChildren(row.text);
  row.isPlain = parts.length === 1;
}

/** What is as it was is not touched: the browser would reckon with it anew. */
function dress(row: Row, look: LogLook) {
  const className = logLineClass(look);
  if (row.className === className) return;
  row.className = className;
  row.element.className = className;
  row.element.dataset['level'] = look.level;
  row.element.toggleAttribute('data-current', look.current ?? false);
}

function nodeOf({ text, isMatch }: LinePart): Node {
  if (!isMatch) return document.createTextNode(text);
  const mark = document.createElement('mark');
  mark.className = LOG_MATCH_CLASS;
  mark.textContent = text;
  return mark;
}
