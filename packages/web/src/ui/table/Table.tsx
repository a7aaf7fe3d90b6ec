import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { classes } from '../layout/classes.ts';

/*
 * The narrow layout follows the width of the container, not of the window: a table in half a page is narrow too.
 * Roles are spelled out because a table that is laid out as cards loses its own in some browsers.
 */
const TABLE = { role: 'table' };
const ROWGROUP = { role: 'rowgroup' };
const ROW = { role: 'row' };
const COLUMNHEADER = { role: 'columnheader' };
const CELL = { role: 'cell' };

type TableProps = {
  /** Accessible name. */
  label: string;
  /** Rows are being replaced: announced, and drawn a little fainter. */
  busy?: boolean | undefined;
  /**
   * Of `few` short ones, rows stay rows down to 30 rem instead of 42; of `many` long ones, each is as wide as it says,
   * whatever is in it, and below 54 rem the lesser ones are left out.
   */
  columns?: 'few' | 'some' | 'many';
  /** What orders the rows while they are cards, which have no headings to press. */
  order?: ReactNode;
  children: ReactNode;
};

const BOXES = { few: 'table-box-few', some: 'table-box', many: 'table-box-many' };

/** A dense table whose rows become cards in a narrow container. */
export function Table({ label, busy = false, columns = 'some', order, children }: TableProps) {
  return (
    <div className={classes('min-w-0', BOXES[columns])}>
      {order}
      <table
        {...TABLE}
        aria-label={label}
        aria-busy={busy || undefined}
        className={classes(
          'block w-full border-collapse text-sm transition-opacity rows:table',
          columns === 'many' && 'rows:table-fixed',
          busy && 'opacity-60',
        )}
      >
        {children}
      </table>
    </div>
  );
}

/** The row of column headings. In a card each value has its own for screen readers. */
export function TableHead({ children }: { children: ReactNode }) {
  return (
    <thead {...ROWGROUP} className="hidden border-b border-line rows:table-header-group">
      <tr {...ROW} className="text-xs text-muted">
        {children}
      </tr>
    </thead>
  );
}

export function TableBody({ children }: { children: ReactNode }) {
  return (
    <tbody {...ROWGROUP} className="block divide-y divide-line/70 rows:table-row-group">
      {children}
    </tbody>
  );
}

type HeadCellProps = {
  align?: 'start' | 'end' | undefined;
  /** Heading for screen readers only, for the column of actions. */
  hidden?: boolean | undefined;
  /** Present when the table is sorted by this column. */
  sorted?: 'ascending' | 'descending' | undefined;
  /** Makes the heading a button. */
  onSort?: (() => void) | undefined;
  className?: string | undefined;
  children: ReactNode;
};

export function HeadCell({ align = 'start', hidden = false, sorted, onSort, className, children }: HeadCellProps) {
  const Arrow = sorted ? (sorted === 'descending' ? ArrowDown : ArrowUp) : ChevronsUpDown;
  return (
    <th
      {...COLUMNHEADER}
      scope="col"
      {...(sorted ? { 'aria-sort': sorted } : {})}
      className={classes(
        'h-9 px-3 text-xs font-medium whitespace-nowrap text-muted first:pl-4 last:pr-4',
        align === 'end' ? 'text-right' : 'text-left',
        className,
      )}
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className={classes(
            'group relative -mx-1 inline-flex h-6 items-center rounded-xs px-1 hover:text-ink',
            sorted && 'text-ink',
          )}
        >
          {children}
          <Arrow
            size={12}
            aria-hidden
            className={classes(
              // Between the columns, so that it takes no room and the heading stands flush with the values below it.
              'absolute left-full',
              sorted ? '' : 'opacity-60 group-hover:opacity-100',
            )}
          />
        </button>
      ) : hidden ? (
        <span className="sr-only">{children}</span>
      ) : (
        children
      )}
    </th>
  );
}

type TableRowProps = {
  /** Drawn fainter: a disabled node or service. */
  dimmed?: boolean | undefined;
  /** Tells it apart from the others, for who looks for it in the page. */
  row?: string | number;
  children: ReactNode;
};

export function TableRow({ dimmed = false, row, children }: TableRowProps) {
  return (
    <tr
      {...ROW}
      data-row={row}
      className={classes(
        'relative flex flex-wrap items-baseline gap-x-3 px-4 py-3 transition-colors hover:bg-hover rows:table-row rows:p-0',
        '[&:has([data-lead])>.order-first]:pl-6 rows:[&:has([data-lead])>.order-first]:pl-3',
        dimmed && 'text-muted',
      )}
    >
      {children}
    </tr>
  );
}

type CellProps = {
  /** The column's heading, told to screen readers when the row is a card. The value stands in one line with others there. */
  label?: string | undefined;
  align?: 'start' | 'end' | undefined;
  /** The cell that names the row: first and largest in a card. */
  primary?: boolean | undefined;
  /** A dot or a tick that stands before the name in a card. */
  lead?: boolean | undefined;
  /** The cell of the row's menu: top right in a card. */
  actions?: boolean | undefined;
  /** It says that there is nothing: a card leaves it out. */
  blank?: boolean | undefined;
  className?: string | false | undefined;
  children?: ReactNode;
};

export function Cell({
  label,
  align = 'start',
  primary = false,
  lead = false,
  actions = false,
  blank = false,
  className,
  children,
}: CellProps) {
  const isFact = !primary && !lead && !actions;
  const labelled = isFact && label !== undefined;
  const empty = children === null || children === undefined || children === '';
  return (
    <td
      {...CELL}
      {...(lead && !empty ? { 'data-lead': true } : {})}
      {...(primary ? { 'data-primary': true } : {})}
      className={classes(
        'min-w-0 rows:table-cell rows:h-11 rows:px-3 rows:py-1.5 rows:align-middle rows:first:pl-4 rows:last:pr-4',
        primary && 'order-first mb-1 block basis-full pr-9 wrap-anywhere rows:min-w-40',
        actions && 'absolute top-2 right-2 block rows:static rows:w-px rows:text-right',
        lead && !empty && 'absolute top-3 left-4 block rows:static rows:w-px',
        labelled && !empty && !blank && 'flex flex-wrap items-baseline gap-x-2 text-muted rows:text-inherit',
        isFact && !labelled && 'order-first mb-1.5 block basis-full pr-9',
        !primary && !actions && (empty || blank) && 'hidden',
        align === 'end' && 'whitespace-nowrap tabular-nums rows:text-right',
        className,
      )}
    >
      {labelled ? <span className="sr-only rows:hidden">{label}</span> : null}
      {children}
    </td>
  );
}

/** One cell over the whole width: an empty state, or the details of the row above. */
export function TableSpan({ columns, children }: { columns: number; children: ReactNode }) {
  return (
    <tr {...ROW} className="block rows:table-row">
      <td {...CELL} colSpan={columns} className="block rows:table-cell">
        {children}
      </td>
    </tr>
  );
}

/** Grey rows while the first page is on its way. */
export function TableSkeleton({ columns, rows }: { columns: number; rows: number }) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} {...ROW} aria-hidden className="block px-4 py-3 rows:table-row rows:p-0">
      {Array.from({ length: columns }, (_column, column) => (
        <td
          key={column}
          {...CELL}
          className="block py-1 nth-[n+3]:hidden rows:table-cell rows:h-11 rows:px-3 rows:first:pl-4"
        >
          <span
            className={classes(
              'block h-3 animate-shimmer rounded-xs bg-press',
              column === 0 ? 'w-2/3' : column % 2 === 0 ? 'w-1/2' : 'w-3/5',
            )}
          />
        </td>
      ))}
    </tr>
  ));
}
