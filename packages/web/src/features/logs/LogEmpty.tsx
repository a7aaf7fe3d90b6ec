import { ListFilter, ScrollText } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/controls/Button.tsx';
import { EmptyState } from '../../ui/layout/EmptyState.tsx';
import type { LogStore } from './createLogStore.ts';
import { useLogFact } from './useLogFact.ts';

type LogEmptyProps = {
  store: LogStore;
  /** No more lines come. */
  ended: boolean;
  /** How to bring about a line. */
  hint: ReactNode;
  /** The panel was cleared. */
  cleared: boolean;
  onShowAll: () => void;
  onHistory: () => void;
};

/** The panel without a line: why that is so, and what changes it. */
export function LogEmpty({ store, ended, hint, cleared, onShowAll, onHistory }: LogEmptyProps) {
  const begun = useLogFact(store, store.isBegun);
  const held = useLogFact(store, () => store.size() > 0);
  const sifted = useLogFact(store, store.isSifted);
  // Of very many lines the last may pass the filters.
  if (held ? !sifted : !begun && !ended) return null;
  return (
    <div className="sticky left-0 flex h-full items-center justify-center font-sans text-base">
      {held ? (
        <EmptyState
          icon={<ListFilter size={20} aria-hidden />}
          title="No line passes the filters"
          action={<Button onClick={onShowAll}>Show all</Button>}
        />
      ) : ended ? (
        <EmptyState
          icon={<ScrollText size={20} aria-hidden />}
          title="No lines"
          description={cleared ? 'The panel was cleared, and no more lines come.' : 'The log ended before a line came.'}
        />
      ) : (
        <EmptyState
          icon={<ScrollText size={20} aria-hidden />}
          title={cleared ? 'Cleared' : 'No lines yet'}
          description={cleared ? 'New lines appear here as they come.' : hint}
          action={cleared ? <Button onClick={onHistory}>Show the history again</Button> : null}
        />
      )}
    </div>
  );
}
