import { type AdminClient, groupKey, isApiError, isReplyLost, newIdempotencyKey, queryKey } from '@sallyport/sdk';
import type { EndpointName, EndpointNamed, Group, InputOf, ReplyOf } from '@sallyport/sdk/contract';
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useRef } from 'react';
import { toasts } from '../state/toasts.ts';
import { type Connection, type ConsoleClient, useConnection } from './connection.ts';
import type { SeldomClient } from './seldomCalls.ts';

type AdminName = Extract<EndpointName, `${keyof AdminClient | keyof SeldomClient}.${string}`>;

/** The names of an administrator's calls: those with one JSON reply. */
export type CallName = { [N in AdminName]: EndpointNamed<N> extends { kind: 'call' } ? N : never }[AdminName];
/** The calls that change nothing. */
export type ReadName = { [N in CallName]: EndpointNamed<N> extends { method: 'GET' } ? N : never }[CallName];
/** The calls that do. */
export type WriteName = Exclude<CallName, ReadName>;

export type InputNamed<N extends EndpointName> = InputOf<EndpointNamed<N>>;
export type ReplyNamed<N extends EndpointName> = ReplyOf<EndpointNamed<N>>;

/**
 * What a call that changes something is given. For one thing that is there, also its version as it was on the screen, so
 * that what someone else has changed meanwhile is not overwritten; null: it is meant whatever it has become.
 */
export type WriteInput<N extends WriteName> = InputNamed<N> &
  (EndpointNamed<N> extends { method: 'PATCH' | 'DELETE'; params: unknown } ? { ifMatch: number | null } : unknown);

type Options = {
  signal?: AbortSignal;
  /** Refused as a conflict unless the thing still has this version. */ ifMatch?: number | undefined;
  /** The key of a write that was made before and whose reply was lost. */ idempotencyKey?: string;
};
type Method = (input: unknown, options: Options) => Promise<unknown>;

/** Calls the client's method of that name, `node.list` being `client.node.list`. */
export async function invoke<N extends CallName>(
  client: ConsoleClient,
  name: N,
  input: InputNamed<N>,
  options: Options = {},
): Promise<ReplyNamed<N>> {
  const [group = '', verb = ''] = name.split('.');
  const methodOf = (calls: object) => (calls as Record<string, Record<string, Method>>)[group]?.[verb];
  const method = methodOf(client) ?? methodOf(await client.seldom());
  if (!method) throw new Error(`The client has no ${name}`);
  return (await method(input, options)) as ReplyNamed<N>;
}

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
export function read<N extends ReadName>(client: ConsoleClient, name: N, input: InputNamed<N>) {
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

/** What else a change of a group changes: deleting a node takes its services along, a service may bring a domain. */
const TOUCHES: Partial<Record<Group, readonly Group[]>> = {
  node: ['node', 'service', 'httpService', 'tcpService', 'token', 'joinKey'],
  domain: ['domain', 'service', 'httpService', 'tcpService'],
  httpService: ['service', 'httpService', 'domain'],
  tcpService: ['service', 'tcpService', 'domain'],
  token: ['token'],
  apiToken: ['apiToken'],
  joinKey: ['joinKey'],
  session: ['session'],
  publicAddress: ['publicAddress'],
  settings: ['settings', 'system', 'domain', 'service', 'httpService'],
};

/** Reads again whatever a call may have changed. */
export function readAfter(queries: QueryClient, name: WriteName): void {
  for (const group of TOUCHES[name.split('.')[0] as Group] ?? []) {
    void queries.invalidateQueries({ queryKey: groupKey(group) });
  }
}

type UseWriteOptions = {
  /** The toast of success. */
  done?: string;
};

/** A call that changes something: afterwards whatever it may have changed is read again. Failures follow the console's policy. */
export function useWrite<N extends WriteName>(name: N, { done }: UseWriteOptions = {}) {
  const { client } = useConnection();
  const queries = useQueryClient();
  // Saved once more as it is, a write whose reply was lost is the same one: it must not be carried out twice.
  const lost = useRef<{ said: string; key: string } | null>(null);
  const readAnew = () => readAfter(queries, name);
  return useMutation<ReplyNamed<N>, Error, WriteInput<N>>({
    mutationKey: [name],
    async mutationFn(given) {
      const { ifMatch, ...input } = given as typeof given & { ifMatch?: number | null };
      const said = JSON.stringify(given);
      const idempotencyKey = lost.current?.said === said ? lost.current.key : newIdempotencyKey();
      const options = { ifMatch: ifMatch ?? undefined, idempotencyKey };
      try {
        const reply = await invoke(client, name, input as unknown as InputNamed<N>, options);
        lost.current = null;
        return reply;
      } catch (error) {
        lost.current = isReplyLost(error) ? { said, key: idempotencyKey } : null;
        throw error;
      }
    },
    onSuccess() {
      if (done) toasts.show(done, 'success');
      readAnew();
    },
    onError(error) {
      // Someone else has changed it, or removed it: what is on the screen is not so any more.
      if (isApiError(error, 'conflict') || isApiError(error, 'missing')) readAnew();
    },
  });
}
