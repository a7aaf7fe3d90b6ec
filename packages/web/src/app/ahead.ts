import type { sessionEndpoints } from '@sallyport/sdk/contract';
import { screens } from './screens.ts';
import type { KeptSession } from '../state/keptSession.ts';
import { proofOf } from '../state/ownKey.ts';

// Written here once more, checked by the compiler: the contract itself would have to be loaded first.
const ME = { method: 'GET', path: '/api/auth/me' } as const satisfies Pick<
  typeof sessionEndpoints.me,
  'method' | 'path'
>;

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
  /** Resolves when everything is on its way. */
  sent: Promise<void>;
  /** Sends the console's requests; the first that asks for what is on its way already gets that answer. */
  fetch: (request: Request) => Promise<Response>;
};

/**
 * Asks for what can be asked for before the console itself is there, when a session was kept: whether it still lasts, the
 * code of the screen at this address, and what it shows first.
 */
export function ahead(place: Place, readKept: () => Promise<KeptSession | null>): Ahead {
  const answers = new Map<string, Promise<Response>>();
  const send = async (path: string, { token, key }: KeptSession): Promise<void> => {
    const url = place.origin + path;
    const dpop = key === null ? {} : { dpop: await proofOf(key, { method: 'GET', url, token, at: new Date() }) };
    const answer = fetch(path, {
      method: 'GET',
      headers: { accept: 'application/json', authorization: `Bearer ${token}`, ...dpop },
      credentials: 'include',
      redirect: 'manual',
      cache: 'no-store',
    });
    answers.set(`GET ${url}`, answer);
    // Whoever takes it is told why it fails.
    answer.catch(() => {});
  };
  setTimeout(() => answers.clear(), KEPT_MS);
  return {
    sent: prepare(readKept, send, place).catch(() => {
      // Whoever needs it asks again.
    }),
    fetch(request) {
      const name = `${request.method} ${request.url}`;
      const answer = answers.get(name) ?? fetch(request);
      answers.delete(name);
      return answer;
    },
  };
}

async function prepare(
  readKept: () => Promise<KeptSession | null>,
  send: (path: string, session: KeptSession) => Promise<void>,
  { pathname, search }: Place,
): Promise<void> {
  const session = await readKept();
  if (session === null) return;
  const screen = SCREENS.find(({ at }) => at.test(pathname));
  for (const name of ['shell', ...(screen?.code ?? [])] as const) screens[name]().catch(() => {});
  await send(ME.path, session);
  if (screen?.reads === undefined || search !== '') return;
  const [, id = ''] = screen.at.exec(pathname) ?? [];
  await send(screen.reads(id), session);
}
