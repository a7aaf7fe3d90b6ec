import { ArrowDown, ArrowUp, SearchX, TriangleAlert, X } from 'lucide-react';
import { Fragment, useLayoutEffect, type ReactNode } from 'react';
import { Button } from '../controls/Button.tsx';
import { IconButton } from '../controls/IconButton.tsx';
import { SearchInput } from '../controls/SearchInput.tsx';
import { Select } from '../controls/TextInput.tsx';
import { classes } from '../layout/classes.ts';
import { Card, EmptyState, type EmptyStateProps } from '../layout/Card.tsx';
import { Tags, withTagToggled } from '../layout/Tags.tsx';
import { RowMenu } from '../overlays/Menu.tsx';
import type { MenuAction } from '../overlays/MenuPopup.tsx';
import { Pagination } from './Pagination.tsx';
import { Cell, HeadCell, Table, TableBody, TableHead, TableRow, TableSkeleton, TableSpan } from './Table.tsx';

/** How a list is looked at, and what changes that; `useListView` keeps it in the page's address. */
export type TableView<Sort extends string> = {
  /** What the gateway is asked for. */
  query: { page: number; limit: number; orderBy?: `${Sort},${'asc' | 'desc'}`; search?: string; tag?: string[] };
  /** The page sizes to choose from. */
  sizes: readonly number[];
  goTo: (page: number) => void;
  /** The same in the place of a page that is not there: the browser's Back does not lead to it. */
  correct: (page: number) => void;
  resize: (limit: number) => void;
  /** Shows only the rows with this text; `''` shows all. */
  look: (text: string) => void;
  /** Shows only the rows with all of these tags. */
  filter: (tags: string[]) => void;
  /** For the heading of a column: whether it orders the rows, and the press that makes it so, or turns it around. */
  heading: (column: Sort) => { sorted: 'ascending' | 'descending' | undefined; onSort: () => void };
};

/** A column of a list. */
export type TableColumn<Row, Sort extends string> = {
  heading: string;
  /** What stands in the place of the heading, which is its name then. */
  head?: ReactNode;
  /** What the gateway orders the rows by when the heading is pressed; it cannot be pressed without. */
  sort?: Sort;
  /** The width, as a class. */
  width?: string;
  /**
   * `name`: what the row is called, first and largest on a phone; `sign`: a dot before it; `plain`: in a line of its own there;
   * `wide`: left out there. The others stand in one line there.
   */
  as?: 'name' | 'sign' | 'plain' | 'wide';
  /** Of many columns, one that a tablet leaves out. */
  isLesser?: boolean;
  /** Figures stand at the right end. */
  align?: 'end';
  /** The value is nothing, which a phone leaves out. */
  isBlank?: (row: Row) => boolean;
  cell: (row: Row) => ReactNode;
};

/** The page of a list as a query has it. */
type TablePage<Row> = {
  data: { data: readonly Row[]; page: number; total: number } | undefined;
  /** Another page is on its way. */
  isPlaceholderData: boolean;
  isError: boolean;
  refetch: () => unknown;
};

/** A row of a list; some have tags. */
type ListRow = { id: number; tags?: readonly string[] };

type QueryTableProps<Row, Sort extends string> = {
  /** Accessible name of the table, and the title of its card: "HTTP Services". */
  title: string;
  /** Its rows in a sentence: "HTTP services". */
  what: string;
  /** Whose rows, where several such tables are parts of another one's rows. */
  of?: string | undefined;
  page: TablePage<Row>;
  view: TableView<Sort>;
  columns: readonly TableColumn<Row, Sort>[];
  nameOf: (row: Row) => string;
  /** Tells the rows apart where their ids do not. */
  keyOf?: (row: Row) => string;
  actions?: (row: Row) => readonly MenuAction[];
  /** The row is disabled: drawn fainter. */
  isDimmed?: (row: Row) => boolean;
  /** What is unfolded below a row; null: nothing. */
  detailsOf?: (row: Row) => ReactNode;
  /** Its columns are as wide as they say, and on a tablet the lesser ones are left out. */
  wide?: boolean;
  /** The look of the tags below a row's name; null: there are none. */
  tagsClass?: string | null | undefined;
  /** What is said when there are no rows at all. */
  empty: EmptyStateProps;
  /** What narrows the list down besides the search. */
  filter?: ReactNode;
  /** Takes the filters away; there where some are set that can leave nothing. */
  onClearFilters?: (() => void) | undefined;
  /** A part of a screen with a title: the search appears there once there are more rows than the smallest page holds. */
  card?: { description?: ReactNode; actions?: ReactNode };
};

/**
 * A list of the console: its search, its table with headings that order it, its pages, and what it says while it loads,
 * when it is empty, when nothing matches and when it cannot be read.
 */
export function QueryTable<Row extends ListRow, Sort extends string>(props: QueryTableProps<Row, Sort>) {
  const { title, what, of, page, view, filter, card, empty } = props;
  const { data } = page;
  const { search, limit, tag = [] } = view.query;
  const suffix = of === undefined ? '' : ` of ${of}`;
  // What stays while another page is on its way says nothing of how many rows that one has.
  useLastPage(page.isPlaceholderData ? undefined : data?.total, view);

  const searchInput = (
    <SearchInput
      className={card ? 'w-44' : undefined}
      label={`Search ${what}${suffix}`}
      placeholder={`Search ${what}`}
      shortcut={card ? undefined : '/'}
      value={search ?? ''}
      onChange={view.look}
      found={data?.total}
    />
  );
  const tagged = tag.map((each) => (
    <Button
      key={each}
      size="xs"
      icon={<X size={12} aria-hidden />}
      aria-label={`No longer only ${what} with the tag ${each}`}
      onClick={() => view.filter(withTagToggled(tag, each))}
    >
      <bdi className="max-w-44 truncate">{each}</bdi>
    </Button>
  ));
  // A part of a screen says in its head that it has no rows, and needs no table for that.
  const about = empty.description ?? card?.description;
  const isEmpty = card && data?.total === 0 && search === undefined && tag.length === 0;
  const label = title + suffix;
  const body = <Rows {...props} label={label} />;
  const footer =
    data && !isEmpty ? (
      <Pagination
        label={label}
        page={data.page}
        limit={limit}
        total={data.total}
        onPage={view.goTo}
        sizes={view.sizes}
        onLimit={view.resize}
      />
    ) : null;

  if (!card) {
    return (
      <>
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          {filter}
          {tagged.length > 0 ? <div className="flex flex-wrap items-center gap-1">{tagged}</div> : null}
          <div className={`w-full sm:w-64 ${filter ? 'sm:ml-auto' : ''}`}>{searchInput}</div>
        </div>
        <Card flush footer={footer}>
          {body}
        </Card>
      </>
    );
  }
  const isLong = (data?.total ?? 0) > (view.sizes[0] ?? 0);
  return (
    <Card
      flush
      bare={of !== undefined}
      title={
        <>
          {title}
          <span className="sr-only">{suffix}</span>
        </>
      }
      description={
        isEmpty ? (
          <>
            <span>{empty.title}</span> {about && '· '}
            {about}
          </>
        ) : (
          card.description
        )
      }
      actions={
        <>
          {search !== undefined || isLong ? searchInput : null}
          {card.actions}
        </>
      }
      footer={footer}
    >
      {isEmpty ? null : (
        <>
          {tagged.length > 0 ? <div className="flex flex-wrap gap-1 px-4 py-2">{tagged}</div> : null}
          {body}
        </>
      )}
    </Card>
  );
}

const LESSER = 'some-columns:hidden';

type RowsProps<Row, Sort extends string> = QueryTableProps<Row, Sort> & { label: string };

function Rows<Row extends ListRow, Sort extends string>(props: RowsProps<Row, Sort>) {
  const {
    label,
    title,
    page,
    view,
    columns,
    nameOf,
    keyOf,
    actions,
    isDimmed,
    detailsOf,
    card,
    wide = false,
    tagsClass,
  } = props;
  const { data, isPlaceholderData, isError, refetch } = page;
  const { tag = [] } = view.query;
  const width = columns.length + (actions ? 1 : 0);
  // In a card, one row is in order as it is.
  const total = data?.total ?? 0;
  const isSortable = card === undefined || total > 1;
  return (
    <Table
      label={label}
      columns={card ? 'few' : wide ? 'many' : 'some'}
      busy={isPlaceholderData}
      order={total > (card ? (view.sizes[0] ?? 0) : 0) ? <Order columns={columns} view={view} /> : null}
    >
      <TableHead>
        {columns.map(({ heading, head = heading, sort, width: className, isLesser, align }) => (
          <HeadCell
            key={heading}
            className={classes(className, isLesser && LESSER)}
            align={align}
            {...(sort !== undefined && isSortable ? view.heading(sort) : {})}
          >
            {head}
          </HeadCell>
        ))}
        {actions ? (
          <HeadCell hidden className="rows:w-14">
            Actions
          </HeadCell>
        ) : null}
      </TableHead>
      <TableBody>
        {data === undefined && !isError ? <TableSkeleton columns={width} rows={card ? 2 : 5} /> : null}
        {data === undefined && isError ? (
          <TableSpan columns={width}>
            <EmptyState
              icon={<TriangleAlert size={20} aria-hidden />}
              title={`${title} could not be read`}
              action={
                <Button size="sm" onClick={() => void refetch()}>
                  Try Again
                </Button>
              }
            />
          </TableSpan>
        ) : null}
        {data?.data.map((row) => {
          const details = detailsOf?.(row) ?? null;
          const key = keyOf?.(row) ?? row.id;
          return (
            <Fragment key={key}>
              <TableRow row={key} dimmed={isDimmed?.(row)}>
                {columns.map((column) => (
                  <Cell
                    key={column.heading}
                    label={column.as === 'plain' ? undefined : column.heading}
                    primary={column.as === 'name'}
                    lead={column.as === 'sign'}
                    align={column.align}
                    blank={column.as === 'wide' || column.isBlank?.(row)}
                    className={column.isLesser && LESSER}
                  >
                    {column.cell(row)}
                    {column.as === 'name' && tagsClass !== null && row.tags ? (
                      <Tags
                        className={tagsClass}
                        label={`Tags of ${nameOf(row)}`}
                        tags={row.tags}
                        chosen={tag}
                        onPick={(picked) => view.filter(withTagToggled(tag, picked))}
                      />
                    ) : null}
                  </Cell>
                ))}
                {actions ? (
                  <Cell actions>
                    <RowMenu label={`Actions of ${nameOf(row)}`} items={actions(row)} />
                  </Cell>
                ) : null}
              </TableRow>
              {details === null ? null : <TableSpan columns={width}>{details}</TableSpan>}
            </Fragment>
          );
        })}
        {data?.data.length === 0 ? (
          <TableSpan columns={width}>
            <NoRows {...props} />
          </TableSpan>
        ) : null}
      </TableBody>
    </Table>
  );
}

/** The order of rows that are cards: by which column, and from which end. */
function Order<Row, Sort extends string>({
  columns,
  view,
}: {
  columns: readonly TableColumn<Row, Sort>[];
  view: Pick<TableView<Sort>, 'heading'>;
}) {
  const orders = columns.flatMap(({ heading, sort }) =>
    sort === undefined ? [] : [{ heading, ...view.heading(sort) }],
  );
  const now = orders.find(({ sorted }) => sorted);
  const isDown = now?.sorted === 'descending';
  if (orders.length === 0) return null;
  return (
    <div className="flex items-center gap-1 border-b border-line px-4 py-2 rows:hidden">
      <Select
        aria-label="Sort by"
        className="min-w-0 flex-1"
        value={now?.heading ?? ''}
        options={[
          { value: '', label: 'Sort by', disabled: true },
          ...orders.map(({ heading }) => ({ value: heading, label: heading })),
        ]}
        onChange={({ target }) => orders.find(({ heading }) => heading === target.value)?.onSort()}
      />
      {now ? (
        <IconButton
          label={isDown ? 'Descending' : 'Ascending'}
          icon={isDown ? <ArrowDown size={16} aria-hidden /> : <ArrowUp size={16} aria-hidden />}
          onClick={now.onSort}
        />
      ) : null}
    </div>
  );
}

/** What is said where no row is: nothing is there at all, or nothing is as it is looked for. */
function NoRows<Row extends ListRow, Sort extends string>(props: QueryTableProps<Row, Sort>) {
  const { what, view, empty, onClearFilters } = props;
  const { search, tag = [] } = view.query;
  const [reason, undo, onUndo] =
    search !== undefined
      ? [`Nothing has “${search}” in it.`, 'search', () => view.look('')]
      : tag.length > 0
        ? ['Nothing has all of these tags.', 'tags', () => view.filter([])]
        : ['Nothing passes the filters.', 'filters', onClearFilters];
  // Without any of these there are no rows at all.
  if (!onUndo) return <EmptyState {...empty} />;
  return (
    <EmptyState
      icon={<SearchX size={20} aria-hidden />}
      title={`No ${what} match`}
      description={<span className="wrap-anywhere">{reason}</span>}
      action={
        <Button size="sm" onClick={onUndo}>
          Clear {undo}
        </Button>
      }
    />
  );
}

/** Goes back to the last page there is when the page on the screen has lost its rows, before its emptiness is seen. */
function useLastPage(
  total: number | undefined,
  { query: { page, limit }, correct }: Pick<TableView<string>, 'query' | 'correct'>,
): void {
  const last = total === undefined ? page : Math.max(1, Math.ceil(total / limit));
  useLayoutEffect(() => {
    if (page > last) correct(last);
  }, [page, last, correct]);
}
