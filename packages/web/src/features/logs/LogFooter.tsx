import { useId } from 'react';
import { useStore } from '../../state/createStore.ts';
import { Select } from '../../ui/controls/Select.tsx';
import type { LogStore } from './createLogStore.ts';
import { isFiltering, type LogFilter } from './logFilter.ts';
import { keptLines, keptLinesOptions } from './logSettings.ts';
import { useLogFact } from './useLogFact.ts';

const lines = (count: number) => `${count.toLocaleString('en-US')} ${count === 1 ? 'line' : 'lines'}`;

/** How many lines are held and shown, and how many there may be. */
export function LogFooter({ store, filter }: { store: LogStore; filter: LogFilter }) {
  const id = useId();
  const kept = useStore(keptLines);
  const size = useLogFact(store, store.size);
  const shown = useLogFact(store, store.rows.count);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 text-xs text-muted">
      <span className="tabular-nums">
        {isFiltering(filter) ? `Showing ${shown.toLocaleString('en-US')} of ${lines(size)}` : lines(size)}
      </span>
      <div className="flex items-center gap-2">
        <label htmlFor={id}>Keep at most</label>
        <Select
          id={id}
          options={keptLinesOptions}
          value={kept}
          onChange={(event) => keptLines.set(event.target.value)}
          className="w-34 [&_select]:h-8 [&_select]:text-sm"
        />
      </div>
    </div>
  );
}
