import type { LineKey } from '../world.ts';
import type { RowKind } from '../store/transaction.ts';
import type { Store } from '../store/store.ts';

/** Which services and domains there are, whose lines are kept. */
export type KnownLogs = {
  has(key: LineKey): boolean;
  /** Calls back with each one that is gone; returns the way to stop. */
  onGone(listener: (key: LineKey) => void): () => void;
};

const KINDS: Partial<Record<RowKind, LineKey['kind']>> = { domain: 'domain', httpService: 'http', tcpService: 'tcp' };

/** Follows the database, so that it can be asked for every single line. */
export async function createKnownLogs(
  store: Pick<Store, 'domains' | 'httpServices' | 'tcpServices' | 'onChange'>,
): Promise<KnownLogs> {
  const ids: Record<LineKey['kind'], Set<number>> = { domain: new Set(), http: new Set(), tcp: new Set() };
  const listeners = new Set<(key: LineKey) => void>();
  store.onChange((changes) => {
    for (const { kind, id, after } of changes) {
      const logKind = KINDS[kind];
      if (logKind === undefined) continue;
      if (after !== null) ids[logKind].add(id);
      else if (ids[logKind].delete(id)) for (const listener of listeners) listener({ kind: logKind, id });
    }
  });
  for (const { id } of await store.domains.all()) ids.domain.add(id);
  for (const { id } of await store.httpServices.all()) ids.http.add(id);
  for (const { id } of await store.tcpServices.all()) ids.tcp.add(id);
  return {
    has: ({ kind, id }) => ids[kind].has(id),
    onGone(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
