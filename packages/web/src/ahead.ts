import type { sessionEndpoints } from '@sallyport/sdk/contract';
import { screens } from './screens.ts';

// Written here once more, checked by the compiler: the contract itself would have to be loaded first.
const RESUME = {
  method: 'POST',
  path: '/api/auth/session',
} as const satisfies Pick<typeof sessionEndpoints.resume, 'method' | 'path'>;

/** How long an answer that nobody has taken may still be given out, in milliseconds. */
const KEPT_MS = 30_000;

type Place = Pick<Location, 'origin' | 'pathname' | 'search'>;

type Screen = {
  /** The address without its query. */
  at: RegExp;
  code: readonly (keyof typeof screens)[];
  /** What the screen reads first, from what `at` has captured, when the address has no query. */
  reads?: (id: string) => string;
};

/** Which screens an address of the console leads to, the first that fits. */
const SCREENS: readonly Screen[] = [
  { at: /^\/$/, code: ['home'] },
  { at: /^\/nodes\/?$/, code: ['load', 'nodes'], reads: () => '/api/nodes?page=1&limit=10' },
  { at: /^\/nodes\/([1-9]\d{0,14})\/?$/, code: ['load', 'node'], reads: (id) => `/api/nodes/${id}` },
  { at: /^\/nodes\/[1-9]\d{0,14}\/(?:http|tcp)\/[1-9]\d{0,14}\/logs\/?$/, code: ['serviceLogs'] },
  { at: /^\/domains\/?$/, code: ['load', 'domains'], reads: () => '/api/domains?page=1&limit=10' },
  { at: /^\/domains\/[^/]+\/logs\/?$/, code: ['domainLogs'] },
];

/** What has been asked for before the console is there. */
export type Ahead = {
  /** Resolves when it is known whether somebody is signed in, or that it cannot be known now. */
  known: Promise<void>;
  /** Sends the console's requests; the first that asks for what is on its way already gets that answer. */
  fetch: (request: Request) => Promise<Response>;
};

/**
 * Asks for what can be asked for before the console itself is there: whether somebody is signed in, and for whoever is, the
 * code of the screen at this address and what it shows first.
 */
export function ahead(place: Place): Ahead {
  const sent = new Map<string, Promise<Response>>();
  const send = (method: string, path: string, headers: Record<string, string> = {}) => {
    const answer = fetch(path, {
      method,
      headers: { accept: 'application/json', ...headers },
      credentials: 'include',
      redirect: 'manual',
      cache: 'no-store',
    });
    sent.set(`${method} ${place.origin}${path}`, answer);
    // Whoever takes it is told why it fails.
    answer.catch(() => {});
    return answer;
  };
  setTimeout(() => sent.clear(), KEPT_MS);
  return {
    known: prepare(send, place).catch(() => {
      // Whoever needs it asks again.
    }),
    fetch(request) {
      const name = `${request.method} ${request.url}`;
      const answer = sent.get(name) ?? fetch(request);
      sent.delete(name);
      return answer;
    },
  };
}

async function prepare(
  send: (method: string, path: string, headers?: Record<string, string>) => Promise<Response>,
  { pathname, search }: Place,
): Promise<void> {
  const answer = (await send(RESUME.method, RESUME.path)).clone();
  const session = answer.ok ? await tokenIn(answer) : null;
  if (session === null) return;
  const screen = SCREENS.find(({ at }) => at.test(pathname));
  if (screen?.reads !== undefined && search === '') {
    const [, id = ''] = screen.at.exec(pathname) ?? [];
    void send('GET', screen.reads(id), { authorization: `Bearer ${session}` });
  }
  for (const name of ['shell', ...(screen?.code ?? [])] as const) screens[name]().catch(() => {});
}

async function tokenIn(answer: Response): Promise<string | null> {
  const session: unknown = await answer.json();
  const isSession = typeof session === 'object' && session !== null && 'token' in session;
  return isSession && typeof session.token === 'string' ? session.token : null;
}
