import { queryKey, type AdminClient } from '@sallyport/sdk';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useConnection } from './connection.ts';
import { invoke, type InputNamed, type ReadName, type ReplyNamed } from './invoke.ts';

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
