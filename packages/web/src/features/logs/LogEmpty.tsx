import { ListFilter, ScrollText } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import type { LogStore } from './createLogStore.ts';
import { useLogFact } from './useLogFact.ts';

type LogEmptyProps = {
  store: LogStore;
  /** How to bring about a line. */
  hint: ReactNode;
  /** The panel was cleared. */
  cleared: boolean;
  onShowAll: () => void;
  onHistory: () => void;
};

/** The panel without a line: why that is so, and what changes it. */
export function LogEmpty({ store, hint, cleared, onShowAll, onHistory }: LogEmptyProps) {
  const begun = useLogFact(store, store.isBegun);
  const held = useLogFact(store, () => store.size() > 0);
  const sifted = useLogFact(store, store.isSifted);
  // Of very many lines the last may pass the filters.
  if (!begun || (held && !sifted)) return null;
  return (
    <div className="sticky left-0 flex h-full items-center justify-center font-sans text-base">
      {held ? (
        <EmptyState
          icon={<ListFilter size={20} aria-hidden />}
          title="No line passes the filters"
          action={<Button onClick={onShowAll}>Show all</Button>}
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
