import { queryKey } from '@sallyport/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useConnection } from '../../data/connection.ts';
import { useRead } from '../../data/read.ts';
import { useStream } from '../../data/useStream.ts';

/** A node that each message of its stream replaces. On an error the stream stays closed until `resume`. */
export function useLiveNode(id: number) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { data: node } = useRead('node.get', { params: { id } });
  const { state, resume } = useStream(String(id), (options) => client.node.watchOne({ query: { id } }, options), {
    onEvent: (event) => queries.setQueryData(queryKey('node.get', { params: { id } }), event),
  });
  return { node, stream: state, resume };
}
