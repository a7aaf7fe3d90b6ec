import { Check, Download, Eraser, ListFilter, Pause, Play, WrapText } from 'lucide-react';
import { useId, useState, type ReactNode } from 'react';
import { Button } from '../../ui/controls/Button.tsx';
import { IconButton } from '../../ui/controls/IconButton.tsx';
import { ToggleChips } from '../../ui/controls/Chips.tsx';
import { classes } from '../../ui/layout/classes.ts';
import type { LogStore } from './createLogStore.ts';
import { isFiltering, levelChoices, NO_FILTER, statusChoices, type LogFilter } from './logFilter.ts';
import { useLogFact } from './useLogFact.ts';

type LogToolbarProps = {
  store: LogStore;
  /** No more lines come. */
  ended: boolean;
  /** The search field. */
  search: ReactNode;
  filter: LogFilter;
  onFilter: (filter: LogFilter) => void;
  wrap: boolean;
  onWrap: (wrap: boolean) => void;
  onClear: () => void;
  onDownload: () => void;
};

/** 12K: a phone has no room for more. */
const SHORT = new Intl.NumberFormat('en-US', { notation: 'compact' });

/** What can be done with the lines. */
export function LogToolbar(props: LogToolbarProps) {
  const { store, ended, search, filter, onFilter, wrap, onWrap, onClear, onDownload } = props;
  const [open, setOpen] = useState(false);
  const filtersId = useId();
  const demands = filter.levels.length + filter.statuses.length;
  const isEmpty = useLogFact(store, () => store.size() === 0);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        {search}
        <div className="flex w-full flex-wrap items-center gap-1 sm:w-auto">
          <PauseButton store={store} ended={ended} />
          <Button
            size="sm"
            className="sm:hidden"
            icon={<ListFilter size={14} aria-hidden />}
            aria-expanded={open}
            aria-controls={filtersId}
            onClick={() => setOpen(!open)}
          >
            <span className="max-[22.5rem]:sr-only">Filter</span>
            {demands === 0 ? null : `(${demands})`}
          </Button>
          <div className="ml-auto flex shrink-0 sm:gap-1">
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
