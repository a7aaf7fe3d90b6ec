import { type BufferedLine, type LogQuery, printable } from '@sallyport/sdk';
import { ArrowDown } from 'lucide-react';
import { type ReactElement, type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { saveFile, useTitle } from '../../state/browser.ts';
import { useStore } from '../../state/store.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Page, PageHeader } from '../../ui/layout/Page.tsx';
import { createLogStore, type LogStore, useLogFact } from './createLogStore.ts';
import { isFiltering, type LogFilter, NO_FILTER } from './logFilter.ts';
import { LogLineDetails } from './LogLineDetails.tsx';
import { LogLines, type LogLinesHandle } from './LogLines.tsx';
import { LogSearchField, useLogSearch } from './LogSearchField.tsx';
import { columnsOf, LogColumnTitles, tableWidths } from './LogTable.tsx';
import { keptLines, LogFooter, logView, logZone, LogToolbar, PHONE, useMedia, useWrap } from './LogToolbar.tsx';
import { LogEmpty, LogEnd, LogStateBadge, NoLogs } from './LogStates.tsx';
import { type Among, useBlocking } from './useBlocking.tsx';
import { type Following, useFollowing } from './useFollowing.ts';
import { hasEnded, useLogStream } from './useLogStream.ts';

type LogScreenProps = {
  breadcrumb: ReactNode;
  /** Whose lines, for people. */
  subject: string;
  /** Where it is reached. */
  address?: ReactNode;
  query: LogQuery;
  /** Among which services those are that a line may be of. */
  among: Among;
  /** How to bring about a line. */
  hint: ReactNode;
  /** Instead of everything else when there is no such domain or service. */
  missing: ReactNode;
  /** A link to what there is, for when it is deleted meanwhile; without clothes. */
  back: ReactElement;
};

/** The lines of a domain or a service as they come. */
export function LogScreen({ breadcrumb, subject, address, query, among, hint, missing, back }: LogScreenProps) {
  useTitle(`Logs of ${subject}`);
  const capacity = Number(useStore(keptLines));
  const [store] = useState(() => createLogStore(capacity));
  useEffect(() => store.setCapacity(capacity), [store, capacity]);
  useEffect(() => store.stop, [store]);
  const { state, restart } = useLogStream({ ...query, with: 'details' }, store, capacity);
  const ended = hasEnded(state);

  const lines = useRef<LogLinesHandle>(null);
  const searchInput = useRef<HTMLInputElement>(null);
  const search = useLogSearch(store, lines);
  const [filter, setFilter] = useState(NO_FILTER);
  const [cleared, setCleared] = useState(false);
  const [leftAt, setLeftAt] = useState(0);
  const following = useFollowing(useCallback(() => setLeftAt(store.taken()), [store]));
  const [wrapped, setWrap] = useWrap();
  const isTable = useStore(logView) === 'table';
  const wrap = wrapped && !isTable;
  const columns = columnsOf(query.type === 'tcp', useStore(logZone), useMedia(PHONE));
  const [selectedId, setSelectedId] = useState<number | null>(null);
  const selected = useLogSelection(store, isTable ? selectedId : null);
  const block = useBlocking(among);

  const changeFilter = (next: LogFilter) => {
    setFilter(next);
    store.setFilter(next);
  };
  if (state.name === 'gone' && !state.wasThere) return missing;
  const header = (
    <PageHeader
      breadcrumb={breadcrumb}
      title={subject}
      description={address}
      badges={state.name === 'none' ? null : <LogStateBadge state={state} store={store} />}
    />
  );
  if (state.name === 'none') return <NoLogs header={header} reason={state.reason} />;
  return (
    <Page fill>
      {header}
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
          isTable={isTable}
          wrap={wrapped}
          onWrap={setWrap}
          onClear={() => {
            setCleared(true);
            store.clear();
            following.start();
          }}
          onDownload={() => downloadLines(store, subject)}
        />
        <div className="flex min-h-48 flex-1 flex-col gap-2 xl:flex-row">
          <div className="@container relative flex min-h-0 min-w-0 flex-1 flex-col" style={tableWidths(columns)}>
            {isTable ? <LogColumnTitles columns={columns} /> : null}
            <LogLines
              // Rows of one height and rows that are measured are two lists.
              key={wrap ? 'wrapped' : isTable ? columns.rowPx : 'unwrapped'}
              ref={lines}
              store={store}
              label={`Real time logs of ${subject}`}
              wrap={wrap}
              columns={isTable ? columns : null}
              pattern={search.pattern}
              currentId={search.currentId}
              selectedId={selectedId}
              onSelect={setSelectedId}
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
          {selected ? (
            <LogLineDetails
              line={selected}
              filter={filter}
              onFilter={changeFilter}
              onBlock={(ip, service) => void block(ip, service)}
              onClose={() => {
                setSelectedId(null);
                lines.current?.focus();
              }}
            />
          ) : null}
        </div>
        <LogFooter store={store} filter={filter} />
      </div>
    </Page>
  );
}

/** The line of that number, also when it has fallen out of the buffer since it was chosen. */
function useLogSelection(store: LogStore, id: number | null): BufferedLine | null {
  const last = useRef<BufferedLine | null>(null);
  if (last.current?.id !== id) last.current = id === null ? null : (store.line(id) ?? null);
  return last.current;
}

type JumpButtonProps = { store: LogStore; ended: boolean; following: Following; leftAt: number; filter: LogFilter };

/** The way back to the end, with the number of lines that came meanwhile. */
function JumpButton({ store, ended, following, leftAt, filter }: JumpButtonProps) {
  const news = useLogFact(store, () => store.taken() + store.waiting() - leftAt);
  const isEmpty = useLogFact(store, () => store.rows.count() === 0);
  const isWaiting = useLogFact(store, () => store.waiting() > 0);
  // Anyone who sees the last line, of which none waits, has nowhere to go.
  if (isEmpty || (following.atEnd && !isWaiting)) return null;
  // On a phone it stands under the panel, where it covers no line.
  return (
    <div className="pointer-events-none flex justify-center max-sm:pt-2 sm:absolute sm:inset-x-0 sm:bottom-4">
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

/** Characters that may stand in a file's name on any system. */
const UNFIT = /[^\w.-]+/g;

/** Saves what is held as a text file, in which control characters are as visible as on the screen. */
function downloadLines(store: LogStore, subject: string): void {
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const texts = store.lines().map(({ id, text }) => (store.isGap(id) ? `--- ${text}\n` : `${printable(text)}\n`));
  saveFile({
    name: `logs-${subject.replaceAll(UNFIT, '_')}-${time}Z.txt`,
    data: new Blob(texts, { type: 'text/plain;charset=utf-8' }),
  });
}
