import type { Database, EntityTable, NewRow, Rows } from './rows.ts';
import { type Kysely, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Page } from '@sallyport/sdk/contract';
import { camelCase } from './sqlite.ts';
import { hasTags, tagsContain } from './tags.ts';

/** What every noun's queries stand on: the database, or a transaction in it. */
export type Connection = { sql: Kysely<Database>; now(): Date };

/** What a list may be asked for. */
export type ListOptions<Row> = {
  page?: number | undefined;
  /** Rows on a page; all rows when absent. */
  limit?: number | undefined;
  /** `COLUMN,asc` or `COLUMN,desc`, one of the table's `orderable`; anything else is ignored. */
  orderBy?: string | undefined;
  /** Words that must occur in one of the table's `searchable` columns. */
  search?: string | undefined;
  /** Tags that a row must have, all of them; of a table that has tags. */
  tag?: readonly string[] | undefined;
  /** Columns that must have just these values. */
  where?: Partial<Row>;
  /** Columns that must have one of these values. */
  among?: { readonly [Column in keyof Row]?: readonly Row[Column][] } | undefined;
};

/** The reading half of a table. */
export type Reader<Row> = {
  list(options?: ListOptions<Row>): Promise<Page<Row>>;
  /** All rows, oldest first. */
  all(where?: Partial<Row>): Promise<Row[]>;
  get(id: number): Promise<Row | null>;
};

type TableWithId = { [Name in keyof Rows]: 'id' extends keyof Rows[Name] ? Name : never }[keyof Rows];

/** A table as one noun describes it. */
export type TableShape<Name extends TableWithId> = {
  name: Name;
  searchable: readonly (keyof Rows[Name] & string)[];
  orderable: readonly (keyof Rows[Name] & string)[];
  /** Rows with a true value here come first, whatever the order. */
  first?: keyof Rows[Name] & string;
  /** The columns that two rows must not share, together or each. */
  unique: readonly (keyof Rows[Name] & string)[];
};

// How each table of objects is listed and searched, and what two of its rows must not share.

/** Nodes; the local one comes first in every list. */
export const nodes = {
  name: 'nodes',
  searchable: ['name', 'address', 'tags', 'notes'],
  orderable: ['id', 'name', 'address', 'isGateway', 'createdAt'],
  first: 'isLocal',
  unique: ['address', 'name'],
} as const satisfies TableShape<'nodes'>;

/** Domains. */
export const domains = {
  name: 'domains',
  searchable: ['domain', 'tags', 'notes'],
  orderable: ['id', 'domain', 'ssl', 'createdAt'],
  unique: ['domain'],
} as const satisfies TableShape<'domains'>;

/** HTTP services; a domain and a path belong to one of them alone. */
export const httpServices = {
  name: 'httpServices',
  searchable: ['name', 'domain', 'pathLocation', 'backendHost', 'tags', 'notes'],
  orderable: ['id', 'name', 'domain', 'pathLocation', 'enabled', 'createdAt'],
  unique: ['domain', 'pathLocation'],
} as const satisfies TableShape<'httpServices'>;

/** TCP and UDP services. */
export const tcpServices = {
  name: 'tcpServices',
  searchable: ['name', 'domain', 'backendHost', 'tags', 'notes'],
  orderable: ['id', 'name', 'domain', 'port', 'enabled', 'createdAt'],
  unique: ['port'],
} as const satisfies TableShape<'tcpServices'>;

/** The nodes' access tokens. */
export const tokens = {
  name: 'nodeTokens',
  searchable: ['name'],
  orderable: ['id', 'name', 'expireAt', 'createdAt'],
  unique: ['tokenHash'],
} as const satisfies TableShape<'nodeTokens'>;

/** By which hosts join. */
export const joinKeys = {
  name: 'joinKeys',
  searchable: ['name'],
  orderable: ['id', 'name', 'expireAt', 'createdAt'],
  unique: ['codeHash'],
} as const satisfies TableShape<'joinKeys'>;

/** The tokens of programs. */
export const apiTokens = {
  name: 'apiTokens',
  searchable: ['name', 'prefix'],
  orderable: ['id', 'name', 'expireAt', 'createdAt'],
  unique: ['tokenHash'],
} as const satisfies TableShape<'apiTokens'>;

/** Notes that a token is used now. That is no change of the token: its version stays. */
export async function noteUse(
  { sql: db, now }: Connection,
  table: 'nodeTokens' | 'apiTokens',
  id: number,
): Promise<void> {
  const lastUsedAt = now().toISOString();
  await db.updateTable(table).set({ lastUsedAt }).where('id', '=', id).execute();
}

/**
 * A path as it is compared with those of others: one with a last slash is no other, and a list or a sign-in counts for
 * its path in any case (decision note 25). Ends with a slash. A damaged row may hold anything.
 */
export const pathKey = (path: unknown): string => `${String(path).replace(/\/$/, '')}/`.toLowerCase();

/**
 * Whether a text contains another as it is written, whatever the case of the letters of ASCII. `like` would compare the
 * whole of a long text at each place of the other.
 */
export function containing(text: RawBuilder<unknown>, search: string): RawBuilder<boolean> {
  return sql<boolean>`instr(lower(${text}), lower(${search}))`;
}

type Query = SelectQueryBuilder<Database, EntityTable, object>;

/** The reading half of one table. */
export function readTable<Name extends TableWithId>(
  { sql: db }: Connection,
  shape: TableShape<Name>,
): Reader<Rows[Name]> {
  type Row = Rows[Name];
  // The compiler checks these queries against what all tables share; which of them it is decides the type of the rows.
  const table = shape.name as EntityTable;
  const rowsOf = async (query: Query): Promise<Row[]> => (await query.selectAll().execute()) as unknown[] as Row[];
  const filtered = ({
    where = {},
    among = {},
    tag = [],
    search,
  }: Pick<ListOptions<Row>, 'search' | 'tag' | 'where' | 'among'>): Query => {
    let query: Query = db.selectFrom(table);
    for (const [column, value] of Object.entries(where)) {
      query = value === null ? query.where(sql.ref(column), 'is', null) : query.where(sql.ref(column), '=', value);
    }
    for (const [column, values] of Object.entries(among)) query = query.where(sql.ref(column), 'in', values);
    if (tag.length > 0) query = query.where(hasTags(tag));
    if (!search) return query;
    return query.where(({ or }) =>
      or(
        shape.searchable.map((column) =>
          column === 'tags' ? tagsContain(search) : containing(sql.ref(column), search),
        ),
      ),
    );
  };
  const ordered = (rows: Query, column: string | undefined, direction: 'asc' | 'desc'): Query => {
    let query = shape.first === undefined ? rows : rows.orderBy(sql.ref(shape.first), 'desc');
    // People look for a name by its letters, whatever their case.
    if (column !== undefined) query = query.orderBy(sql`${sql.ref(column)} collate nocase`, direction);
    // Always last: pages of rows that are equal in the column must not overlap.
    return query.orderBy('id', 'asc');
  };
  return {
    async list({ page = 1, limit, orderBy = '', ...options } = {}) {
      const [wanted = '', direction] = orderBy.split(',');
      const column = shape.orderable.find((name) => name === camelCase(wanted));
      const all = ordered(filtered(options), column, direction === 'desc' ? 'desc' : 'asc');
      if (limit === undefined) {
        const data = await rowsOf(all);
        return { data, page: 1, limit: data.length, total: data.length };
      }
      const { total } = await filtered(options)
        .select(({ fn }) => fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      return { data: await rowsOf(all.limit(limit).offset((page - 1) * limit)), page, limit, total };
    },
    all: (where = {}) => rowsOf(filtered({ where }).orderBy('id', 'asc')),
    async get(id) {
      const [row] = await rowsOf(db.selectFrom(table).where('id', '=', id));
      return row ?? null;
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
export function writeTable<Name extends EntityTable>(connection: Connection, shape: TableShape<Name>) {
  type Row = Rows[Name];
  const { sql: db, now } = connection;
  const table: EntityTable = shape.name;
  const { get } = readTable(connection, shape);
  const found = async (id: number): Promise<Row> => {
    const row = await get(id);
    if (row === null) throw new Error(`row ${id} of ${table} is gone`);
    return row;
  };
  return {
    async insert(row: NewRow<Row>): Promise<Row> {
      const at = now().toISOString();
      const values = { ...row, version: 1, createdAt: at, updatedAt: at };
      const { id } = await unlessTaken(shape.unique, () =>
        db.insertInto(table).values(values).returning('id').executeTakeFirstOrThrow(),
      );
      return found(id);
    },
    async update(id: number, change: Partial<NewRow<Row>>): Promise<Row> {
      const values = { ...change, updatedAt: now().toISOString() };
      await unlessTaken(shape.unique, () =>
        db
          .updateTable(table)
          .set(values)
          .set((eb) => ({ version: eb('version', '+', 1) }))
          .where('id', '=', id)
          .execute(),
      );
      return found(id);
    },
    /** Writes a row exactly as it was, its id, version and times included. */
    async put(row: Row): Promise<void> {
      const { id: _, ...rest } = row;
      await db
        .insertInto(table)
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet(rest))
        .execute();
    },
    async remove(id: number): Promise<void> {
      await db.deleteFrom(table).where('id', '=', id).execute();
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
