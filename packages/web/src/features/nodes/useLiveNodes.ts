import { queryKey } from '@sallyport/sdk';
import type { NodeQuery } from '@sallyport/sdk/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useConnection } from '../../data/connection.ts';
import { useRead } from '../../data/read.ts';
import { useStream } from '../../data/useStream.ts';

/** A page of nodes that the gateway keeps up to date: each message of the stream replaces what the cache holds. */
export function useLiveNodes(query: NodeQuery) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const page = useRead('node.list', { query }, { keep: true });
  const { state, resume } = useStream(JSON.stringify(query), (options) => client.node.watch({ query }, options), {
    onEvent: (event) => queries.setQueryData(queryKey('node.list', { query }), event),
  });
  return { ...page, stream: state, resume };
}
