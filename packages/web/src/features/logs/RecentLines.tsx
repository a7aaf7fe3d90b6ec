import { type LogQuery, printable } from '@sallyport/sdk';
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useStore } from '../../state/store.ts';
import { Card } from '../../ui/layout/Card.tsx';
import { LogLine, LogPanel } from '../../ui/log/LogPanel.tsx';
import { createLogStore, type LogStore, useLogFact } from './createLogStore.ts';
import { LogStateBadge } from './LogStates.tsx';
import { clockTime, lookOf } from './LogTable.tsx';
import { logZone, useWrap } from './LogToolbar.tsx';
import { hasEnded, useLogStream } from './useLogStream.ts';

/** As many lines as the panel shows. */
const LINES = 12;

/** Follows the last lines of a log, also before there is anything else to show. */
export function useRecentLines(query: LogQuery) {
  const [store] = useState(() => createLogStore(LINES));
  useEffect(() => store.stop, [store]);
  const { state } = useLogStream(query, store, LINES);
  return { store, state };
}

type RecentLinesProps = {
  log: ReturnType<typeof useRecentLines>;
  /** Whose lines, for people. */
  subject: string;
  /** How to bring about a line. */
  hint: ReactNode;
  /** The way to the whole log. */
  more: ReactNode;
};

/** The last lines of a log as they come, as a part of a screen. */
export function RecentLines({ log: { store, state }, subject, hint, more }: RecentLinesProps) {
  const isEmpty = useLogFact(store, () => store.rows.count() === 0);
  const begun = useLogFact(store, store.isBegun);
  return (
    <Card
      title="Log"
      actions={
        <>
          {state.name === 'none' ? null : <LogStateBadge state={state} store={store} />}
          {more}
        </>
      }
    >
      {/* As high with lines as without: nothing below it moves when they come. */}
      <div className="relative flex h-full min-h-65 flex-col">
        <Lines store={store} subject={subject} />
        {isEmpty && (begun || hasEnded(state)) ? (
          <p className="absolute inset-0 m-auto h-fit max-w-sm px-4 text-center text-sm text-balance text-muted">
            {'reason' in state ? state.reason : hint}
          </p>
        ) : null}
      </div>
    </Card>
  );
}

const STAMP = /^\d{4}-\d\d-\d\dT\S+/;

function toEnd(panel: HTMLElement | null): void {
  if (panel) panel.scrollTop = panel.scrollHeight;
}

function Lines({ store, subject }: { store: LogStore; subject: string }) {
  useLogFact(store, store.version);
  const [wrap] = useWrap();
  const zone = useStore(logZone);
  // The time of a line as the log's own page tells it.
  const told = (stamp: string) => (Number.isNaN(Date.parse(stamp)) ? stamp : clockTime(stamp, zone));
  const panel = useRef<HTMLElement>(null);
  useLayoutEffect(() => toEnd(panel.current));
  // Narrower, the lines wrap more often, and the last ones would be out of view.
  useEffect(() => {
    const seen = new ResizeObserver(() => toEnd(panel.current));
    if (panel.current) seen.observe(panel.current);
    return () => seen.disconnect();
  }, []);
  return (
    <LogPanel ref={panel} label={`Last lines of the log of ${subject}`} wrap={wrap} className="flex-1">
      {/* As wide as the longest line, where they are not wrapped. */}
      <div className={wrap ? undefined : 'w-max min-w-full'}>
        {store.lines().map(({ id, text }) => (
          <LogLine key={id} level={lookOf(text, store.isGap(id))} remark={store.isGap(id)}>
            {printable(text.replace(STAMP, told))}
          </LogLine>
        ))}
      </div>
    </LogPanel>
  );
}
