import { type Domain, SERVICE_PAGE_SIZE } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { PenLine, ScrollText, Trash2 } from 'lucide-react';
import { useConnection } from '../../data/connection.ts';
import { invoke } from '../../data/invoke.ts';
import { namesOf } from '../../data/namesOf.ts';
import { useRead } from '../../data/read.ts';
import { useConfirmed } from '../../data/useConfirmed.tsx';
import { useWrite } from '../../data/useWrite.ts';
import type { MenuAction } from '../../ui/overlays/menuAction.ts';
import { openDomainForm } from './openDomainForm.tsx';

/** What can be done to a domain, as entries of its row's menu. */
export function useDomainActions(): (domain: Domain) => MenuAction[] {
  const { client } = useConnection();
  const confirmed = useConfirmed();
  const remove = useWrite('domain.remove', { done: 'Domain deleted successfully!' });
  const erase = (domain: Domain) =>
    confirmed({
      row: domain,
      question: (shown) => ({
        title: 'Remove domain',
        description: (
          <>
            <p>Are you sure you want to delete this domain?</p>
            <DomainDependents domain={shown.domain} />
          </>
        ),
        variant: 'danger',
        acceptButtonText: 'Yes, delete it!',
      }),
      act: ({ id, version }) => remove.mutateAsync({ params: { id }, ifMatch: version }),
      read: ({ id }) => invoke(client, 'domain.get', { params: { id } }),
    });
  return (domain) => [
    {
      label: 'Logs Monitor',
      icon: <ScrollText aria-hidden />,
      link: <Link to="/domains/$domain/logs" params={{ domain: domain.domain }} />,
    },
    { label: 'Edit Domain', icon: <PenLine aria-hidden />, onSelect: () => void openDomainForm(domain) },
    {
      label: 'Delete Domain',
      icon: <Trash2 aria-hidden />,
      danger: true,
      separated: true,
      onSelect: () => void erase(domain),
    },
  ];
}

/** What goes with a domain when it is deleted, by name. */
function DomainDependents({ domain }: { domain: string }) {
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
