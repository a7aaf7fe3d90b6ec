import { createClient, type Client } from '@sallyport/sdk';
import { createContext, use } from 'react';
import { closeDialogs } from '../state/dialogs.ts';
import { createSession, type Session } from '../state/session.ts';
import { answerFailure } from './answerFailure.ts';

/** How long sign-out waits for the gateway before it goes on without its answer. */
const LOGOUT_MS = 5000;

/** The console's tie to one gateway. */
export type Connection = {
  client: Client;
  session: Session;
  /** Answers a failed call by the one policy of the console. `tell`: the administrator has asked for it and waits. */
  fail: (error: unknown, options: { tell: boolean }) => void;
};

type ConnectionPorts = {
  /** The gateway's address; `''` is the page's own origin. */
  baseUrl: string;
  /** What carries the requests: the browser's own unless given. */
  fetch?: (request: Request) => Promise<Response>;
  /** Goes to a page of the console. */
  navigate: (path: string) => unknown;
  /** Goes there by loading the page anew. */
  reload: (path: string) => void;
  /** The page that is shown, as path and query. */
  currentPath: () => string;
};

export function createConnection({ baseUrl, fetch, navigate, reload, currentPath }: ConnectionPorts): Connection {
  const session: Session = createSession({
    resume: () => client.session.resume(),
    logout: () => client.session.logout({}, { timeoutMs: LOGOUT_MS }),
    navigate,
    reload,
  });
  const client: Client = createClient({ baseUrl, token: session.token, ...(fetch ? { fetch } : {}) });
  session.subscribe(() => {
    if (session.token() === null) closeDialogs();
  });
  return {
    client,
    session,
    fail: (error, { tell }) => answerFailure(error, { tell, signOut: () => void session.end(currentPath()) }),
  };
}

const ConnectionContext = createContext<Connection | null>(null);

/** Gives the connection to the screens below. */
export const ConnectionProvider = ConnectionContext.Provider;

export function useConnection(): Connection {
  const connection = use(ConnectionContext);
  if (!connection) throw new Error('useConnection needs a ConnectionProvider above');
  return connection;
}
