import { LOG_BUFFER_LINES } from '@sallyport/sdk/contract';
import { printable } from '@sallyport/sdk';
import { Check, Download, Eraser, Funnel, Pause, Play, WrapText, X } from 'lucide-react';
import { type ReactNode, useCallback, useId, useState, useSyncExternalStore } from 'react';
import { remembered, useStore } from '../../state/store.ts';
import { Button } from '../../ui/controls/Button.tsx';
import { Chips } from '../../ui/controls/Chips.tsx';
import { ToggleChips } from '../../ui/controls/ToggleChips.tsx';
import { IconButton } from '../../ui/controls/IconButton.tsx';
import { Select } from '../../ui/controls/TextInput.tsx';
import { classes } from '../../ui/layout/classes.ts';
import { type LogStore, useLogFact } from './createLogStore.ts';
import {
  demandsOf,
  isFiltering,
  levelChoices,
  type LogFilter,
  NO_FILTER,
  onlyChoices,
  statusChoices,
} from './logFilter.ts';
import type { LogZone } from './LogTable.tsx';

type LogToolbarProps = {
  store: LogStore;
  /** No more lines come. */
  ended: boolean;
  /** The search field. */
  search: ReactNode;
  filter: LogFilter;
  onFilter: (filter: LogFilter) => void;
  /** The lines stand in columns, where nothing is wrapped. */
  isTable: boolean;
  wrap: boolean;
  onWrap: (wrap: boolean) => void;
  onClear: () => void;
  onDownload: () => void;
};

/** 12K: a phone has no room for more. */
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact' });

/** What can be done with the lines. */
export function LogToolbar(props: LogToolbarProps) {
  const { store, ended, search, filter, onFilter, isTable, wrap, onWrap, onClear, onDownload } = props;
  const [open, setOpen] = useState(false);
  const filtersId = useId();
  const demands = demandsOf(filter);
  const view = useStore(logView);
  const isEmpty = useLogFact(store, () => store.size() === 0);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {search}
        <div className="flex w-full flex-wrap items-center gap-1 sm:w-auto">
          <Chips label="View" options={views} value={view} onChange={logView.set} />
          <PauseButton store={store} ended={ended} />
          <Button
            size="sm"
            className="sm:hidden"
            icon={<Funnel size={14} aria-hidden />}
            aria-expanded={open}
            aria-controls={filtersId}
            onClick={() => setOpen(!open)}
          >
            {/* The lines have one more button, which would else stand in a row of its own. */}
            <span className={isTable ? 'max-[22.5rem]:sr-only' : 'sr-only'}>Filter</span>
            {demands === 0 ? null : `(${demands})`}
          </Button>
          <div className="ml-auto flex shrink-0 sm:gap-1">
            {isTable ? null : (
              <IconButton
                label="Wrap long lines"
                icon={
                  <>
                    <WrapText size={16} aria-hidden />
                    {wrap ? (
                      <Check size={10} strokeWidth={3} aria-hidden className="absolute right-px bottom-px" />
                    ) : null}
                  </>
                }
                aria-pressed={wrap}
                size="md"
                className="relative aria-pressed:bg-accent-soft aria-pressed:text-accent-ink"
                onClick={() => onWrap(!wrap)}
              />
            )}
            <IconButton
              label="Clear the panel"
              icon={<Eraser size={16} aria-hidden />}
              size="md"
              disabled={isEmpty}
              onClick={onClear}
            />
            <IconButton
              label="Download the lines"
              icon={<Download size={16} aria-hidden />}
              size="md"
              disabled={isEmpty}
              onClick={onDownload}
            />
          </div>
        </div>
      </div>
      <div
        id={filtersId}
        className={classes('flex-wrap items-center gap-x-5 gap-y-2 sm:flex', open ? 'flex' : 'hidden')}
      >
        <ToggleChips
          label="Level"
          options={levelChoices}
          value={filter.levels}
          onChange={(levels) => onFilter({ ...filter, levels })}
        />
        <ToggleChips
          label="Status"
          options={statusChoices}
          value={filter.statuses}
          onChange={(statuses) => onFilter({ ...filter, statuses })}
        />
        {onlyChoices.map((choice) => {
          const { [choice]: value, ...others } = filter.only;
          return value === undefined ? null : (
            <Button
              key={choice}
              size="xs"
              icon={<X size={12} aria-hidden />}
              aria-label={`Show every ${choice}, not only ${value}`}
              onClick={() => onFilter({ ...filter, only: others })}
            >
              <span className="max-w-64 truncate">
                {choice} {printable(value)}
              </span>
            </Button>
          );
        })}
        {isFiltering(filter) ? (
          <Button size="xs" onClick={() => onFilter(NO_FILTER)}>
            Show all
          </Button>
        ) : null}
      </div>
    </div>
  );
}

/** Stops the panel while lines go on coming, and counts those that wait. */
function PauseButton({ store, ended }: { store: LogStore; ended: boolean }) {
  const paused = useLogFact(store, store.isPaused);
  const waiting = useLogFact(store, store.waiting);
  return paused ? (
    <Button size="sm" variant="info" icon={<Play size={14} aria-hidden />} onClick={store.resume}>
      Resume
      {waiting === 0 ? null : (
        <>
          <span className="tabular-nums max-sm:sr-only">({waiting.toLocaleString('en-US')} waiting)</span>
          <span className="tabular-nums sm:hidden" aria-hidden>
            ({SHORT.format(waiting)})
          </span>
        </>
      )}
    </Button>
  ) : (
    <Button size="sm" icon={<Pause size={14} aria-hidden />} disabled={ended} onClick={store.pause}>
      Pause
    </Button>
  );
}

const lines = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'line' : 'lines'}`;

/** How many lines are held and shown, and how many there may be. */
export function LogFooter({ store, filter }: { store: LogStore; filter: LogFilter }) {
  const id = useId();
  const kept = useStore(keptLines);
  const [view, zone] = [useStore(logView), useStore(logZone)];
  const size = useLogFact(store, store.size);
  const shown = useLogFact(store, store.rows.count);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-xs text-muted">
      <span className="tabular-nums">
        {isFiltering(filter) ? `Showing ${shown.toLocaleString('en-US')} of ${lines(size)}` : lines(size)}
      </span>
      <div className="flex flex-wrap items-center gap-2 max-sm:contents">
        {view === 'table' ? <Chips label="Times" options={zones} value={zone} onChange={logZone.set} /> : null}
        <span className="flex items-center gap-2">
          <label htmlFor={id}>Keep at most</label>
          <Select
            id={id}
            options={keptLinesOptions}
            value={kept}
            onChange={(event) => keptLines.set(event.target.value)}
            className="w-34 [&_select]:h-8 [&_select]:text-sm"
          />
        </span>
      </div>
    </div>
  );
}

const sizes = [String(LOG_BUFFER_LINES), '5000', '10000', '50000', '100000'];

/** How many lines a log screen keeps, as text. */
export const keptLines = remembered('log-lines', sizes, String(LOG_BUFFER_LINES));

/** What may be chosen. */
export const keptLinesOptions = sizes.map((size) => ({
  value: size,
  label: `${Number(size).toLocaleString('en-US')} lines`,
}));

/** Two views of the same lines. */
export const logView = remembered('log-view', ['table', 'lines'], 'table');
const views = [
  { value: 'table', label: 'Table' },
  { value: 'lines', label: 'Lines' },
] as const;

/** In which zone the table tells times. */
export const logZone = remembered<LogZone>('log-times', ['local', 'utc'], 'local');
const zones = [
  { value: 'local', label: 'Local time' },
  { value: 'utc', label: 'UTC' },
] as const;

/** Whether long lines are broken; `auto`: where the screen is too narrow for most of them. */
export const wrapping = remembered('log-wrap', ['auto', 'on', 'off'], 'auto');

/** A line of the gateway has some 120 characters, which is what fits into the panel of a screen of this width. */
const NARROW = '(width < 64rem)';

/** Rows of the table have two lines on a screen of this width. */
export const PHONE = '(width < 40rem)';

/** Whether the screen is as a media query says. */
export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (changed: () => void) => {
      const media = matchMedia(query);
      media.addEventListener('change', changed);
      return () => media.removeEventListener('change', changed);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** Whether long lines are broken, and the way to change that. */
export function useWrap(): [boolean, (wrap: boolean) => void] {
  const chosen = useStore(wrapping);
  const isNarrow = useMedia(NARROW);
  return [chosen === 'auto' ? isNarrow : chosen === 'on', (wrap) => wrapping.set(wrap ? 'on' : 'off')];
}
