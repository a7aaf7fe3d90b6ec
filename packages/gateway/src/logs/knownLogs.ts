import type { LineKey } from '../world.ts';
import type { RowKind } from '../store/transaction.ts';
import type { Store } from '../store/store.ts';
import type { KnownLogs } from './accessLog.ts';

const KINDS: Partial<Record<RowKind, LineKey['kind']>> = { domain: 'domain', httpService: 'http', tcpService: 'tcp' };

/** Follows in the database which services and domains there are. */
export async function createKnownLogs(
  store: Pick<Store, 'domains' | 'httpServices' | 'tcpServices' | 'onChange'>,
): Promise<KnownLogs> {
  const ids: Record<LineKey['kind'], Set<number>> = { domain: new Set(), http: new Set(), tcp: new Set() };
  const listeners = new Set<(key: LineKey, isKnown: boolean) => void>();
  store.onChange((changes) => {
    for (const { kind, id, after } of changes) {
      const logKind = KINDS[kind];
      if (logKind === undefined || ids[logKind].has(id) === (after !== null)) continue;
      if (after === null) ids[logKind].delete(id);
      else ids[logKind].add(id);
      for (const listener of listeners) listener({ kind: logKind, id }, after !== null);
    }
  });
  for (const { id } of await store.domains.all()) ids.domain.add(id);
  for (const { id } of await store.httpServices.all()) ids.http.add(id);
  for (const { id } of await store.tcpServices.all()) ids.tcp.add(id);
  return {
    all: () =>
      Object.entries(ids).flatMap(([kind, all]) => [...all].map((id) => ({ kind: kind as LineKey['kind'], id }))),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
