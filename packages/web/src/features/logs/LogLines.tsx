import { defaultRangeExtractor, useVirtualizer, type Range } from '@tanstack/react-virtual';
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, type ReactNode, type Ref } from 'react';
import { LOG_LINE_PX, LogPanel } from '../../ui/LogPanel.tsx';
import type { LogStore } from './createLogStore.ts';
import { LogRow } from './LogRow.tsx';
import type { Following } from './useFollowing.ts';
import { useLogFact } from './useLogFact.ts';

/** Rows drawn beyond the visible ones. */
const OVERSCAN_ROWS = 6;
/** What stands beside the text of a line, in pixels. */
const BESIDE_PX = 44;

const estimateSize = () => LOG_LINE_PX;
const UPWARDS = new Set(['ArrowUp', 'PageUp', 'Home']);

/** What the rest of the screen may ask of the panel. */
export type LogLinesHandle = {
  /** Brings a line into the middle of the panel. */
  show: (id: number) => void;
  /** The number of the line at the upper edge. */
  topId: () => number;
  focus: () => void;
};

type LogLinesProps = {
  store: LogStore;
  label: string;
  wrap: boolean;
  pattern: RegExp | null;
  /** The line at which the search stands. */
  currentId: number | null;
  following: Following;
  onFind: () => void;
  /** Shown while there is no line. */
  empty: ReactNode;
  ref?: Ref<LogLinesHandle>;
};

/** The panel: only the visible rows are drawn. It follows the end until the reader moves away from it. */
export function LogLines(props: LogLinesProps) {
  const { store, label, wrap, pattern, currentId, following, onFind, empty, ref } = props;
  useLogFact(store, store.version);
  const panel = useRef<HTMLElement>(null);
  const count = store.rows.count();
  const isFollowing = following.active;
  const rowsInView = useRef(0);

  // Unwrapped rows are all of one height: the list is told once how many there can be, and never of a line that comes
  // or goes. Wrapped ones are measured, each under its line's number, so the list has to know which line is where.
  const rows = useVirtualizer({
    count: wrap ? count : store.capacity(),
    getScrollElement: () => panel.current,
    estimateSize,
    overscan: OVERSCAN_ROWS,
    ...(wrap ? { getItemKey: (index: number) => store.rows.at(index)?.id ?? index } : {}),
    rangeExtractor: (range) =>
      isFollowing ? lastRows(range, count, rowsInView.current) : defaultRangeExtractor(range),
  });

  useImperativeHandle(ref, () => ({
    show(id) {
      following.stop();
      following.anchor.current = null;
      rows.scrollToIndex(store.rows.placeOf(id), { align: 'center' });
    },
    topId: () => store.rows.at(rows.getVirtualItemForOffset(panel.current?.scrollTop ?? 0)?.index ?? 0)?.id ?? 0,
    focus: () => panel.current?.focus(),
  }));

  useLayoutEffect(() => {
    const element = panel.current;
    if (!element) return;
    const { current: anchor } = following.anchor;
    if (following.isActive()) element.scrollTop = element.scrollHeight;
    else if (anchor) {
      // What is being read stays where it is while older lines fall out above it.
      const place = store.rows.placeOf(anchor.id);
      const hiddenPx = store.rows.at(place)?.id === anchor.id ? anchor.hiddenPx : 0;
      const top = (rows.measurementsCache[place]?.start ?? 0) + hiddenPx;
      if (Math.abs(top - element.scrollTop) >= 1) element.scrollTop = top;
    }
    following.moved(element);
    rowsInView.current = Math.ceil(element.clientHeight / LOG_LINE_PX);
  });

  useEffect(() => {
    // The match itself may be far to the right of where its line begins.
    const match = currentId === null ? null : panel.current?.querySelector('[data-current] mark');
    match?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [currentId]);

  const onScroll = (element: HTMLElement) => {
    following.scrolled(element);
    if (following.isActive()) return;
    const first = rows.getVirtualItemForOffset(element.scrollTop);
    const line = first ? store.rows.at(first.index) : undefined;
    following.anchor.current = line && first ? { id: line.id, hiddenPx: element.scrollTop - first.start } : null;
  };
  // The next lines come before the panel has moved visibly, and would take it back to the end.
  const leaveEnd = ({ scrollTop }: HTMLElement) => {
    if (scrollTop > 0) following.stop();
  };

  const visible = rows.getVirtualItems().filter(({ index }) => index < count);
  const before = visible[0]?.start ?? 0;
  const after = (wrap ? rows.getTotalSize() : count * LOG_LINE_PX) - (visible.at(-1)?.end ?? 0);
  return (
    <LogPanel
      ref={panel}
      label={label}
      wrap={wrap}
      className="flex-1 basis-0"
      aria-keyshortcuts="/ Control+F"
      onScroll={({ currentTarget }) => onScroll(currentTarget)}
      onWheel={({ currentTarget, deltaY }) => {
        if (deltaY < 0) leaveEnd(currentTarget);
      }}
      onTouchMove={({ currentTarget }) => leaveEnd(currentTarget)}
      onPointerDown={({ currentTarget, target, nativeEvent: { offsetX } }) => {
        if (target === currentTarget && offsetX >= currentTarget.clientWidth) leaveEnd(currentTarget);
      }}
      onKeyDown={(event) => {
        if (event.key === '/' || (event.key === 'f' && (event.ctrlKey || event.metaKey))) {
          event.preventDefault();
          onFind();
        }
        if (UPWARDS.has(event.key)) leaveEnd(event.currentTarget);
      }}
    >
      {count === 0 ? empty : null}
      <div
        style={wrap ? {} : { width: 'max-content', minWidth: `max(100%, calc(${store.longest()}ch + ${BESIDE_PX}px))` }}
      >
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
              measure={wrap ? rows.measureElement : undefined}
              index={wrap ? index : 0}
            />
          ) : null;
        })}
        <div style={{ height: Math.max(0, after) }} />
      </div>
    </LogPanel>
  );
}

/** The rows at the end, whatever the list believes to be visible: it learns only afterwards that it has moved. */
function lastRows({ startIndex, endIndex }: Range, count: number, inView: number): number[] {
  // One more for the row that is cut by the upper edge.
  const drawn = Math.min(count, Math.max(endIndex - startIndex + 1, inView) + 1);
  return Array.from({ length: drawn }, (_, index) => count - drawn + index);
}
