import type { sessionEndpoints } from '@sallyport/sdk/contract';
import { screens } from './screens.ts';

// Written here once more, checked by the compiler: the contract itself would have to be loaded first.
const RESUME = {
  method: 'POST',
  path: '/api/auth/session',
} as const satisfies Pick<typeof sessionEndpoints.resume, 'method' | 'path'>;

/** Which screens an address of the console leads to, the first that fits. */
const SCREENS: readonly (readonly [address: RegExp, wanted: readonly (keyof typeof screens)[]])[] = [
  [/^\/$/, ['home']],
  [/^\/nodes\/?$/, ['load', 'nodes']],
  [/^\/nodes\/\d+\/?$/, ['load', 'node']],
  [/^\/nodes\/\d+\/\w+\/\d+\/logs\/?$/, ['serviceLogs']],
  [/^\/domains\/?$/, ['load', 'domains']],
  [/^\/domains\/[^/]+\/logs\/?$/, ['domainLogs']],
];

/**
 * What can be asked for before the console itself is there: whether somebody is signed in, and for whoever is, the code of
 * the screen at this address. Returns the way in which the console then sends its requests; the first one that asks for the
 * session gets the answer that is on its way.
 */
export function ahead({ origin, pathname }: Pick<Location, 'origin' | 'pathname'>) {
  let early: Promise<Response> | null = fetch(RESUME.path, {
    method: RESUME.method,
    headers: { accept: 'application/json' },
    credentials: 'include',
    redirect: 'manual',
    cache: 'no-store',
  });
  loadScreen(early, pathname).catch(() => {
    // Whoever needs it asks again and is told why it fails.
  });
  return (request: Request): Promise<Response> => {
    if (early === null || request.method !== RESUME.method || request.url !== origin + RESUME.path)
      return fetch(request);
    const answer = early;
    early = null;
    return answer;
  };
}

async function loadScreen(session: Promise<Response>, pathname: string): Promise<void> {
  const answer = (await session).clone();
  if (!answer.ok || (await answer.json()) === null) return;
  const [, wanted = []] = SCREENS.find(([address]) => address.test(pathname)) ?? [];
  await Promise.all((['shell', ...wanted] as const).map((name) => screens[name]()));
}
