import type { Domain } from '@sallyport/sdk/contract';
import { Link } from '@tanstack/react-router';
import { PenLine, ScrollText, Trash2 } from 'lucide-react';
import { useWrite } from '../../data/useWrite.ts';
import { confirm } from '../../state/dialogs.ts';
import type { MenuAction } from '../../ui/menuAction.ts';
import { DomainDependents } from './DomainDependents.tsx';
import { openDomainForm } from './openDomainForm.tsx';

/** What can be done to a domain, as entries of its row's menu. */
export function useDomainActions(): (domain: Domain) => MenuAction[] {
  const remove = useWrite('domain.remove', { done: 'Domain deleted successfully!' });
  const erase = async ({ id, domain }: Domain) => {
    const accepted = await confirm({
      title: 'Remove domain',
      description: (
        <>
          <p>Are you sure you want to delete this domain?</p>
          <DomainDependents domain={domain} />
        </>
      ),
      variant: 'danger',
      acceptButtonText: 'Yes, delete it!',
    });
    if (accepted) remove.mutate({ params: { id } });
  };
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
