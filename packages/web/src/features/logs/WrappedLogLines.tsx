import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { LOG_LINE_PX } from '../../ui/log/LogPanel.tsx';
import { anchorIn } from './anchorIn.ts';
import { LogFrame } from './LogFrame.tsx';
import type { LogLinesProps } from './logLinesProps.ts';
import { LogRow } from './LogRow.tsx';
import { wrappedPlaces } from './rowPlaces.ts';
import { useLogFact } from './useLogFact.ts';

/** Rows drawn beyond the visible ones. */
const OVERSCAN_ROWS = 6;

const estimateSize = () => LOG_LINE_PX;

/** Wrapped lines: each is measured once it is drawn. */
export function WrappedLogLines(props: LogLinesProps) {
  const { store, pattern, currentId, following, ref } = props;
  useLogFact(store, store.version);
  const panel = useRef<HTMLElement>(null);
  const count = store.rows.count();
  const isFollowing = following.active;
  const rowsInView = useRef(0);

  const rows = useVirtualizer({
    count,
    getScrollElement: () => panel.current,
    estimateSize,
    overscan: OVERSCAN_ROWS,
    // Each is measured under its line's number, so the list has to know which line is where.
    getItemKey: (index) => store.rows.at(index)?.id ?? index,
    rangeExtractor(range) {
      const { current: anchor } = following.anchor;
      const inView = Math.max(range.endIndex - range.startIndex + 1, rowsInView.current);
      // The list learns only afterwards that it has moved; these rows will be in view whatever it believes.
      if (isFollowing) return consecutive(count - inView - 1, count);
      if (!anchor) return defaultRangeExtractor(range);
      const first = store.rows.placeOf(anchor.id);
      return consecutive(first - OVERSCAN_ROWS, Math.min(count, first + inView + OVERSCAN_ROWS));
    },
  });
  const places = wrappedPlaces(rows);
  const anchor = anchorIn(store, following, places);

  useImperativeHandle(ref, () => ({
    show(id) {
      following.stop();
      following.anchor.current = null;
      rows.scrollToIndex(store.rows.placeOf(id), { align: 'center' });
    },
    topId: () => (panel.current && store.rows.at(places.first(panel.current).index)?.id) ?? 0,
    focus: () => panel.current?.focus(),
  }));

  useLayoutEffect(() => {
    const element = panel.current;
    if (!element) return;
    // What is being read stays where it is; nobody else may move it when the rows above turn out higher than believed.
    rows.shouldAdjustScrollPositionOnItemSizeChange = () => false;
    if (following.isActive()) element.scrollTop = element.scrollHeight;
    else anchor.restore(element);
    following.moved(element);
    rowsInView.current = Math.ceil(element.clientHeight / LOG_LINE_PX);
  });

  const visible = rows.getVirtualItems().filter(({ index }) => index < count);
  const before = visible[0]?.start ?? 0;
  const after = rows.getTotalSize() - (visible.at(-1)?.end ?? 0);
  return (
    <LogFrame {...props} wrap panel={panel} onScroll={anchor.remember}>
      <div style={{ height: before }} />
      {visible.map(({ index }) => {
        const line = store.rows.at(index);
        return line ? (
          <LogRow
            key={line.id}
            line={line}
            isGap={store.isGap(line.id)}
            isCurrent={line.id === currentId}
            pattern={pattern}
            measure={rows.measureElement}
            index={index}
          />
        ) : null;
      })}
      <div style={{ height: Math.max(0, after) }} />
    </LogFrame>
  );
}

const consecutive = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - Math.max(0, from)) }, (_, index) => Math.max(0, from) + index);
