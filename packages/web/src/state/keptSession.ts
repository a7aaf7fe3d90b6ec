import { createStore as openDatabase, del, get, set } from 'idb-keyval';
import type { OwnKey } from './ownKey.ts';

/** A session as this browser keeps it. */
export type KeptSession = {
  /** Where there is a key, it works with that alone. */
  token: string;
  /** Null: the token works by itself, and is never kept. */
  key: OwnKey | null;
  /** When the gateway ends it by itself, in milliseconds since 1970. */
  endsAt: number;
};

/** Where a session outlives a reload, for the tabs of this origin alone (scheme, host and port). */
export type SessionKeeper = {
  /** Null: there is none. */
  read: () => Promise<KeptSession | null>;
  /** Keeps a session in the place of any other; one that cannot be kept lasts until its tab is closed. */
  write: (session: KeptSession) => Promise<void>;
  /** Forgets the session of that token; another one that has taken its place stays. */
  remove: (token: string) => Promise<void>;
};

const KEY = 'session';

/** Keeps the session in the browser's database, the only place that can hold a key which no script can read. */
export function createSessionKeeper(): SessionKeeper {
  const database = openDatabase('sallyport', 'session');
  const read = () => unlessForbidden(async () => (await get<KeptSession>(KEY, database)) ?? null);
  return {
    read,
    async write(session) {
      // A token that works without a key is not left lying about.
      if (session.key !== null) await unlessForbidden(() => set(KEY, session, database));
    },
    async remove(token) {
      if ((await read())?.token === token) await unlessForbidden(() => del(KEY, database));
    },
  };
}

/** A private window may have no database; nothing has been kept then. */
async function unlessForbidden<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch {
    return null;
  }
}
