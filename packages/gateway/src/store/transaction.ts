import { behindSavepoint } from './commit.ts';
import {
  adminOf,
  formerNamesOf,
  formerPortsOf,
  historyOf,
  idempotencyKeysOf,
  nodeTrafficOf,
  settingsOf,
} from './records.ts';
import type {
  ApiTokenRow,
  DomainRow,
  HttpServiceRow,
  JoinKeyRow,
  NewRow,
  NodeRow,
  Rows,
  TcpServiceRow,
  TokenRow,
} from './rows.ts';
import { serviceKeysOf } from './serviceKeys.ts';
import { sessionsOf, visitorSessionsOf } from './sessions.ts';
import {
  apiTokens,
  type Connection,
  domains,
  httpServices,
  joinKeys,
  nodes,
  noteUse,
  type Reader,
  readTable,
  type TableShape,
  tcpServices,
  tokens,
  writeTable,
} from './tables.ts';

/** The tables that the outside world is made of, by the kind of their rows. */
export type TableOfKind = {
  node: 'nodes';
  domain: 'domains';
  httpService: 'httpServices';
  tcpService: 'tcpServices';
};
export type RowKind = keyof TableOfKind;
export type RowOfKind<Kind extends RowKind> = Rows[TableOfKind[Kind]];

/** One row before and after a write; no `before`: it was created, no `after`: it is gone. */
export type Change<Kind extends RowKind = RowKind> = {
  [Each in Kind]: {
    kind: Each;
    id: number;
    before: RowOfKind<Each> | null;
    after: RowOfKind<Each> | null;
    /** The access tokens that went with a node. */
    tokens?: TokenRow[];
    /** The idempotency key that was kept with it. */
    key?: { caller: string; keyHash: string };
    /** The place that a service left, as it was then. */
    left?: Left;
    /** The part of the transaction that it belongs to (`Transaction.part`). */
    part?: Part<unknown>;
  };
}[Kind];

/**
 * What a part of a transaction came to. It is served or refused by itself: `rejected` says, once the world has followed, why
 * it was taken back.
 */
export type Part<T> = { value: T; rejected: string | null };

type Left = {
  /** Null: the gateway's own names. */
  domain: DomainRow | null;
  /** The nodes that had services there. */
  nodeIds: ReadonlySet<number>;
  /** The paths there, by the ids of their services; unknown when the service was removed. */
  paths: ReadonlyMap<number, string> | null;
};

/** The tables of what changes are noted of. */
export const shapes: { [Kind in RowKind]: TableShape<TableOfKind[Kind]> } = {
  node: nodes,
  domain: domains,
  httpService: httpServices,
  tcpService: tcpServices,
};

/** What handlers see of the database: what can only be read. */
export type StoreReader = {
  nodes: Reader<NodeRow>;
  domains: Reader<DomainRow>;
  httpServices: Reader<HttpServiceRow>;
  tcpServices: Reader<TcpServiceRow>;
  services: ReturnType<typeof serviceKeysOf>;
  tokens: Reader<TokenRow>;
  joinKeys: Reader<JoinKeyRow>;
  apiTokens: Reader<ApiTokenRow>;
  sessions: Pick<ReturnType<typeof sessionsOf>, 'find' | 'living'>;
  visitorSessions: Pick<ReturnType<typeof visitorSessionsOf>, 'find'>;
  admin: Pick<ReturnType<typeof adminOf>, 'get'>;
  settings: Pick<ReturnType<typeof settingsOf>, 'get'>;
  formerNames: Pick<ReturnType<typeof formerNamesOf>, 'has'>;
  formerPorts: Pick<ReturnType<typeof formerPortsOf>, 'ofOthers'>;
  nodeTraffic: Pick<ReturnType<typeof nodeTrafficOf>, 'all'>;
  idempotencyKeys: Pick<ReturnType<typeof idempotencyKeysOf>, 'find' | 'findByToken' | 'hasExpired'>;
};

/** The reading half of the database. */
export const readersOf = (connection: Connection): StoreReader => ({
  nodes: readTable(connection, shapes.node),
  domains: readTable(connection, shapes.domain),
  httpServices: readTable(connection, shapes.httpService),
  tcpServices: readTable(connection, shapes.tcpService),
  services: serviceKeysOf(connection),
  tokens: readTable(connection, tokens),
  joinKeys: readTable(connection, joinKeys),
  apiTokens: readTable(connection, apiTokens),
  sessions: sessionsOf(connection, () => undefined),
  visitorSessions: visitorSessionsOf(connection),
  admin: adminOf(connection),
  settings: settingsOf(connection),
  formerNames: formerNamesOf(connection),
  formerPorts: formerPortsOf(connection),
  nodeTraffic: nodeTrafficOf(connection),
  idempotencyKeys: idempotencyKeysOf(connection),
});

/** A table within a transaction: what is written is also noted down. */
export type Writer<Row> = Reader<Row> & {
  /** @throws {DuplicateError} when another row has the same value where only one may */
  create(row: NewRow<Row>): Promise<Row>;
  /** Changes the given columns and counts the version up. @throws {DuplicateError} */
  update(id: number, change: Partial<NewRow<Row>>): Promise<Row>;
  /** Deletes the row and whatever cannot be without it. */
  remove(id: number): Promise<void>;
};

/** What the listeners of the store are told once the transaction is on the disk. */
export type Notes = { changes: Change[]; endedSessions: string[] };

/** One transaction. Within it only its own readers may be used: the store's wait until it has ended. */
export function transactionOf(connection: Connection, notes: Notes) {
  const readers = readersOf(connection);
  const tokenRows = writeTable(connection, tokens);
  const joinKeyRows = writeTable(connection, joinKeys);
  const apiTokenRows = writeTable(connection, apiTokens);
  const keys = idempotencyKeysOf(connection);
  const formerPorts = formerPortsOf(connection);
  const note = <Kind extends RowKind>(change: Change<Kind>): void => {
    // The compiler cannot follow that a change of one kind is one of the changes of all kinds.
    notes.changes.push(change as Change);
  };

  /** Notes whose the port was that a service leaves by a change, to keep it from other nodes. */
  async function keepPort({ before, after }: Pick<Change, 'before' | 'after'>): Promise<void> {
    if (before === null || !('port' in before)) return;
    if (after !== null && 'port' in after && after.port === before.port) return;
    await formerPorts.add(before.port, before.nodeId);
  }

  /** The place that a service leaves by a change. */
  async function leftBy(change: Omit<Change, 'id'>): Promise<Pick<Change, 'left'>> {
    if (!isOfService(change) || change.before === null || isInPlace(change)) return {};
    const { domain } = change.before;
    const [row = null] = domain === null ? [] : await readers.domains.all({ domain });
    const nodeIds = domain === null ? new Set<number>() : await nodesOn(readers, domain);
    const there = change.after === null ? null : await readers.httpServices.all({ domain });
    return {
      left: { domain: row, nodeIds, paths: there && new Map(there.map(({ id, pathLocation }) => [id, pathLocation])) },
    };
  }

  function noted<Kind extends RowKind>(
    kind: Kind,
    reader: Reader<RowOfKind<Kind>>,
    clear?: (row: RowOfKind<Kind>) => Promise<{ tokens: TokenRow[] } | void>,
  ): Writer<RowOfKind<Kind>> {
    const table = writeTable(connection, shapes[kind]);
    return {
      ...reader,
      async create(row) {
        const after = await table.insert(row);
        note<Kind>({ kind, id: after.id, before: null, after });
        return after;
      },
      async update(id, change) {
        const before = await reader.get(id);
        const after = await table.update(id, change);
        await keepPort({ before, after });
        note<Kind>({ kind, id, before, after, ...(await leftBy({ kind, before, after })) });
        return after;
      },
      async remove(id) {
        const before = await reader.get(id);
        if (before === null) return;
        const gone = await clear?.(before);
        await table.remove(id);
        await keepPort({ before, after: null });
        note<Kind>({
          kind,
          id,
          before,
          after: null,
          ...gone,
          ...(await leftBy({ kind, before, after: null })),
        });
      },
    };
  }

  const http = noted('httpService', readers.httpServices);
  const tcp = noted('tcpService', readers.tcpServices);
  // Removed row by row, so that each is noted; the foreign keys only make sure that none is forgotten.
  const removeServices = async (where: { nodeId: number } | { domain: string }): Promise<void> => {
    for (const { id } of await http.all(where)) await http.remove(id);
    for (const { id } of await tcp.all(where)) await tcp.remove(id);
  };
  // Not noted: whether the domain can be served is nothing that the deletion of a node may depend on.
  const revokeDomains = async (nodeId: number): Promise<void> => {
    for (const { id, allowedNodes } of await readers.domains.all()) {
      // A list that was damaged by hand is none.
      if (!Array.isArray(allowedNodes) || !allowedNodes.includes(nodeId)) continue;
      // Under a number that is too large to be read as it is, no row is found. The id in it is never given again.
      if ((await readers.domains.get(id)) === null) continue;
      const left = allowedNodes.filter((each) => each !== nodeId);
      await writeTable(connection, domains).update(id, { allowedNodes: left.length > 0 ? left : null });
    }
  };
  return {
    /**
     * Does a part of the work that others do not depend on: when it fails, that alone is undone, and the rest goes on.
     * @throws what `work` throws
     */
    async part<T>(work: () => Promise<T>): Promise<Part<T>> {
      const { changes, endedSessions } = notes;
      const [changesBefore, endedBefore] = [changes.length, endedSessions.length];
      const outcome = await behindSavepoint(connection.sql, work);
      if ('error' in outcome) {
        changes.length = changesBefore;
        endedSessions.length = endedBefore;
        throw outcome.error;
      }
      const part: Part<T> = { value: outcome.value, rejected: null };
      for (const change of changes.slice(changesBefore)) change.part = part;
      return part;
    },
    httpServices: http,
    tcpServices: tcp,
    nodes: noted('node', readers.nodes, async ({ id: nodeId }) => {
      await removeServices({ nodeId });
      await revokeDomains(nodeId);
      const gone = await readers.tokens.all({ nodeId });
      notes.endedSessions.push(...gone.map(({ tokenHash }) => tokenHash));
      return { tokens: gone };
    }),
    domains: noted('domain', readers.domains, ({ domain }) => removeServices({ domain })),
    tokens: {
      ...readers.tokens,
      create: tokenRows.insert,
      async update(id, change) {
        const row = await tokenRows.update(id, change);
        if (row.revoked) notes.endedSessions.push(row.tokenHash);
        return row;
      },
      async remove(id) {
        const row = await readers.tokens.get(id);
        if (row !== null) notes.endedSessions.push(row.tokenHash);
        await tokenRows.remove(id);
      },
      used: (id: number) => noteUse(connection, 'nodeTokens', id),
    } satisfies Writer<TokenRow> & { used(id: number): Promise<void> },
    joinKeys: {
      ...readers.joinKeys,
      create: joinKeyRows.insert,
      update: joinKeyRows.update,
      remove: joinKeyRows.remove,
    } satisfies Writer<JoinKeyRow>,
    apiTokens: {
      ...readers.apiTokens,
      create: apiTokenRows.insert,
      update: apiTokenRows.update,
      async remove(id: number) {
        const row = await readers.apiTokens.get(id);
        if (row !== null) notes.endedSessions.push(row.tokenHash);
        await apiTokenRows.remove(id);
      },
      used: (id: number) => noteUse(connection, 'apiTokens', id),
    } satisfies Writer<ApiTokenRow> & { used(id: number): Promise<void> },
    sessions: sessionsOf(connection, (tokenHash) => notes.endedSessions.push(tokenHash)),
    visitorSessions: visitorSessionsOf(connection),
    admin: adminOf(connection),
    history: historyOf(connection),
    settings: settingsOf(connection),
    formerNames: formerNamesOf(connection),
    formerPorts,
    nodeTraffic: nodeTrafficOf(connection),
    idempotencyKeys: {
      ...keys,
      async keep(row) {
        await keys.keep(row);
        const last = notes.changes.at(-1);
        // What is taken back of one part says nothing about the others.
        if (last !== undefined && last.part === undefined) last.key = { caller: row.caller, keyHash: row.keyHash };
      },
    } satisfies typeof keys,
  };
}

/** The only thing that can change the database. */
export type Transaction = ReturnType<typeof transactionOf>;

/** Whether a service is at the place where it was; for a TCP service that is its domain. */
const isInPlace = ({ before, after }: Pick<ServiceChange, 'before' | 'after'>): boolean =>
  before?.domain === after?.domain &&
  (before === null ||
    after === null ||
    !('pathLocation' in before && 'pathLocation' in after) ||
    before.pathLocation === after.pathLocation);

/** The nodes with services under a domain, open or not. */
export async function nodesOn(
  at: Pick<ReturnType<typeof readersOf>, 'httpServices' | 'tcpServices'>,
  domain: string,
): Promise<Set<number>> {
  const services = [...(await at.httpServices.all({ domain })), ...(await at.tcpServices.all({ domain }))];
  return new Set(services.map(({ nodeId }) => nodeId));
}

type ServiceChange = Change<'httpService'> | Change<'tcpService'>;
/** Whether a change is one of a service. */
export const isOfService = <T extends Pick<Change, 'kind'>>(
  change: T,
): change is T & Pick<ServiceChange, 'before' | 'after'> =>
  change.kind === 'httpService' || change.kind === 'tcpService';
