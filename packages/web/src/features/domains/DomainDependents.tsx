import { SERVICE_PAGE_SIZE } from '@sallyport/sdk/contract';
import { namesOf } from '../../data/namesOf.ts';
import { useRead } from '../../data/read.ts';

/** What goes with a domain when it is deleted, by name. */
export function DomainDependents({ domain }: { domain: string }) {
  const query = { domain, limit: SERVICE_PAGE_SIZE };
  const http = useRead('httpService.listAll', { query });
  const tcp = useRead('tcpService.listAll', { query });
  // A list that cannot be read is named by its kind alone: the question is asked all the same.
  const unread = [http, tcp].some(({ data }) => data === undefined);
  const lines = [
    { kind: 'HTTP', names: namesOf(http.data) },
    { kind: 'TCP', names: namesOf(tcp.data) },
  ].filter(({ names }) => names !== '');
  const consoleToo = http.data?.data.some(({ builtin }) => builtin) ?? false;
  return (
    <>
      <p className="mt-2">
        <strong>{domain}</strong>:{' '}
        {unread || lines.length > 0 ? 'the services that are reached by it go with it.' : 'no service goes with it.'}
      </p>
      {lines.length > 0 ? (
        <ul className="mt-1 list-disc pl-5">
          {lines.map(({ kind, names }) => (
            <li key={kind}>
              {kind}: {names}
            </li>
          ))}
        </ul>
      ) : null}
      {consoleToo ? <p className="mt-2">The console stays on its own port.</p> : null}
    </>
  );
}
