import { isApiError, queryKey } from '@sallyport/sdk';
import type { HttpService, Page, ServiceType, TcpService } from '@sallyport/sdk/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useConnection } from '../../data/connection.ts';
import { useRead } from '../../data/queries.ts';
import { useStream } from '../../data/useStream.ts';
import { useAfter } from '../../state/browser.ts';
import { type Service, serviceKinds } from './services.ts';

/** What is shown comes by streams. It is asked for where that does not happen in this time, and from then on. */
const STREAM_FIRST_MS = 1000;

/**
 * One service as it is now, by the stream that its list has as well: each message replaces what the cache holds.
 * `gone`: there is none, also where there was one before.
 */
export function useLiveService(type: ServiceType, nodeId: number, id: number) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const { group } = serviceKinds[type];
  const input = { params: { nodeId, id } };
  const key = queryKey(`${group}.get`, input);
  const isDue = useAfter(STREAM_FIRST_MS);
  const [isMissed, setMissed] = useState(false);
  const { data, error } = useRead(`${group}.get`, input, { enabled: isDue || isMissed });
  const query = { nodeId, id, limit: 1 };
  const { state, resume } = useStream<Page<HttpService> | Page<TcpService>>(
    JSON.stringify([type, query]),
    (options) => client[group].watch({ query }, options),
    {
      onEvent({ data: [service] }) {
        if (service) {
          queries.setQueryData(key, service);
          return;
        }
        // Whether it was deleted, or only this message is without it, it tells itself.
        setMissed(true);
        void queries.invalidateQueries({ queryKey: key });
      },
    },
  );
  if (error && !data && !isApiError(error, 'missing')) throw error;
  const service: Service | undefined = data;
  return { service, gone: isApiError(error, 'missing'), stream: state, resume };
}

/** How often the node is read again once its stream has ended, which by itself does not come back. */
const REREAD_MS = 5000;

/** The node of a service as it is now. */
export function useLiveNodeOf(nodeId: number) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const input = { params: { id: nodeId } };
  const isDue = useAfter(STREAM_FIRST_MS);
  const { state } = useStream(String(nodeId), (options) => client.node.watchOne({ query: { id: nodeId } }, options), {
    onEvent: (event) => queries.setQueryData(queryKey('node.get', input), event),
  });
  return useRead('node.get', input, { enabled: isDue, everyMs: () => state === 'closed' && REREAD_MS }).data;
}
