import type { LogQuery } from '@sallyport/sdk';
import { ArrowDown } from 'lucide-react';
import { useCallback, useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { useStore } from '../../state/createStore.ts';
import { useTitle } from '../../state/useTitle.ts';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Button, linkButton } from '../../ui/controls/Button.tsx';
import { Page, PageHeader } from '../../ui/layout/Page.tsx';
import { createLogStore, type LogStore } from './createLogStore.ts';
import { downloadLines } from './downloadLines.ts';
import { LogEmpty } from './LogEmpty.tsx';
import { isFiltering, NO_FILTER, type LogFilter } from './logFilter.ts';
import { LogFooter } from './LogFooter.tsx';
import { LogLines, type LogLinesHandle } from './LogLines.tsx';
import { LogSearchField, useLogSearch } from './LogSearchField.tsx';
import { keptLines, useWrap } from './logSettings.ts';
import { LogStateBadge } from './LogStateBadge.tsx';
import { LogToolbar } from './LogToolbar.tsx';
import { useFollowing, type Following } from './useFollowing.ts';
import { useLogFact } from './useLogFact.ts';
import { hasEnded, useLogStream, type LogState } from './useLogStream.ts';

type LogScreenProps = {
  breadcrumb: ReactNode;
  /** Whose lines, for people. */
  subject: string;
  query: LogQuery;
  /** How to bring about a line. */
  hint: ReactNode;
  /** Instead of everything else when there is no such domain or service. */
  missing: ReactNode;
  /** A link to what there is, for when it is deleted meanwhile; without clothes. */
  back: ReactElement;
};

/** The lines of a domain or a service as they come. */
export function LogScreen({ breadcrumb, subject, query, hint, missing, back }: LogScreenProps) {
  useTitle(`Logs of ${subject}`);
  const capacity = Number(useStore(keptLines));
  const [store] = useState(() => createLogStore(capacity));
  useEffect(() => store.setCapacity(capacity), [store, capacity]);
  useEffect(() => store.stop, [store]);
  const { state, restart } = useLogStream(query, store, capacity);
  const ended = hasEnded(state);

  const lines = useRef<LogLinesHandle>(null);
  const searchInput = useRef<HTMLInputElement>(null);
  const search = useLogSearch(store, lines);
  const [filter, setFilter] = useState(NO_FILTER);
  const [cleared, setCleared] = useState(false);
  const [leftAt, setLeftAt] = useState(0);
  const following = useFollowing(useCallback(() => setLeftAt(store.taken()), [store]));
  const [wrap, setWrap] = useWrap();

  const changeFilter = (next: LogFilter) => {
    setFilter(next);
    store.setFilter(next);
  };
  if (state.name === 'gone' && !state.wasThere) return missing;
  return (
    <Page fill>
      <PageHeader
        breadcrumb={breadcrumb}
        title="Real Time Logs"
        description={subject}
        badges={<LogStateBadge state={state} store={store} />}
      />
      <LogEnd state={state} subject={subject} back={back} onRestart={restart} />
      <div className="flex min-h-80 flex-1 flex-col gap-2">
        <LogToolbar
          store={store}
          ended={ended}
          search={
            <LogSearchField ref={searchInput} store={store} search={search} onLeave={() => lines.current?.focus()} />
          }
          filter={filter}
          onFilter={changeFilter}
          wrap={wrap}
          onWrap={setWrap}
          onClear={() => {
            setCleared(true);
            store.clear();
            following.start();
          }}
          onDownload={() => downloadLines(store, subject)}
        />
        <div className="relative flex min-h-48 flex-1 flex-col">
          <LogLines
            // Rows of one height and rows that are measured are two lists.
            key={wrap ? 'wrapped' : 'unwrapped'}
            ref={lines}
            store={store}
            label={`Real time logs of ${subject}`}
            wrap={wrap}
            pattern={search.pattern}
            currentId={search.currentId}
            following={following}
            onFind={() => {
              searchInput.current?.focus();
              searchInput.current?.select();
            }}
            empty={
              <LogEmpty
                store={store}
                ended={ended}
                hint={hint}
                cleared={cleared}
                onShowAll={() => changeFilter(NO_FILTER)}
                onHistory={() => {
                  setCleared(false);
                  restart();
                }}
              />
            }
          />
          {following.active ? null : (
            <JumpButton store={store} ended={ended} following={following} leftAt={leftAt} filter={filter} />
          )}
        </div>
        <LogFooter store={store} filter={filter} />
      </div>
    </Page>
  );
}

type LogEndProps = { state: LogState; subject: string; back: ReactElement; onRestart: () => void };

/** Why no more lines come, and what can be done about it. */
function LogEnd({ state, subject, back, onRestart }: LogEndProps) {
  if (state.name === 'gone') {
    return (
      <Alert type="warning" title={`${subject} was deleted`} action={linkButton(back, { size: 'sm' })}>
        The log ends here. Its lines below can still be searched and downloaded.
      </Alert>
    );
  }
  if (state.name !== 'stopped') return null;
  return (
    <Alert
      type="error"
      title="The log has stopped"
      action={
        state.lasting ? null : (
          <Button size="sm" onClick={onRestart}>
            Try again
          </Button>
        )
      }
    >
      {state.reason}
    </Alert>
  );
}

type JumpButtonProps = { store: LogStore; ended: boolean; following: Following; leftAt: number; filter: LogFilter };

/** The way back to the end, with the number of lines that came meanwhile. */
function JumpButton({ store, ended, following, leftAt, filter }: JumpButtonProps) {
  const news = useLogFact(store, () => store.taken() + store.waiting() - leftAt);
  const isEmpty = useLogFact(store, () => store.rows.count() === 0);
  if (isEmpty) return null;
  return (
    <div className="pointer-events-none absolute inset-x-0 bottom-4 flex justify-center">
      <Button
        size="sm"
        variant="black"
        className="pointer-events-auto shadow-popup"
        icon={<ArrowDown size={14} aria-hidden />}
        onClick={() => {
          store.resume();
          following.start();
        }}
      >
        {ended ? 'Jump to the end' : 'Jump to live'}
        {news > 0 && !isFiltering(filter) ? (
          <span className="tabular-nums">({news.toLocaleString('en-US')} new)</span>
        ) : null}
      </Button>
    </div>
  );
}
