import { useEffect, type ReactNode, type RefObject } from 'react';
import { LogPanel } from '../../ui/LogPanel.tsx';
import type { LogLinesProps } from './logLinesProps.ts';
import { useLogFact } from './useLogFact.ts';

const UPWARDS = new Set(['ArrowUp', 'PageUp', 'Home']);

type LogFrameProps = Pick<LogLinesProps, 'store' | 'label' | 'currentId' | 'following' | 'onFind' | 'empty'> & {
  panel: RefObject<HTMLElement | null>;
  wrap: boolean;
  onScroll: (panel: HTMLElement) => void;
  children: ReactNode;
};

/** What is around the rows, whichever kind they are: the scrolling element, and what the reader does in it. */
export function LogFrame(props: LogFrameProps) {
  const { store, label, currentId, following, onFind, empty, panel, wrap, onScroll, children } = props;
  const isEmpty = useLogFact(store, () => store.rows.count() === 0);

  useEffect(() => {
    // The match itself may be far to the right of where its line begins.
    const match = currentId === null ? null : panel.current?.querySelector('[data-current] mark');
    match?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [panel, currentId]);

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
      {isEmpty ? empty : null}
      {children}
    </LogPanel>
  );
}
