import { SERVICE_PAGE_SIZE, type Node } from '@sallyport/sdk/contract';
import { namesOf } from '../../data/namesOf.ts';
import { useRead } from '../../data/read.ts';

/** What goes with a node when it is deleted, by name. */
export function NodeDependents({ node: { id, name } }: { node: Node }) {
  const query = { limit: SERVICE_PAGE_SIZE };
  const http = useRead('httpService.list', { params: { nodeId: id }, query });
  const tcp = useRead('tcpService.list', { params: { nodeId: id }, query });
  const tokens = useRead('token.list', { params: { id }, query });
  const lines = [
    { kind: 'HTTP services', names: namesOf(http.data) },
    { kind: 'TCP services', names: namesOf(tcp.data) },
    { kind: 'Access tokens', names: namesOf(tokens.data) },
  ].filter(({ names }) => names !== '');
  return (
    <>
      <p className="mt-2">
        <strong>{name}</strong>: its services and access tokens go with it.
      </p>
      <ul className="mt-1 list-disc pl-5 empty:hidden">
        {lines.map(({ kind, names }) => (
          <li key={kind}>
            {kind}: {names}
          </li>
        ))}
      </ul>
    </>
  );
}
