import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useImperativeHandle, useLayoutEffect, useRef, type ReactNode, type Ref } from 'react';
import { LOG_LINE_PX, LogPanel } from '../../ui/LogPanel.tsx';
import type { LogStore } from './createLogStore.ts';
import { LogRow } from './LogRow.tsx';
import type { Following } from './useFollowing.ts';
import { rowPlaces } from './rowPlaces.ts';
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
  const place = rowPlaces(panel, wrap, rows);

  useImperativeHandle(ref, () => ({
    show(id) {
      following.stop();
      following.anchor.current = null;
      rows.scrollToIndex(store.rows.placeOf(id), { align: 'center' });
    },
    topId: () => store.rows.at(place.first().index)?.id ?? 0,
    focus: () => panel.current?.focus(),
  }));

  useLayoutEffect(() => {
    const element = panel.current;
    if (!element) return;
    const { current: anchor } = following.anchor;
    // What is being read stays where it is; nobody else may move it when the rows above turn out higher than believed.
    rows.shouldAdjustScrollPositionOnItemSizeChange = () => false;
    if (following.isActive()) element.scrollTop = element.scrollHeight;
    else if (anchor) {
      const index = store.rows.placeOf(anchor.id);
      const hiddenPx = store.rows.at(index)?.id === anchor.id ? anchor.hiddenPx : 0;
      const top = place.topOf(index) + hiddenPx;
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
    const { index, top } = place.first();
    const line = store.rows.at(index);
    following.anchor.current = line ? { id: line.id, hiddenPx: element.scrollTop - top } : null;
  };

  const visible = rows.getVirtualItems().filter(({ index }) => index < count);
  const recycled = useRecycledRows(store.rows.serialAt(visible[0]?.index ?? 0), visible.length);
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
      onWheel={({ currentTarget, deltaY }) => following.used(currentTarget, deltaY < 0)}
      onTouchMove={({ currentTarget }) => following.used(currentTarget, true)}
      onPointerDown={({ currentTarget, target, nativeEvent: { offsetX } }) =>
        following.used(currentTarget, target === currentTarget && offsetX >= currentTarget.clientWidth)
      }
      onKeyDown={(event) => {
        if (event.key === '/' || (event.key === 'f' && (event.ctrlKey || event.metaKey))) {
          event.preventDefault();
          onFind();
        }
        following.used(event.currentTarget, UPWARDS.has(event.key));
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
              key={wrap ? line.id : store.rows.serialAt(index) - recycled}
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

const consecutive = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - Math.max(0, from)) }, (_, index) => Math.max(0, from) + index);

/**
 * What to subtract from the rows' numbers to have their keys. A row keeps its element as long as it is drawn; but where
 * all of them are replaced from one frame to the next, the new ones take over the elements of the old ones.
 */
function useRecycledRows(firstSerial: number, count: number): number {
  const drawn = useRef({ first: 0, end: 0, shift: 0 });
  const { first, end, shift } = drawn.current;
  const next = firstSerial >= end || firstSerial + count <= first ? shift + firstSerial - first : shift;
  useLayoutEffect(() => {
    drawn.current = { first: firstSerial, end: firstSerial + count, shift: next };
  });
  return next;
}
