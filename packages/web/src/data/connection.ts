import {
  type AdminClient,
  ApiError,
  type ClientOptions,
  createAdminClient,
  createStreamSharing,
  isApiError,
  sessionSeconds,
  type StreamSharing,
} from '@sallyport/sdk';
import { createContext, use } from 'react';
import { lookForUpdate } from '../state/consoleUpdate.ts';
import { closeDialogs } from '../state/dialogs.ts';
import { createSession, type Session, type SessionPorts } from '../state/session.ts';
import { toasts } from '../state/toasts.ts';
import { logFailure } from '../ui/logFailure.ts';
import type { SeldomClient } from './seldomCalls.ts';

/** How long sign-out waits for the gateway before it goes on without its answer. */
const LOGOUT_MS = 5000;

/** The calls of an administrator, and those of screens that are opened seldom, which are loaded then. */
export type ConsoleClient = AdminClient & { seldom(): Promise<SeldomClient> };

/** The console's tie to one gateway. */
export type Connection = {
  client: ConsoleClient;
  session: Session;
  /** How calls are made that the client does not have: those that a screen loads for itself. */
  options: ClientOptions;
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
  const options = { baseUrl, token, proof, sharing: streams, fetch: carrier, replyMaxBytes: null };
  const client: ConsoleClient = {
    ...createAdminClient(options),
    seldom: async () => (await import('./seldomCalls.ts')).createSeldomClient(options),
  };
  session.subscribe(() => {
    if (session.token() === null) closeDialogs();
  });
  return {
    client,
    options,
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

/**
 * What the console does about a failed call: a refused request is told in a toast, a refused
 * token signs out and is told on the login page, wrong fields are the form's business, everything else goes to the browser's console. With `tell`
 * the latter is a toast too, because what the administrator has just asked for did not happen.
 */
export function answerFailure(
  error: unknown,
  { signOut, tell }: { signOut: (why: string) => void; tell: boolean },
): void {
  if (!(error instanceof ApiError)) {
    logFailure(error);
    return;
  }
  // The form or the question that made the call shows both versions.
  if (error.status === 412) return;
  switch (error.kind) {
    case 'rejected':
      toasts.show(error.message || 'Unknown Error', 'error');
      return;
    case 'unauthorized':
    case 'throttled':
      signOut(error.message);
      return;
    case 'invalid':
      return;
    default:
      logFailure(error);
      void tellOther(error, tell);
  }
}

async function tellOther(error: ApiError, tell: boolean): Promise<void> {
  // Another build of the console may know what this reply means; that is told, or the page reloads.
  if (error.kind === 'mismatch' && (await lookForUpdate())) return;
  if (tell) toasts.show(error.message || 'Unknown Error', 'error');
}

/** So long a call may take before it is told that the console waits. */
const PATIENCE_MS = 4000;
/** Longer than any call lasts: the toast is closed when the last one that is late is answered. */
const TOLD_MS = 600_000;

const WAITING = 'Still waiting for the gateway.';
const MANY_WINDOWS =
  'Over plain HTTP a browser has six connections to it, for all windows together: close those of this console that you do not need.';

type Fetch = (request: Request) => Promise<Response>;

/** Sends requests, and tells when a call has to wait: the gateway may be busy, or the browser has no connection left for it. */
export function tellOfWaits(fetch: Fetch): Fetch {
  let late = 0;
  let toast = 0;
  return async (request) => {
    if (request.headers.get('accept')?.startsWith('text/event-stream')) return await fetch(request);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      late += 1;
      if (late > 1) return;
      toast = toasts.show(location.protocol === 'http:' ? `${WAITING} ${MANY_WINDOWS}` : WAITING, 'info', TOLD_MS);
    }, PATIENCE_MS);
    try {
      return await fetch(request);
    } finally {
      clearTimeout(timer);
      if (isLate) late -= 1;
      if (isLate && late === 0) toasts.close(toast);
    }
  };
}
