import { queryKey } from '@sallyport/sdk';
import type { Domain } from '@sallyport/sdk/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { PenLine, ScrollText, Signpost, Trash2 } from 'lucide-react';
import { useConfirmed } from '../../data/confirmation.tsx';
import { useConnection } from '../../data/connection.ts';
import { removalOf } from '../../data/domainRemoval.tsx';
import { invoke, useWrite } from '../../data/queries.ts';
import { openDialog } from '../../state/dialogs.ts';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';
import type { MenuAction } from '../../ui/overlays/MenuPopup.tsx';

type DomainDialogs = ReturnType<typeof useDomainDialogs>;

/**
 * What opens the dialogs of domains. A form that was saved is followed by what the DNS says, unless all is well there;
 * `openForm` resolves to whether it was.
 */
export function useDomainDialogs() {
  const queries = useQueryClient();
  const openDns = async (domain: Domain) => {
    await openDialog((close) => <DomainDnsDialog domain={domain} onClose={close} />);
    // The list says what was found.
    await queries.invalidateQueries({ queryKey: queryKey('domain.list') });
  };
  const openForm = async (domain?: Domain): Promise<boolean> => {
    const saved = await openDialog<Domain>((close) => <DomainFormDialog domain={domain} onClose={close} />);
    if (saved === null) return false;
    const isWell = saved.dnsState === null || saved.dnsState === 'here';
    if (domain === undefined || !isWell) await openDns(saved);
    return true;
  };
  return { openDns, openForm };
}

/** What can be done to a domain, as entries of its row's menu. */
export function useDomainActions({ openDns, openForm }: DomainDialogs): (domain: Domain) => MenuAction[] {
  const { client } = useConnection();
  const confirmed = useConfirmed();
  const remove = useWrite('domain.remove', { done: 'Domain deleted successfully!' });
  const erase = (row: Domain) =>
    confirmed({
      row,
      question: removalOf,
      act: ({ id, version }) => remove.mutateAsync({ params: { id }, ifMatch: version }),
      read: ({ id }) => invoke(client, 'domain.get', { params: { id } }),
    });
  return (domain) => [
    {
      label: 'Logs Monitor',
      icon: <ScrollText aria-hidden />,
      link: <Link to="/domains/$domain/logs" params={{ domain: domain.domain }} />,
    },
    { label: 'Edit Domain', icon: <PenLine aria-hidden />, onSelect: () => void openForm(domain) },
    { label: 'DNS', icon: <Signpost aria-hidden />, onSelect: () => void openDns(domain) },
    {
      label: 'Delete Domain',
      icon: <Trash2 aria-hidden />,
      danger: true,
      separated: true,
      onSelect: () => void erase(domain),
    },
  ];
}

const DomainFormDialog = lazyDialog(async () => (await import('./DomainFormDialog.tsx')).DomainFormDialog);
const DomainDnsDialog = lazyDialog(async () => (await import('./DomainDnsDialog.tsx')).DomainDnsDialog);
