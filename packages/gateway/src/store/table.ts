import { type Compilable, type CompiledQuery, type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Page } from '@sallyport/sdk/contract';
import { camelCase, type Codec, type SqlValue } from './codec.ts';
import type { ReadCache, SqlRow } from './readCache.ts';
import type { NewRow } from './rows.ts';

/** The tables as Kysely sees them; the types of the rows are the business of each noun's own file. */
export type Tables = Record<string, Record<string, SqlValue>>;
export type Sql = Kysely<Tables>;

/** What every noun's queries stand on. */
export type Connection = {
  sql: Sql;
  codec: Codec;
  /** Queries that were written before, by their names. */
  queries: Map<string, CompiledQuery>;
  /** Null within a transaction, whose state is nobody else's. */
  cache: ReadCache | null;
  now(): Date;
};

/**
 * The rows of a query that is asked again and again, with other values: writing its SQL takes longer than running it.
 * They may be another caller's as well, so nobody may change them.
 * @param name names the query; two that differ in more than their values have different names
 * @param values what stands in it, in its order
 */
export async function rowsOf(
  { sql: db, queries, cache }: Pick<Connection, 'sql' | 'queries' | 'cache'>,
  name: string,
  values: readonly SqlValue[],
  write: () => Compilable,
): Promise<readonly SqlRow[]> {
  const asked = `${name} ${JSON.stringify(values)}`;
  const known = cache?.get(asked);
  if (known !== undefined) return known;
  const query = writtenOnce({ queries }, name, write);
  const state = cache?.state() ?? '';
  const rows = (await db.executeQuery({ ...query, parameters: values })).rows as SqlRow[];
  cache?.keep(asked, rows, state);
  return rows;
}

/** A query that is written once, with the values that it has this time left to whoever runs it. */
function writtenOnce({ queries }: Pick<Connection, 'queries'>, name: string, write: () => Compilable): CompiledQuery {
  const query = queries.get(name) ?? write().compile();
  queries.set(name, query);
  return query;
}

/** What a list may be asked for. */
export type ListOptions<Row> = {
  page?: number | undefined;
  /** Rows on a page; all rows when absent. */
  limit?: number | undefined;
  /** `COLUMN,asc` or `COLUMN,desc`, one of the table's `orderable`; anything else is ignored. */
  orderBy?: string | undefined;
  /** Words that must occur in one of the table's `searchable` columns. */
  search?: string | undefined;
  /** Columns that must have just these values. */
  where?: Partial<Row>;
};

/** The reading half of a table. */
export type Reader<Row> = {
  list(options?: ListOptions<Row>): Promise<Page<Row>>;
  /** All rows, oldest first. */
  all(where?: Partial<Row>): Promise<Row[]>;
  get(id: number): Promise<Row | null>;
};

/** A table as one noun describes it. */
export type TableShape<Row> = {
  name: string;
  searchable: readonly (keyof Row & string)[];
  orderable: readonly (keyof Row & string)[];
  /** Rows with a true value here come first, whatever the order. */
  first?: keyof Row & string;
};

type Rows = SelectQueryBuilder<Tables, string, object>;

/** What a list is limited to: a name for its form, the values in it, and how it is written. */
type Filter = { name: string; values: SqlValue[]; applyTo(query: Rows): Rows };

function filterOf<Row>(
  { codec }: Pick<Connection, 'codec'>,
  shape: TableShape<Row>,
  { where, search }: Pick<ListOptions<Row>, 'search' | 'where'>,
): Filter {
  const wanted = Object.entries(codec.encode(shape.name, { ...where }));
  const pattern = search ? `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%` : null;
  return {
    name: JSON.stringify([wanted.map(([column, value]) => [column, value === null]), pattern !== null]),
    values: [
      ...wanted.flatMap(([, value]) => (value === null ? [] : [value])),
      ...(pattern === null ? [] : shape.searchable.map(() => pattern)),
    ],
    applyTo(query) {
      let result = query;
      for (const [column, value] of wanted) {
        result = value === null ? result.where(column, 'is', null) : result.where(column, '=', value);
      }
      if (pattern === null) return result;
      return result.where(({ or }) =>
        or(shape.searchable.map((column) => sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`)),
      );
    },
  };
}

/** The reading half of one table. */
export function readTable<Row extends object>(connection: Connection, shape: TableShape<Row>): Reader<Row> {
  const { sql: db, codec } = connection;
  const decode = (row: object): Row => codec.decode(shape.name, row as Record<string, unknown>) as Row;
  const query = (name: string, values: readonly SqlValue[], write: () => Compilable) =>
    rowsOf(connection, `${shape.name} ${name}`, values, write);
  const ordered = (rows: Rows, column: string | undefined, direction: 'asc' | 'desc'): Rows => {
    let result = shape.first === undefined ? rows : rows.orderBy(shape.first, 'desc');
    // People look for a name by its letters, whatever their case.
    if (column !== undefined) result = result.orderBy(sql`${sql.ref(column)} collate nocase`, direction);
    // Always last: pages of rows that are equal in the column must not overlap.
    return result.orderBy('id', 'asc');
  };
  return {
    async list({ page = 1, limit, orderBy = '', ...options } = {}) {
      const filter = filterOf(connection, shape, options);
      const [wanted = '', last] = orderBy.split(',');
      const column = shape.orderable.find((name) => name === camelCase(wanted));
      const direction = last === 'desc' ? 'desc' : 'asc';
      const all = (): Rows => ordered(filter.applyTo(db.selectFrom(shape.name)), column, direction).selectAll();
      const name = `${column} ${direction} ${filter.name}`;
      if (limit === undefined) {
        const data = (await query(`list ${name}`, filter.values, all)).map(decode);
        return { data, page: 1, limit: data.length, total: data.length };
      }
      const offset = (page - 1) * limit;
      const [counted] = await query(`count ${filter.name}`, filter.values, () =>
        filter.applyTo(db.selectFrom(shape.name)).select(({ fn }) => fn.countAll<number>().as('total')),
      );
      const rows = await query(`page ${name}`, [...filter.values, limit, offset], () =>
        all().limit(limit).offset(offset),
      );
      return { data: rows.map(decode), page, limit, total: Number(counted?.['total']) };
    },
    async all(where = {}) {
      const filter = filterOf(connection, shape, { where });
      const rows = await query(`all ${filter.name}`, filter.values, () =>
        filter.applyTo(db.selectFrom(shape.name)).orderBy('id', 'asc').selectAll(),
      );
      return rows.map(decode);
    },
    async get(id) {
      const [row] = await query('get', [id], () => db.selectFrom(shape.name).where('id', '=', id).selectAll());
      return row === undefined ? null : decode(row);
    },
  };
}

/** Another value is there already; `columns` are the ones that must differ. */
export class DuplicateError extends Error {
  override readonly name = 'DuplicateError';
  readonly columns: readonly string[];

  constructor(columns: readonly string[], options?: ErrorOptions) {
    super(`Record already exists with the same value in ${columns.join(', ')}`, options);
    this.columns = columns;
  }
}

/** The writing half of one table, without any record of what changed. */
export function writeTable<Row extends { id: number }>(
  connection: Connection,
  shape: TableShape<Row> & { unique: readonly string[] },
) {
  const { sql: db, codec } = connection;
  const { get } = readTable<Row>(connection, shape);
  const encode = (row: object) => codec.encode(shape.name, row as Record<string, unknown>);
  const found = async (id: number): Promise<Row> => {
    const row = await get(id);
    if (row === null) throw new Error(`row ${id} of ${shape.name} is gone`);
    return row;
  };
  return {
    async insert(row: NewRow<Row>): Promise<Row> {
      const at = connection.now().toISOString();
      const values = encode({ ...row, version: 1, createdAt: at, updatedAt: at });
      const columns = Object.keys(values);
      const query = writtenOnce(connection, `${shape.name} insert ${columns.join()}`, () =>
        db.insertInto(shape.name).values(values).returning('id'),
      );
      const parameters = columns.map((column) => values[column]);
      const { rows } = await unlessTaken(shape.unique, () => db.executeQuery<SqlRow>({ ...query, parameters }));
      return found(Number(rows[0]?.['id']));
    },
    async update(id: number, change: Partial<NewRow<Row>>): Promise<Row> {
      const values = encode({ ...change, updatedAt: connection.now().toISOString() });
      await unlessTaken(shape.unique, () =>
        db
          .updateTable(shape.name)
          .set(values)
          .set((eb) => ({ version: eb('version', '+', 1) }))
          .where('id', '=', id)
          .execute(),
      );
      return found(id);
    },
    /** Writes a row exactly as it was, its id, version and times included. */
    async put(row: Row): Promise<void> {
      const { id, ...rest } = encode(row);
      await db
        .insertInto(shape.name)
        .values({ id: id ?? row.id, ...rest })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
        .execute();
    },
    async remove(id: number): Promise<void> {
      await db.deleteFrom(shape.name).where('id', '=', id).execute();
    },
  };
}

async function unlessTaken<T>(columns: readonly string[], write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SQLITE_CONSTRAINT_UNIQUE') {
      // Where several must differ, each on its own, SQLite names the one that does not.
      const [, said = ''] = /failed: \w+\.(\w+)$/.exec(error.message) ?? [];
      throw new DuplicateError(columns.includes(said) ? [said] : columns, { cause: error });
    }
    throw error;
  }
}
