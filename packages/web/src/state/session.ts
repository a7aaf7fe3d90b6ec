import {
  createOwnKey,
  type KeptSession,
  type OtherTabs,
  type OwnKey,
  proofOf,
  type SessionKeeper,
} from './keptSession.ts';
import { createStore, type Store } from './store.ts';

/** What an administrator types to sign in. */
export type Credentials = { username: string; password: string };

/** What a session asks of the world. */
export type SessionPorts = {
  keeper: SessionKeeper;
  tabs: OtherTabs;
  /** Signs in; with a key, the token that it answers works only with that key. */
  login: (input: Credentials & { publicKey?: OwnKey['publicKey'] }) => Promise<{ token: string; seconds: number }>;
  /** Asks the gateway whether the session still lasts. */
  check: () => Promise<unknown>;
  /** Why the gateway refuses the token, out of an error of `check`; null when it does not. */
  refusalOf: (error: unknown) => string | null;
  /** Ends the session on the gateway. */
  logout: () => Promise<unknown>;
  /** Goes to a page of the console. */
  navigate: (path: string) => unknown;
  /** Goes there by loading the page again, when `navigate` failed. */
  reload: (path: string) => void;
  /** The page that is shown, as path and query. */
  currentPath: () => string;
};

/** How a session came to its end here. */
export type SessionEnd = {
  /** The gateway was told, or has ended it by itself. */
  told: boolean;
  /** When the gateway ends it by itself, in milliseconds since 1970. */
  endsAt: number;
  /** It was of use with a key alone, which is deleted. */
  hadKey: boolean;
};

/** The administrator's session. */
export type Session = Pick<Store<KeptSession | null>, 'subscribe'> & {
  /** Null: no one is signed in. */
  token: () => string | null;
  /** The proof of possession for a request of this session; null where the session has no key. */
  proof: (request: { method: string; url: string; token: string; gatewayTime: Date | null }) => Promise<string | null>;
  /** Why the login page is shown to a user who was signed in; null: there is nothing to say. */
  notice: Store<string | null>;
  /** Signs in with a new key, and keeps the session where this origin alone finds it. */
  signIn: (credentials: Credentials) => Promise<void>;
  /** Takes up the session that was kept, once; rejects when the gateway cannot be asked, and asks again the next time. */
  restore: () => Promise<void>;
  /**
   * Signs out: deletes key and session here, tells the other tabs and the gateway, and goes to the login page, which
   * will lead back to `from`. With `why`, it says so there. Null when there is no session.
   */
  end: (from: string, why?: string) => Promise<SessionEnd | null>;
};

const ELSEWHERE = 'You signed out in another tab.';

/** The login page's address that leads back to a path of the console. */
export function loginPath(from: string): string {
  const target = safePath(from);
  return target === '/' ? '/login' : `/login?redirect=${encodeURIComponent(target)}`;
}

export function createSession(ports: SessionPorts): Session {
  const { keeper, tabs } = ports;
  const current = createStore<KeptSession | null>(null);
  const notice = createStore<string | null>(null);
  let restoring: Promise<void> | null = null;
  let ending: Promise<SessionEnd> | null = null;
  /** How far the gateway's clock is ahead of this machine's, as far as that has mattered. */
  let aheadMs = 0;

  async function restore(): Promise<void> {
    const kept = await keeper.read();
    if (kept === null || current.get() !== null) return;
    current.set(kept);
    try {
      await ports.check();
    } catch (error) {
      const refusal = ports.refusalOf(error);
      if (refusal !== null) {
        await keeper.remove(kept.token);
        notice.set(refusal);
      }
      current.set(null);
      if (refusal === null) throw error;
    }
  }

  /** Shows the login page, and there why. */
  async function leave(from: string, why: string | null): Promise<void> {
    notice.set(why);
    current.set(null);
    const login = loginPath(from);
    try {
      await ports.navigate(login);
    } catch {
      ports.reload(login);
    }
  }

  async function end({ token, key, endsAt }: KeptSession, from: string, why: string | null): Promise<SessionEnd> {
    // First of all, so that nothing of it is left in this browser whatever the gateway says.
    await keeper.remove(token);
    tabs.tell({ kind: 'ended', token, why });
    let told = true;
    try {
      await ports.logout();
    } catch {
      told = false;
    }
    await leave(from, why);
    return { told, endsAt, hadKey: key !== null };
  }

  /** Another tab has signed in: this one is signed in as well. */
  async function join(): Promise<void> {
    const kept = await keeper.read();
    if (kept === null) return;
    const wasOut = current.get() === null;
    notice.set(null);
    current.set(kept);
    if (wasOut) await ports.navigate(ports.currentPath());
  }

  tabs.listen((message) => {
    if (message.kind === 'started') void join();
    else if (message.token === current.get()?.token) void leave(ports.currentPath(), message.why ?? ELSEWHERE);
  });

  return {
    token: () => current.get()?.token ?? null,
    subscribe: current.subscribe,
    notice,
    async proof({ gatewayTime, ...request }) {
      if (gatewayTime !== null) aheadMs = gatewayTime.getTime() - Date.now();
      const session = current.get();
      if (session === null || session.key === null || session.token !== request.token) return null;
      return await proofOf(session.key, { ...request, at: new Date(Date.now() + aheadMs) });
    },
    async signIn(credentials) {
      const key = await createOwnKey();
      const { token, seconds } = await ports.login({ ...credentials, ...(key && { publicKey: key.publicKey }) });
      const session = { token, key, endsAt: Date.now() + seconds * 1000 };
      await keeper.write(session);
      notice.set(null);
      current.set(session);
      tabs.tell({ kind: 'started' });
    },
    restore() {
      restoring ??= restore().catch((error: unknown) => {
        restoring = null;
        throw error;
      });
      return restoring;
    },
    async end(from, why) {
      const session = current.get();
      if (session === null) return null;
      ending ??= end(session, from, why ?? null).finally(() => {
        ending = null;
      });
      return await ending;
    },
  };
}

/** Where a sign-in leads when no page was left behind. */
const HOME = '/';

// Whitespace and control characters are dropped by URL parsers: "/\t/elsewhere" would become "//elsewhere".
// oxlint reads this class as text, so it is spelled with Unicode properties.
const UNSAFE = /[\\\p{Cc}\p{Zs}\p{Zl}\p{Zp}]/u;

/**
 * The path when it surely stays on the console's own origin (one leading slash, no backslash, no `//`) and is not the
 * login page itself; otherwise the home page.
 */
export function safePath(path: unknown): string {
  if (typeof path !== 'string' || !path.startsWith('/') || path.includes('//') || UNSAFE.test(path)) return HOME;
  return /^\/login(?:[/?#]|$)/.test(path) ? HOME : path;
}
