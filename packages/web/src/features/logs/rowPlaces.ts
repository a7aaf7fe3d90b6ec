import type { Virtualizer } from '@tanstack/react-virtual';
import type { RefObject } from 'react';
import { LOG_LINE_PX } from '../../ui/LogPanel.tsx';

/** Above the first row. */
const PADDING_PX = 8;

/** Where rows stand in the panel, in pixels from the top of what it scrolls. */
export type RowPlaces = {
  /** The row at the upper edge of the panel. */
  first: () => { index: number; top: number };
  topOf: (index: number) => number;
};

/** Rows of one height are reckoned; of wrapped ones the document knows best, and of those not drawn the list. */
export function rowPlaces(
  panel: RefObject<HTMLElement | null>,
  wrap: boolean,
  rows: Virtualizer<HTMLElement, Element>,
): RowPlaces {
  const scrollTop = () => panel.current?.scrollTop ?? 0;
  if (!wrap) {
    const topOf = (index: number) => PADDING_PX + index * LOG_LINE_PX;
    return {
      first() {
        const index = Math.max(0, Math.floor((scrollTop() - PADDING_PX) / LOG_LINE_PX));
        return { index, top: topOf(index) };
      },
      topOf,
    };
  }
  const drawn = () => [...(panel.current?.querySelectorAll<HTMLElement>('[data-index]') ?? [])];
  return {
    first() {
      const edge = scrollTop();
      const [before, ...others] = drawn();
      const row = [before, ...others].find((one) => one && one.offsetTop + one.offsetHeight > edge);
      const isCovered = row && (row !== before || row.offsetTop <= edge || row.dataset['index'] === '0');
      if (isCovered) return { index: Number(row.dataset['index']), top: row.offsetTop };
      const item = rows.getVirtualItemForOffset(edge - PADDING_PX);
      return { index: item?.index ?? 0, top: PADDING_PX + (item?.start ?? 0) };
    },
    topOf(index) {
      const row = panel.current?.querySelector<HTMLElement>(`[data-index="${index}"]`);
      return row?.offsetTop ?? PADDING_PX + (rows.measurementsCache[index]?.start ?? 0);
    },
  };
}
