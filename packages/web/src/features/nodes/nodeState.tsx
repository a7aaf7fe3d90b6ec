import { formatRelative, isApiError, queryKey } from '@sallyport/sdk';
import type { Node, NodeQuery } from '@sallyport/sdk/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useConnection } from '../../data/connection.ts';
import { useRead } from '../../data/queries.ts';
import { RelativeTime } from '../../data/RelativeTime.tsx';
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

/** When the tunnel last shook hands, told from now; `-` when it never did. */
export function Handshake({ node, now }: { node: Node; now: Date }) {
  const at = node.latestHandshakeTimestamp;
  if (!at) return '-';
  return <RelativeTime at={at}>{formatRelative(at, now)}</RelativeTime>;
}

/** What is said of a node whose host fell silent. */
export const SILENT = 'Its host is silent';
