import type { Domain } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { PenLine, ScrollText, Trash2 } from 'lucide-react';
import { useConnection } from '../../data/connection.ts';
import { invoke } from '../../data/invoke.ts';
import { useConfirmed } from '../../data/useConfirmed.tsx';
import { useWrite } from '../../data/useWrite.ts';
import type { MenuAction } from '../../ui/overlays/menuAction.ts';
import { DomainDependents } from './DomainDependents.tsx';
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
