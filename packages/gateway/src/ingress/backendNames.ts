import { isIP } from 'node:net';

/** The addresses of a backend, or why there are none, in a sentence. */
export type Resolution = { addresses: readonly string[] } | { problem: string };

/** Asks for the addresses of a name; fails when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

// No host name has it.
const AT = '@';

/** A name that a node's resolver is asked for, as it is told apart from names of the gateway's own machine. */
export const nameAt = (host: string, server: string): string => `${host}${AT}${server}`;

/** What `nameAt` made of a name and a resolver; without a resolver, it is one of the gateway's own machine. */
export function partsOfName(name: string): { host: string; server: string | null } {
  const [host = '', server = null] = name.split(AT);
  return { host, server };
}

/** Backend names and their addresses. */
export type BackendNames = {
  /** Remembered addresses at once, unknown ones after at most `FIRST_WAIT_MS`, or `NODE_WAIT_MS` where a node's resolver has them. Names left out are forgotten. */
  resolveAll(hosts: ReadonlySet<string>): Promise<ReadonlyMap<string, Resolution>>;
  stop(): void;
};

const REFRESH_MS = 30_000;
// A name that leads nowhere keeps its service closed, and someone is probably repairing it.
const SEEK_MS = 3000;
const FIRST_WAIT_MS = 1_500;
// A node's resolver may be silent on purpose, and the changes of all others wait with this one: a round trip or two.
const NODE_WAIT_MS = 400;
// Addresses that were right once are used on for a while when the name service is silent.
const KEEP_MS = 300_000;
// A node's resolver answers as it likes, and each news of it makes an nginx: no more than a token may make by its changes.
const NEWS_EVERY_MS = 10_000;
// Each is a server in nginx's configuration, and is looked at; few names have more, and nginx tries one after the other.
const ADDRESSES_MAX = 8;
// What one round of questions finds is one change.
const GATHER_MS = 250;

type Entry = {
  addresses: readonly string[];
  /** Why the last question had no answer; null: it had. */
  reason: string | null;
  askedAt: number;
  asking: Promise<void> | null;
};

/**
 * Keeps the names in use fresh.
 * @param changed called when a name that is in use leads somewhere else, or nowhere any more; for the names of one node's
 *   resolver together, and once in ten seconds at most
 */
export function createBackendNames(resolve: Resolve, changed: () => void): BackendNames {
  const entries = new Map<string, Entry>();
  const news = createNews(changed);
  let stopped = false;

  const askNow = async (name: string, entry: Entry): Promise<void> => {
    try {
      const found = await resolve(name);
      // Sorted: a name service that turns its answers round has not changed them.
      const addresses = [...new Set(found)].filter((address) => isIP(address) !== 0);
      entry.addresses = addresses.toSorted().slice(0, ADDRESSES_MAX);
      entry.askedAt = Date.now();
      entry.reason = null;
    } catch (error) {
      entry.reason = error instanceof Error ? error.message : String(error);
      if (Date.now() - entry.askedAt > KEEP_MS) entry.addresses = [];
    }
    entry.asking = null;
  };

  const ask = (name: string, entry: Entry): Promise<void> => {
    entry.asking ??= askNow(name, entry);
    return entry.asking;
  };

  /** Asks, and says so when the answer is another one than before. */
  const refresh = async (name: string, entry: Entry): Promise<void> => {
    const before = printOf(name, entry);
    await ask(name, entry);
    if (entries.get(name) === entry && printOf(name, entry) !== before) news.of(partsOfName(name).server);
  };

  /** Refreshes some of the names again and again, for as long as there are such. */
  const repeat = (everyMs: number, isMeant: (entry: Entry) => boolean) => {
    let timer: NodeJS.Timeout | null = null;
    const later = (): void => {
      if (timer !== null || stopped || ![...entries.values()].some(isMeant)) return;
      // Spread, so that many gateways and many names do not ask in step.
      timer = setTimeout(
        () => {
          timer = null;
          const asked = [...entries].flatMap(([name, entry]) => (isMeant(entry) ? [refresh(name, entry)] : []));
          void Promise.all(asked).then(askLater);
        },
        everyMs * (0.8 + Math.random() * 0.4),
      );
      timer.unref();
    };
    const stop = (): void => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    };
    return { later, stop };
  };
  const refreshes = repeat(REFRESH_MS, () => true);
  const searches = repeat(SEEK_MS, ({ addresses }) => addresses.length === 0);
  function askLater(): void {
    refreshes.later();
    searches.later();
  }

  return {
    async resolveAll(hosts) {
      const names = [...hosts].filter((host) => isIP(host) === 0);
      for (const name of entries.keys()) if (!hosts.has(name)) entries.delete(name);
      const first = names.flatMap((name) => {
        if (entries.has(name)) return [];
        const entry: Entry = { addresses: [], reason: null, askedAt: Number.NEGATIVE_INFINITY, asking: null };
        entries.set(name, entry);
        return [{ name, entry, answer: ask(name, entry) }];
      });
      await Promise.all(
        first.map(({ name, answer }) =>
          within(answer, partsOfName(name).server === null ? FIRST_WAIT_MS : NODE_WAIT_MS),
        ),
      );
      askLater();
      // Too slow to wait for: an answer that comes later makes a generation of its own.
      for (const { name, entry } of first) if (entry.asking !== null) void refresh(name, entry);
      return new Map(
        [...hosts].map((host) => [host, isIP(host) === 0 ? answerOf(host, entries) : { addresses: [host] }]),
      );
    },
    stop() {
      stopped = true;
      refreshes.stop();
      searches.stop();
      news.stop();
      entries.clear();
    },
  };
}

/** What a resolver that has told of late has to tell again. */
type News = { hasNews: boolean; timer: NodeJS.Timeout | null };

/** Tells of changes: of this machine's names at once, of those of a node's resolver at the pace that it has. */
function createNews(changed: () => void) {
  const busy = new Map<string, News>();

  function tellLater(server: string, state: News, ms: number): void {
    state.timer = setTimeout(() => {
      if (!state.hasNews) {
        busy.delete(server);
        return;
      }
      state.hasNews = false;
      tellLater(server, state, NEWS_EVERY_MS);
      changed();
    }, ms);
    state.timer.unref();
  }

  return {
    of(server: string | null): void {
      if (server === null) return changed();
      const known = busy.get(server);
      if (known !== undefined) return void (known.hasNews = true);
      const state = { hasNews: true, timer: null };
      busy.set(server, state);
      tellLater(server, state, GATHER_MS);
    },
    stop(): void {
      for (const { timer } of busy.values()) if (timer !== null) clearTimeout(timer);
      busy.clear();
    },
  };
}

/** What an answer says: where a node's resolver has none, its reason as well. */
const printOf = (name: string, { addresses, reason }: Entry): string =>
  addresses.length === 0 && partsOfName(name).server !== null ? String(reason) : addresses.join();

function answerOf(name: string, entries: ReadonlyMap<string, Entry>): Resolution {
  const entry = entries.get(name);
  const addresses = entry?.addresses ?? [];
  if (addresses.length > 0) return { addresses };
  const { server } = partsOfName(name);
  // The node's name is added where it is known.
  if (server !== null) return { problem: entry?.reason ?? `no resolver has answered at ${server} yet` };
  return { problem: `The name ${name} cannot be resolved. Check its spelling, or give the backend's IP address.` };
}

async function within(work: Promise<void>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise<void>((done) => void (timer = setTimeout(done, ms)))]);
  clearTimeout(timer);
}
