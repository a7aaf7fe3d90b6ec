import { formatBytes, formatExact } from '@sallyport/sdk';
import type { Context } from '../context.ts';
import { jsonText } from '../ui/json.ts';
import { type Column, tabLines, tableLines } from '../ui/table.ts';

type Pair = readonly [field: string, value: unknown];

const COLUMNS: readonly Column<Pair>[] = [
  { heading: 'FIELD', text: ([field]) => field, tone: () => 'dim' },
  { heading: 'VALUE', text: forPeople, exact: ([, value]) => textOf(value), mayShrink: false },
];

/** What the gateway notes about each of its rows; it stands behind what the row is. */
const NOTES: readonly string[] = ['version', 'created_at', 'updated_at'];

/** Prints one thing, a field a line, in the order of its contract: a table on a terminal, tabs when piped, or JSON. */
export async function show({ io, globals }: Context, thing: object): Promise<void> {
  if (globals.json) return io.print(jsonText({ data: thing }, 2));
  const all = Object.entries(thing);
  const isNote = ([field]: Pair) => NOTES.includes(field);
  const pairs = [...all.filter((pair) => !isNote(pair)), ...all.filter(isNote)];
  const lines = io.isTerminal
    ? tableLines(COLUMNS, pairs, Number.POSITIVE_INFINITY, io.paint)
    : tabLines(COLUMNS, pairs);
  return io.print(`${lines.join('\n')}\n`);
}

const TIME = /(?:At|_at|Timestamp)$/;
const BYTES = /^transfer[RT]x$/;

function forPeople([field, value]: Pair): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (TIME.test(field) && (typeof value === 'string' || typeof value === 'number')) return formatExact(value) || '-';
  if (BYTES.test(field) && typeof value === 'number') return formatBytes(value);
  return textOf(value) || '-';
}

/** Lists with commas; an object as the flags take it, `eth0=192.0.2.0/24`. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  if (typeof value === 'object') return Object.values(value).map(textOf).join('=');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
