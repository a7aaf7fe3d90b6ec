import { type AdminClient, queryKey } from '@sallyport/sdk';
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useQuery,
} from '@tanstack/react-query';
import { type Connection, useConnection } from './connection.ts';
import { type InputNamed, invoke, type ReadName, type ReplyNamed } from './invoke.ts';

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

/** The query of a call that reads: route loaders, screens and streams find the same cache entry by it. */
export function read<N extends ReadName>(client: AdminClient, name: N, input: InputNamed<N>) {
  return queryOptions({
    queryKey: queryKey(name, input),
    queryFn: ({ signal }) => invoke(client, name, input, { signal }),
  });
}

type UseReadOptions<Reply> = {
  /** False: not yet. */
  enabled?: boolean;
  /** While another page is on its way the last one stays. */
  keep?: boolean;
  /** Reads it again after so many milliseconds, as long as the page is looked at; false, or what says so: not. */
  everyMs?: number | ((last: Reply | undefined) => number | false);
};

/** Reads an endpoint of the contract and stays up to date with the cache. */
export function useRead<N extends ReadName>(
  name: N,
  input: InputNamed<N>,
  { enabled = true, keep = false, everyMs }: UseReadOptions<ReplyNamed<N>> = {},
) {
  const { client } = useConnection();
  return useQuery<ReplyNamed<N>, Error, ReplyNamed<N>, ReturnType<typeof queryKey<N>>>({
    ...read(client, name, input),
    enabled,
    ...(everyMs === undefined
      ? {}
      : {
          refetchInterval: typeof everyMs === 'number' ? everyMs : ({ state }) => everyMs(state.data),
        }),
    ...(keep ? { placeholderData: keepPreviousData } : {}),
  });
}

/** Has an endpoint's reply in the cache before its screen is drawn. */
export function load<N extends ReadName>(
  connection: Connection,
  name: N,
  input: InputNamed<N>,
): Promise<ReplyNamed<N>> {
  return queriesOf(connection).query({ ...read(connection.client, name, input), staleTime: 'static' });
}
