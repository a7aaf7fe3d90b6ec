import { createStore, type Store } from './createStore.ts';
import { safePath } from './safePath.ts';

/** What a session asks of the world. */
export type SessionPorts = {
  /** Gives the token back after a reload, out of the browser's cookie; null when nobody is signed in. */
  resume: () => Promise<{ token: string } | null>;
  /** Ends the session on the gateway, which also drops the cookie. */
  logout: () => Promise<unknown>;
  /** Goes to a page of the console. */
  navigate: (path: string) => unknown;
  /** Goes there by loading the page anew, when `navigate` failed. */
  reload: (path: string) => void;
};

/** The administrator's session. The token is kept in memory only. */
export type Session = Pick<Store<string | null>, 'subscribe'> & {
  /** Null: nobody is signed in. */
  token: () => string | null;
  /** Keeps the token of a sign-in. */
  start: (token: string) => void;
  /** Asks the gateway for the token once; rejects when it cannot be asked, and asks again the next time. */
  restore: () => Promise<void>;
  /**
   * Signs out: ends the session on the gateway, forgets the token and goes to the login page, which will lead back to
   * `from`. Resolves to false when the gateway could not be told. Does nothing when nobody is signed in.
   */
  end: (from: string) => Promise<boolean>;
};

/** The login page's address that leads back to a path of the console. */
export function loginPath(from: string): string {
  const target = safePath(from);
  return target === '/' ? '/login' : `/login?redirect=${encodeURIComponent(target)}`;
}

export function createSession(ports: SessionPorts): Session {
  const token = createStore<string | null>(null);
  let restoring: Promise<void> | null = null;
  let ending: Promise<boolean> | null = null;

  async function restore(): Promise<void> {
    const session = await ports.resume();
    if (session && token.get() === null) token.set(session.token);
  }

  async function end(from: string): Promise<boolean> {
    let told = true;
    try {
      await ports.logout();
    } catch {
      told = false;
    }
    token.set(null);
    const login = loginPath(from);
    try {
      await ports.navigate(login);
    } catch {
      ports.reload(login);
    }
    return told;
  }

  return {
    token: token.get,
    subscribe: token.subscribe,
    start: token.set,
    restore() {
      restoring ??= restore().catch((error: unknown) => {
        restoring = null;
        throw error;
      });
      return restoring;
    },
    async end(from) {
      if (token.get() === null) return true;
      ending ??= end(from).finally(() => {
        ending = null;
      });
      return await ending;
    },
  };
}
