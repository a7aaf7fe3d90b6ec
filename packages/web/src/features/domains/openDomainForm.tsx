import type { Domain } from '@sallyport/sdk/contract';
import { lazy } from 'react';
import { openDialog } from '../../state/dialogs.ts';

const DomainFormDialog = lazy(() =>
  import('./DomainFormDialog.tsx').then((module) => ({ default: module.DomainFormDialog })),
);

/** Opens the domain form: with a domain it changes that one, else it adds one. */
export async function openDomainForm(domain?: Domain): Promise<void> {
  await openDialog<Domain>((close) => <DomainFormDialog domain={domain} onClose={close} />);
}
