import {
  type AdminClient,
  type ApiError,
  createAdminClient,
  createStreamSharing,
  isApiError,
  sessionSeconds,
  type StreamSharing,
} from '@sallyport/sdk';
import { createContext, use } from 'react';
import { closeDialogs } from '../state/dialogs.ts';
import { createSession, type Session, type SessionPorts } from '../state/session.ts';
import { answerFailure } from './answerFailure.ts';
import { tellOfWaits } from './tellOfWaits.ts';

/** How long sign-out waits for the gateway before it goes on without its answer. */
const LOGOUT_MS = 5000;

/** The console's tie to one gateway. */
export type Connection = {
  client: AdminClient;
  session: Session;
  /** What the streams of this window share. */
  streams: Pick<StreamSharing, 'pause' | 'resume'>;
  /** Answers a failed call by the one policy of the console. `tell`: the administrator has asked for it and waits. */
  fail: (error: unknown, options: { tell: boolean }) => void;
};

export type ConnectionPorts = Pick<SessionPorts, 'keeper' | 'tabs' | 'navigate' | 'reload' | 'currentPath'> & {
  /** The gateway's address; `''` is the page's own origin. */
  baseUrl: string;
  /** What carries the requests: the browser's own unless given. */
  fetch?: (request: Request) => Promise<Response>;
};

export function createConnection({ baseUrl, fetch, ...ports }: ConnectionPorts): Connection {
  const session: Session = createSession({
    ...ports,
    login: async (body) => {
      const reply = await client.session.login({ body });
      return { token: reply.token, seconds: sessionSeconds(reply) ?? 0 };
    },
    check: () => client.session.me(),
    refusalOf: (error) => (isRefusal(error) ? error.message : null),
    logout: () => client.session.logout({}, { timeoutMs: LOGOUT_MS }),
  });
  const { token, proof } = session;
  const streams = createStreamSharing();
  const carrier = tellOfWaits(fetch ?? ((request) => globalThis.fetch(request)));
  const client: AdminClient = createAdminClient({
    baseUrl,
    token,
    proof,
    sharing: streams,
    fetch: carrier,
    replyMaxBytes: null,
  });
  session.subscribe(() => {
    if (session.token() === null) closeDialogs();
  });
  return {
    client,
    session,
    streams,
    fail: (error, { tell }) =>
      answerFailure(error, { tell, signOut: (why) => void session.end(ports.currentPath(), why) }),
  };
}

/** What signs out. */
const isRefusal = (error: unknown): error is ApiError =>
  isApiError(error, 'unauthorized') || isApiError(error, 'throttled');

const ConnectionContext = createContext<Connection | null>(null);

/** Gives the connection to the screens below. */
export const ConnectionProvider = ConnectionContext.Provider;

export function useConnection(): Connection {
  const connection = use(ConnectionContext);
  if (!connection) throw new Error('useConnection needs a ConnectionProvider above');
  return connection;
}
