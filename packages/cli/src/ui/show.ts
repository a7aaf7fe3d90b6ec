import { formatBytes, formatExact } from '@sallyport/sdk';
import type { Page } from '@sallyport/sdk/contract';
import * as z from 'zod/mini';
import type { Context } from '../context.ts';
import { Failure } from '../failure.ts';
import { jsonText } from '../io.ts';
import { type Column, tabLines, tableLines } from './table.ts';

type Pair = readonly [field: string, value: unknown];

const COLUMNS: readonly Column<Pair>[] = [
  { heading: 'FIELD', text: ([field]) => field, tone: () => 'dim' },
  { heading: 'VALUE', text: forPeople, exact: ([, value]) => textOf(value), mayShrink: false },
];

/** What the gateway notes about each of its rows; it stands behind what the row is. */
const NOTES: readonly string[] = ['version', 'created_at', 'updated_at'];

/** Prints one thing, a field a line, in the order of its contract: a table on a terminal, tabs when piped, or JSON. */
export async function printThing({ io, globals }: Context, thing: object): Promise<void> {
  if (globals.json) return io.answer({ data: thing });
  const all = Object.entries(thing);
  const isNote = ([field]: Pair) => NOTES.includes(field);
  const pairs = [...all.filter((pair) => !isNote(pair)), ...all.filter(isNote)];
  const lines = io.isTerminal
    ? tableLines(COLUMNS, pairs.flatMap(lineByLine), Number.POSITIVE_INFINITY, io.paint)
    : tabLines(COLUMNS, pairs);
  return io.print(`${lines.join('\n')}\n`);
}

/** A text of several lines goes on below itself. */
const lineByLine = ([field, value]: Pair): Pair[] =>
  typeof value === 'string' && value.includes('\n')
    ? value.split('\n').map((line, at): Pair => [at === 0 ? field : '', line])
    : [[field, value]];

const TIME = /(?:At|_at|Timestamp)$/;
const BYTES = /^transfer[RT]x$/;

function forPeople([field, value]: Pair): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (TIME.test(field) && (typeof value === 'string' || typeof value === 'number')) return formatExact(value) || '-';
  if (BYTES.test(field) && typeof value === 'number') return formatBytes(value);
  return textOf(value) || '-';
}

/** As the flags take it: a list with commas, its objects as `eth0=192.0.2.0/24`, and an object as `name=value,…`. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(itemText).join(',');
  if (typeof value === 'object') {
    const parts = Object.entries(value).map(([name, part]) => `${name}=${textOf(part)}`);
    return parts.join(',');
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}

const itemText = (item: unknown): string =>
  typeof item === 'object' && item !== null ? Object.values(item).map(textOf).join('=') : textOf(item);

/** The flag that every list has next to those of its query. */
export const allFlag = { all: z.optional(z.boolean()) };

/** What the filter of a list by tags is for. */
export const tagHelp = { tag: { text: 'only those with this tag; with several, those with all of them' } };

/** What the flags of a list's page are for. */
export const pageHelp = {
  page: { text: 'the page to show' },
  limit: { text: 'rows on a page; all when left out' },
  orderBy: { text: 'the order', value: 'column,direction' },
  all: { text: 'every row, whatever their number; what a list shows without --limit' },
} as const;

/** Refuses `--all` next to what would choose a part. */
export function checkAll({ all, page, limit }: { all?: boolean | undefined; page?: unknown; limit?: unknown }): void {
  if (all && (page !== undefined || limit !== undefined)) {
    throw new Failure('usage', '--all shows every row; --page and --limit choose some.', 'Leave one out.');
  }
  if (page !== undefined && limit === undefined) {
    throw new Failure('usage', '--page needs to know how many rows a page has.', 'Say it with --limit.');
  }
}

/** Prints one page in the form that fits its reader; `indent` for JSON of more than a line. */
export async function printPage<T>(
  { io, globals }: Context,
  columns: readonly Column<T>[],
  page: Page<T>,
  indent?: number,
): Promise<void> {
  if (globals.json) return io.print(jsonText(page, indent));
  if (page.data.length === 0) return;
  const lines = io.isTerminal ? tableLines(columns, page.data, io.columns(), io.paint) : tabLines(columns, page.data);
  return io.print(`${lines.join('\n')}\n`);
}

/** Prints a list, and says on standard error what of it is not shown. `nouns` is its plural. */
export async function showPage<T>(
  context: Context,
  columns: readonly Column<T>[],
  page: Page<T>,
  nouns: string,
): Promise<void> {
  await printPage(context, columns, page, 2);
  if (page.data.length === 0) context.io.say(`There are no such ${nouns}.`);
  else if (page.data.length < page.total) {
    context.io.say(`Page ${page.page}: ${page.data.length} of ${page.total} ${nouns}.`);
  }
}
