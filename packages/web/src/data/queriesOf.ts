import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import type { Connection } from './connection.ts';

/** For so long a reply counts as fresh: what a route has just loaded is not asked for again by its screen. */
const FRESH_MS = 2000;

const known = new WeakMap<Connection, QueryClient>();

/** The query cache of a connection, made when it is first wanted: the login page does without. */
export function queriesOf(connection: Connection): QueryClient {
  const queries = known.get(connection) ?? createQueries(connection);
  known.set(connection, queries);
  return queries;
}

function createQueries({ session, fail }: Connection): QueryClient {
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: (error) => fail(error, { tell: false }) }),
    mutationCache: new MutationCache({ onError: (error) => fail(error, { tell: true }) }),
    defaultOptions: {
      // A console on a machine without internet is still on its gateway's network: never wait for the browser's word.
      queries: { retry: false, refetchOnWindowFocus: false, staleTime: FRESH_MS, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  // What one administrator has seen is nothing for the next.
  session.subscribe(() => {
    if (session.token() === null) queries.clear();
  });
  return queries;
}
