import { ArrowLeft, ArrowRight, ChevronDown } from 'lucide-react';
import { Button } from '../controls/Button.tsx';

type PaginationProps = {
  /** What is paged: "Nodes". */
  label: string;
  /** From 1. */
  page: number;
  /** Rows on a page. */
  limit: number;
  total: number;
  onPage: (page: number) => void;
  /** Page sizes to choose from, the smallest first. */
  sizes?: readonly number[] | undefined;
  onLimit?: ((limit: number) => void) | undefined;
};

/**
 * "Showing a to b of n", the page size, and Previous and Next when there is more than one page. Nothing at all when the
 * smallest page would hold everything.
 */
export function Pagination({ label, page, limit, total, onPage, sizes, onLimit }: PaginationProps) {
  const pages = Math.ceil(total / limit);
  const sizable = sizes?.[0] !== undefined && onLimit !== undefined && total > sizes[0];
  if (pages <= 1 && !sizable) return null;
  const first = Math.min((page - 1) * limit + 1, total);
  const last = Math.min(page * limit, total);
  return (
    <nav
      aria-label={`${label}, pages`}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-2"
    >
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm text-muted">
        <output className="tabular-nums">
          Showing {first} to {last} of {total}
        </output>
        {sizable ? (
          <label className="relative inline-flex items-center gap-1.5">
            Rows
            <select
              aria-label={`${label}, rows on a page`}
              value={limit}
              onChange={(event) => onLimit(Number(event.target.value))}
              className="h-7 appearance-none rounded-xs bg-transparent pr-5 pl-1.5 text-ink tabular-nums hover:bg-hover"
            >
              {sizes.map((size) => (
                <option key={size} value={size} className="bg-raised">
                  {size}
                </option>
              ))}
            </select>
            <ChevronDown size={14} aria-hidden className="pointer-events-none absolute right-1" />
          </label>
        ) : null}
      </div>
      {pages > 1 ? (
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
      ) : null}
    </nav>
  );
}
