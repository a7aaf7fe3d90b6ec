import { ArrowLeft, ArrowRight } from 'lucide-react';
import { Button } from './Button.tsx';

type PaginationProps = {
  /** What is paged: "Nodes". */
  label: string;
  /** From 1. */
  page: number;
  /** Rows on a page. */
  limit: number;
  total: number;
  onPage: (page: number) => void;
};

/** Previous and Next with "Showing a to b of n"; nothing at all when everything fits on one page. */
export function Pagination({ label, page, limit, total, onPage }: PaginationProps) {
  const pages = Math.ceil(total / limit);
  if (pages <= 1) return null;
  const first = Math.min((page - 1) * limit + 1, total);
  const last = Math.min(page * limit, total);
  return (
    <nav
      aria-label={`${label}, pages`}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-2.5"
    >
      <output className="text-sm text-muted tabular-nums">
        Showing {first} to {last} of {total}
      </output>
      <div className="flex gap-2">
        <Button
          size="sm"
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
          icon={<ArrowLeft size={14} aria-hidden />}
        >
          Previous
        </Button>
        <Button size="sm" disabled={page >= pages} onClick={() => onPage(page + 1)}>
          Next
          <ArrowRight size={14} aria-hidden />
        </Button>
      </div>
    </nav>
  );
}
