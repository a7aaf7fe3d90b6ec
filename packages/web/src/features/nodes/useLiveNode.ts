import { isApiError, queryKey } from '@sallyport/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useConnection } from '../../data/connection.ts';
import { useRead } from '../../data/read.ts';
import { useStream } from '../../data/useStream.ts';

/**
 * A node that each message of its stream replaces. On an error the stream stays closed until `resume`. `gone`: it was
 * deleted while it was looked at.
 */
export function useLiveNode(id: number) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { data: node, error } = useRead('node.get', { params: { id } });
  const { state, resume } = useStream(String(id), (options) => client.node.watchOne({ query: { id } }, options), {
    onEvent: (event) => queries.setQueryData(queryKey('node.get', { params: { id } }), event),
    onState(next) {
      // The gateway ends the stream of a node that is deleted; whether it was, the node itself tells.
      if (next === 'closed') void queries.invalidateQueries({ queryKey: queryKey('node.get', { params: { id } }) });
    },
  });
  return { node, gone: isApiError(error, 'missing'), stream: state, resume };
}
