import { SearchX } from 'lucide-react';
import { Button } from './Button.tsx';
import { EmptyState } from './EmptyState.tsx';

type NoMatchProps = {
  /** What was looked through: "nodes". */
  what: string;
  search: string;
  onClear: () => void;
};

/** What a list says when nothing in it has the text that is looked for. */
export function NoMatch({ what, search, onClear }: NoMatchProps) {
  return (
    <EmptyState
      icon={<SearchX size={20} aria-hidden />}
      title={`No ${what} match`}
      description={<span className="wrap-anywhere">Nothing has “{search}” in it.</span>}
      action={
        <Button size="sm" onClick={onClear}>
          Clear search
        </Button>
      }
    />
  );
}
