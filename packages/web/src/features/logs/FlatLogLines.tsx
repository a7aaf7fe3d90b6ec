import { useImperativeHandle, useLayoutEffect, useMemo, useRef } from 'react';
import { LOG_LINE_PX } from '../../ui/log/LogPanel.tsx';
import { anchorIn } from './anchorIn.ts';
import { flatView, type FlatView } from './flatView.ts';
import { LogFrame } from './LogFrame.tsx';
import type { LogLinesProps } from './logLinesProps.ts';
import { flatPlaces } from './rowPlaces.ts';

/** Lines as they are, all of one height: where each stands is reckoned, and nothing is drawn by React as they come. */
export function FlatLogLines(props: LogLinesProps) {
  const { store, pattern, currentId, following, ref } = props;
  const panel = useRef<HTMLElement>(null);
  const area = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<FlatView>(null);
  const anchor = useMemo(() => anchorIn(store, following, flatPlaces), [store, following]);

  useLayoutEffect(() => {
    if (!panel.current || !area.current || !place.current) return undefined;
    const drawn = flatView({ panel: panel.current, area: area.current, place: place.current }, store);
    view.current = drawn;
    return drawn.stop;
  }, [store]);
  useLayoutEffect(() => view.current?.change({ following, anchor, pattern, currentId }));

  useImperativeHandle(ref, () => ({
    show(id) {
      const element = panel.current;
      if (!element) return;
      following.stop();
      const middlePx = flatPlaces.topOf(element, store.rows.placeOf(id)) + LOG_LINE_PX / 2;
      element.scrollTop = middlePx - element.clientHeight / 2;
      anchor.remember(element);
    },
    topId: () => (panel.current && store.rows.at(flatPlaces.first(panel.current).index)?.id) ?? 0,
    focus: () => panel.current?.focus(),
  }));

  const onScroll = (element: HTMLElement) => {
    anchor.remember(element);
    view.current?.draw();
  };
  return (
    <LogFrame {...props} wrap={false} panel={panel} onScroll={onScroll}>
      <div ref={area} className="relative">
        <div ref={place} className="absolute inset-x-0" />
      </div>
    </LogFrame>
  );
}
