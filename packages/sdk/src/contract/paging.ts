import * as z from 'zod/mini';
import { described } from './entity.ts';
import { field } from './field.ts';
import { message } from './message.ts';

/** Rows on a page of a table. */
export const PAGE_SIZE = 10;
/** Rows on a page of a service card. */
export const SERVICE_PAGE_SIZE = 5;
/** Rows on a page of the access tokens table. */
export const TOKEN_PAGE_SIZE = 5;
/** Most rows that one page may carry. */
export const LIMIT_MAX = 1000;
/** So many services one call changes at most: what selects them stops there. */
export const BULK_MAX = 500;

/** The order of a list, `COLUMN,asc` or `COLUMN,desc`, out of a list of allowed columns. */
export const orderBy = <const C extends readonly [string, ...string[]]>(columns: C) =>
  field.oneOf(
    columns.flatMap((column) => [`${column},asc`, `${column},desc`]) as unknown as readonly [
      `${C[number]},asc` | `${C[number]},desc`,
    ],
  );

/** The query of a list: which page, how many rows (all when absent), in which order, and words to look for. */
export const listQuery = <const C extends readonly [string, ...string[]]>(columns: C) => ({
  page: z.optional(described(field.integer(1, 1_000_000), 'Which page, from 1.')),
  limit: z.optional(described(field.integer(1, LIMIT_MAX), 'Rows on a page; all of them when left out.')),
  orderBy: z.optional(described(orderBy(columns), 'A column, and the direction.')),
  search: z.optional(described(field.text(200), 'Only rows with these words.')),
});

const wholePage = (rows: unknown[]) => ({ data: rows, page: 1, limit: rows.length, total: rows.length });

/** What a list without `limit` answers, as a page: a bare array, or for Wiredoor's nodes an object with `data` alone. */
function asPage(value: unknown): unknown {
  if (Array.isArray(value)) return wholePage(value);
  if (typeof value !== 'object' || value === null || !('data' in value) || 'total' in value) return value;
  return Array.isArray(value.data) ? wholePage(value.data) : value;
}

/**
 * A page of rows. `limit` is the page size that was asked for; without one the wire carries the bare array of all rows,
 * which reads as one page here (a list without `limit` is a habit of Wiredoor's clients).
 */
export const pageOf = <T extends z.ZodMiniType>(row: T) =>
  z.pipe(
    z.transform(asPage),
    z.object({
      data: z.array(row, { error: message.array }),
      page: z.int(),
      limit: z.int(),
      total: z.int(),
    }),
  );

/** A page of a list, as handlers make it and screens read it. */
export type Page<T> = {
  /** The rows of this page. */
  data: T[];
  /** Which page it is, from 1. */
  page: number;
  /** How many rows a page has at most. */
  limit: number;
  /** How many rows there are on all pages. */
  total: number;
};
