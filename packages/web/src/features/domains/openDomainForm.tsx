import type { Domain } from '@sallyport/sdk/contract';
import { openDialog } from '../../state/dialogs.ts';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';

const DomainFormDialog = lazyDialog(
  async () => (await import('./DomainFormDialog.tsx')).DomainFormDialog,
  ({ onClose }) => onClose,
);

/** Opens the domain form: with a domain it changes that one, else it adds one. */
export async function openDomainForm(domain?: Domain): Promise<void> {
  await openDialog<Domain>((close) => <DomainFormDialog domain={domain} onClose={close} />);
}
