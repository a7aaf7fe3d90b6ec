import { type Kysely, type SelectQueryBuilder, sql } from 'kysely';
import type { Page } from '@sallyport/sdk/contract';
import { camelCase, type Codec, type SqlValue } from './codec.ts';
import type { NewRow } from './rows.ts';

/** The tables as Kysely sees them; the types of the rows are the business of each noun's own file. */
export type Tables = Record<string, Record<string, SqlValue>>;
export type Sql = Kysely<Tables>;

/** What every noun's queries stand on. */
export type Connection = { sql: Sql; codec: Codec; now(): Date };

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

/** The reading half of one table. */
export function readTable<Row extends object>({ sql: db, codec }: Connection, shape: TableShape<Row>): Reader<Row> {
  const decode = (row: object): Row => codec.decode(shape.name, row as Record<string, unknown>) as Row;
  const rows = (options: Pick<ListOptions<Row>, 'search' | 'where'>): Rows => {
    let query: Rows = db.selectFrom(shape.name);
    for (const [column, value] of Object.entries(codec.encode(shape.name, { ...options.where }))) {
      query = value === null ? query.where(column, 'is', null) : query.where(column, '=', value);
    }
    if (options.search) {
      const pattern = `%${options.search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`;
      query = query.where(({ or }) =>
        or(shape.searchable.map((column) => sql<boolean>`${sql.ref(column)} like ${pattern} escape '\\'`)),
      );
    }
    return query;
  };
  const ordered = (query: Rows, orderBy?: string): Rows => {
    const [column = '', direction] = (orderBy ?? '').split(',');
    const known = shape.orderable.find((name) => name === camelCase(column));
    let result = shape.first === undefined ? query : query.orderBy(shape.first, 'desc');
    if (known !== undefined) result = result.orderBy(known, direction === 'desc' ? 'desc' : 'asc');
    // Always last: pages of rows that are equal in the column must not overlap.
    return result.orderBy('id', 'asc');
  };
  return {
    async list(options = {}) {
      const page = options.page ?? 1;
      let query = ordered(rows(options), options.orderBy).selectAll();
      if (options.limit === undefined) {
        const data = (await query.execute()).map(decode);
        return { data, page: 1, limit: data.length, total: data.length };
      }
      query = query.limit(options.limit).offset((page - 1) * options.limit);
      const { total } = await rows(options)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return { data: (await query.execute()).map(decode), page, limit: options.limit, total };
    },
    async all(where = {}) {
      return (await rows({ where }).orderBy('id', 'asc').selectAll().execute()).map(decode);
    },
    async get(id) {
      const row = await db.selectFrom(shape.name).where('id', '=', id).selectAll().executeTakeFirst();
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
      const { id } = await unlessTaken(shape.unique, () =>
        db.insertInto(shape.name).values(values).returning('id').executeTakeFirstOrThrow(),
      );
      return found(Number(id));
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
      throw new DuplicateError(columns, { cause: error });
    }
    throw error;
  }
}
