import { type BufferedLine, printable } from '@sallyport/sdk';
import { defaultRangeExtractor, type Range, useVirtualizer } from '@tanstack/react-virtual';
import {
  memo,
  type ReactNode,
  type Ref,
  type RefObject,
  useEffect,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import { LOG_LINE_PX, LOG_PADDING_PX, LogLine, LogPanel, logWidth } from '../../ui/log/LogPanel.tsx';
import { type LogStore, useLogFact } from './createLogStore.ts';
import { highlight } from './highlight.tsx';
import { type LogColumns, LogTableRow, lookOf, rowDomId } from './LogTable.tsx';
import type { Following } from './useFollowing.ts';

/** What the rest of the screen may ask of the panel. */
export type LogLinesHandle = {
  /** Brings a line into the middle of the panel. */
  show: (id: number) => void;
  /** The number of the line at the upper edge. */
  topId: () => number;
  focus: () => void;
};

export type LogLinesProps = {
  store: LogStore;
  label: string;
  /** Long lines are broken instead of scrolled sideways. */
  wrap: boolean;
  /** The columns of the table; null: each line as it is. */
  columns: LogColumns | null;
  pattern: RegExp | null;
  /** The line at which the search stands. */
  currentId: number | null;
  /** The line of the table whose details are shown. */
  selectedId: number | null;
  onSelect: (id: number | null) => void;
  following: Following;
  onFind: () => void;
  /** Shown while there is no line. */
  empty: ReactNode;
  ref?: Ref<LogLinesHandle>;
};

/** Rows drawn beyond the visible ones. */
const OVERSCAN_ROWS = 6;

/** The panel: only the visible rows are drawn. It follows the end until the reader moves away from it. */
export function LogLines(props: LogLinesProps) {
  const { store, wrap, columns, pattern, currentId, selectedId, following, ref } = props;
  const rowPx = columns?.rowPx ?? LOG_LINE_PX;
  useLogFact(store, store.version);
  const panel = useRef<HTMLElement>(null);
  const count = store.rows.count();
  const isFollowing = following.active;
  const rowsInView = useRef(0);

  const rows = useVirtualizer({
    count,
    getScrollElement: () => panel.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN_ROWS,
    // Wrapped lines are measured under their numbers, so the list has to know which line is where.
    ...(wrap && { getItemKey: (index: number) => store.rows.at(index)?.id ?? index }),
    rangeExtractor(range: Range) {
      const { current: anchor } = following.anchor;
      const inView = Math.max(range.endIndex - range.startIndex + 1, rowsInView.current);
      // The list learns only afterwards that it has moved; these rows will be in view whatever it believes.
      if (isFollowing) return consecutive(count - inView - 1, count);
      if (!anchor) return defaultRangeExtractor(range);
      const first = store.rows.placeOf(anchor.id);
      return consecutive(first - OVERSCAN_ROWS, Math.min(count, first + inView + OVERSCAN_ROWS));
    },
  });

  /** The row at the upper edge of the panel: the document knows best, and of rows that are not drawn the list. */
  function firstRow(element: HTMLElement): { index: number; top: number } {
    const edge = element.scrollTop;
    const [before, ...others] = element.querySelectorAll<HTMLElement>('[data-index]');
    const row = [before, ...others].find((one) => one && one.offsetTop + one.offsetHeight > edge);
    const isCovered = row && (row !== before || row.offsetTop <= edge || row.dataset['index'] === '0');
    if (isCovered) return { index: Number(row.dataset['index']), top: row.offsetTop };
    const item = rows.getVirtualItemForOffset(edge - LOG_PADDING_PX);
    return { index: item?.index ?? 0, top: LOG_PADDING_PX + (item?.start ?? 0) };
  }

  function topOf(element: HTMLElement, index: number): number {
    const row = element.querySelector<HTMLElement>(`[data-index="${index}"]`);
    return row?.offsetTop ?? LOG_PADDING_PX + (rows.measurementsCache[index]?.start ?? 0);
  }

  /** Remembers which line stands at the upper edge, unless the end is followed. */
  function remember(element: HTMLElement) {
    following.scrolled(element);
    // While lines are sifted again the list is too short, and moves the panel by itself.
    if (following.isActive() || !store.isSifted()) return;
    const { index, top } = firstRow(element);
    const line = store.rows.at(index);
    following.anchor.current = line ? { id: line.id, hiddenPx: element.scrollTop - top } : null;
  }

  /** Brings that line back to where it stood, while lines come, go and turn out higher than believed. */
  function restore(element: HTMLElement) {
    const { current: anchor } = following.anchor;
    if (!anchor) return;
    const index = store.rows.placeOf(anchor.id);
    const hiddenPx = store.rows.at(index)?.id === anchor.id ? anchor.hiddenPx : 0;
    const top = topOf(element, index) + hiddenPx;
    if (Math.abs(top - element.scrollTop) >= 1) element.scrollTop = top;
  }

  useImperativeHandle(ref, () => ({
    show(id) {
      following.stop();
      following.anchor.current = null;
      rows.scrollToIndex(store.rows.placeOf(id), { align: 'center' });
    },
    topId: () => (panel.current && store.rows.at(firstRow(panel.current).index)?.id) ?? 0,
    focus: () => panel.current?.focus(),
  }));

  useLayoutEffect(() => {
    const element = panel.current;
    if (!element) return;
    // What is being read stays where it is; nothing else may move it when the rows above turn out higher than believed.
    rows.shouldAdjustScrollPositionOnItemSizeChange = () => false;
    if (following.isActive()) element.scrollTop = element.scrollHeight;
    else restore(element);
    following.moved(element);
    rowsInView.current = Math.ceil(element.clientHeight / rowPx);
  });

  /** Shows the details of a line, which then stays where it is while others come. */
  function select(id: number) {
    following.stop();
    if (panel.current) remember(panel.current);
    props.onSelect(id);
  }

  /** Goes on to the next line (1) or back to the one before (-1). */
  function step(by: 1 | -1) {
    const from =
      selectedId === null ? (panel.current ? firstRow(panel.current).index - by : 0) : store.rows.placeOf(selectedId);
    const line = store.rows.at(Math.min(Math.max(from + by, 0), count - 1));
    if (!line) return;
    select(line.id);
    following.anchor.current = null;
    rows.scrollToIndex(store.rows.placeOf(line.id), { align: 'auto' });
  }

  const visible = rows.getVirtualItems().filter(({ index }) => index < count);
  const keys = useRowKeys(
    visible.flatMap(({ index }) => store.rows.at(index)?.id ?? []),
    isFollowing && !wrap,
  );
  const before = visible[0]?.start ?? 0;
  const after = rows.getTotalSize() - (visible.at(-1)?.end ?? 0);
  return (
    <LogFrame {...props} panel={panel} onScroll={remember} onPick={select} onStep={step}>
      <div style={wrap || columns ? undefined : { minWidth: logWidth(store.longest()) }}>
        <div style={{ height: before }} />
        {visible.map(({ index }) => {
          const line = store.rows.at(index);
          if (line && columns) {
            return (
              <LogTableRow
                key={keys.get(line.id)}
                line={line}
                columns={columns}
                isGap={store.isGap(line.id)}
                isCurrent={line.id === currentId}
                isSelected={line.id === selectedId}
                pattern={pattern}
                index={index}
              />
            );
          }
          return line ? (
            <LogRow
              key={keys.get(line.id)}
              line={line}
              isGap={store.isGap(line.id)}
              isCurrent={line.id === currentId}
              pattern={pattern}
              measure={wrap ? rows.measureElement : undefined}
              index={index}
            />
          ) : null;
        })}
        <div style={{ height: Math.max(0, after) }} />
      </div>
    </LogFrame>
  );
}

/**
 * Which row of the document each line has: the same one for as long as it is drawn. With `reuse`, a new line gets the row
 * of one that is gone, which under thousands of lines a second takes a third less of each frame than to remove the one
 * and make the other; without it, what a reader has selected in a row would be selected in another line.
 */
function useRowKeys(ids: readonly number[], reuse: boolean): ReadonlyMap<number, number> {
  const rows = useRef({ keys: new Map<number, number>(), made: 0 });
  const { keys: before } = rows.current;
  const drawn = new Set(ids);
  const free = reuse ? [...before].flatMap(([id, key]) => (drawn.has(id) ? [] : key)) : [];
  const keys = new Map<number, number>();
  for (const id of ids) keys.set(id, before.get(id) ?? free.shift() ?? (rows.current.made += 1));
  rows.current.keys = keys;
  return keys;
}

const consecutive = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - Math.max(0, from)) }, (_, index) => Math.max(0, from) + index);

type LogRowProps = {
  line: BufferedLine;
  isGap: boolean;
  isCurrent: boolean;
  pattern: RegExp | null;
  /** Where wrapped lines are measured, and the place by which they are told apart. */
  measure: ((element: HTMLElement | null) => void) | undefined;
  index: number;
};

/** A line of the log, drawn once: it stays as it is while others come and go. A gap is a remark of the console. */
export const LogRow = memo(function LogRow({ line, isGap, isCurrent, pattern, measure, index }: LogRowProps) {
  return (
    <LogLine level={lookOf(line.text, isGap)} remark={isGap} current={isCurrent} ref={measure} data-index={index}>
      {isGap ? line.text : highlight(printable(line.text), pattern)}
    </LogLine>
  );
});

const UPWARDS = new Set(['ArrowUp', 'PageUp', 'Home']);
/** In the table these keys go from line to line. */
const STEPS: Partial<Record<string, 1 | -1>> = { ArrowDown: 1, ArrowUp: -1 };

type LogFrameProps = Omit<LogLinesProps, 'ref' | 'pattern'> & {
  panel: RefObject<HTMLElement | null>;
  onScroll: (panel: HTMLElement) => void;
  onPick: (id: number) => void;
  onStep: (by: 1 | -1) => void;
  children: ReactNode;
};

/** What is around the rows: the scrolling element, and what the reader does in it. */
function LogFrame(props: LogFrameProps) {
  const { store, label, columns, currentId, selectedId, following, onFind, empty, panel, wrap, onScroll, children } =
    props;
  const isEmpty = useLogFact(store, () => store.rows.count() === 0);

  useEffect(() => {
    // The match itself may be far to the right of where its line begins.
    const match = currentId === null ? null : panel.current?.querySelector('[data-current] mark');
    match?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [panel, currentId]);

  useEffect(() => {
    const selected = () => {
      const { current: element } = panel;
      const selection = document.getSelection();
      if (!element || !selection || selection.isCollapsed || !element.contains(selection.anchorNode)) return;
      if (!following.isActive()) return;
      // Anyone who selects wants to copy: what is selected stays, as if they had moved away from the end.
      following.used(element, true);
      onScroll(element);
    };
    document.addEventListener('selectionchange', selected);
    return () => document.removeEventListener('selectionchange', selected);
  }, [panel, following, onScroll]);

  return (
    <LogPanel
      ref={panel}
      label={label}
      wrap={wrap}
      className="flex-1 basis-0"
      aria-keyshortcuts="/ Control+F"
      // Whatever row is shown, the panel has the focus: rows come and go under it.
      {...(columns && !isEmpty && { role: 'listbox' })}
      {...(columns && selectedId !== null && { 'aria-activedescendant': rowDomId(selectedId) })}
      onClick={({ target }) => {
        const row = columns && target instanceof Element ? target.closest<HTMLElement>('[role=option]') : null;
        const line = row ? store.rows.at(Number(row.dataset['index'])) : undefined;
        if (line && document.getSelection()?.isCollapsed !== false) props.onPick(line.id);
      }}
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
        if (columns && event.target === event.currentTarget) {
          const by = STEPS[event.key];
          if (by !== undefined) {
            event.preventDefault();
            props.onStep(by);
            return;
          }
          if (event.key === 'Escape') props.onSelect(null);
        }
        following.used(event.currentTarget, UPWARDS.has(event.key));
        // At the end already, the panel does not move, which would tell it.
        if (event.key === 'End') following.start();
      }}
    >
      {isEmpty ? empty : null}
      {children}
    </LogPanel>
  );
}
