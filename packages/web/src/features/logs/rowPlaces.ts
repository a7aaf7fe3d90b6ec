import type { Virtualizer } from '@tanstack/react-virtual';
import { LOG_LINE_PX, LOG_PADDING_PX } from '../../ui/log/LogPanel.tsx';

/** Where rows stand in the panel, in pixels from the top of what it scrolls. */
export type RowPlaces = {
  /** The row at the upper edge of the panel. */
  first: (panel: HTMLElement) => { index: number; top: number };
  topOf: (panel: HTMLElement, index: number) => number;
};

/** Of rows of one height, which are reckoned. */
export const flatPlaces: RowPlaces = {
  first({ scrollTop }) {
    const index = Math.max(0, Math.floor((scrollTop - LOG_PADDING_PX) / LOG_LINE_PX));
    return { index, top: flatTopOf(index) };
  },
  topOf: (_panel, index) => flatTopOf(index),
};

const flatTopOf = (index: number) => LOG_PADDING_PX + index * LOG_LINE_PX;

/** Of wrapped rows: the document knows best, and of those not drawn the list. */
export function wrappedPlaces(rows: Virtualizer<HTMLElement, Element>): RowPlaces {
  return {
    first(panel) {
      const edge = panel.scrollTop;
      const [before, ...others] = panel.querySelectorAll<HTMLElement>('[data-index]');
      const row = [before, ...others].find((one) => one && one.offsetTop + one.offsetHeight > edge);
      const isCovered = row && (row !== before || row.offsetTop <= edge || row.dataset['index'] === '0');
      if (isCovered) return { index: Number(row.dataset['index']), top: row.offsetTop };
      const item = rows.getVirtualItemForOffset(edge - LOG_PADDING_PX);
      return { index: item?.index ?? 0, top: LOG_PADDING_PX + (item?.start ?? 0) };
    },
    topOf(panel, index) {
      const row = panel.querySelector<HTMLElement>(`[data-index="${index}"]`);
      return row?.offsetTop ?? LOG_PADDING_PX + (rows.measurementsCache[index]?.start ?? 0);
    },
  };
}
