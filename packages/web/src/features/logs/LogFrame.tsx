import { useEffect, type ReactNode, type RefObject } from 'react';
import { LogPanel } from '../../ui/log/LogPanel.tsx';
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

  useEffect(() => {
    const selected = () => {
      const { current: element } = panel;
      const selection = document.getSelection();
      if (!element || !selection || selection.isCollapsed || !element.contains(selection.anchorNode)) return;
      if (!following.isActive()) return;
      // Whoever selects wants to copy: what is selected stays, as if they had moved away from the end.
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
        // At the end already, the panel does not move, which would tell it.
        if (event.key === 'End') following.start();
      }}
    >
      {isEmpty ? empty : null}
      {children}
    </LogPanel>
  );
}
