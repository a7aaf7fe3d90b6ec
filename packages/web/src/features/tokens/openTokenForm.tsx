import type { CreatedToken, Node } from '@sallyport/sdk/contract';
import { openDialog } from '../../state/dialogs.ts';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';

const TokenFormDialog = lazyDialog(
  async () => (await import('./TokenFormDialog.tsx')).TokenFormDialog,
  ({ onClose }) => onClose,
);
const fetchResult = () => import('./TokenResultDialog.tsx');
const TokenResultDialog = lazyDialog(
  async () => (await fetchResult()).TokenResultDialog,
  ({ onClose }) => onClose,
);

/** Opens the form of a new access token, and then shows the token, this once. */
export async function openTokenForm(node: Node): Promise<void> {
  // The token is shown once: what shows it is here before the token is made.
  fetchResult().catch(() => undefined);
  const created = await openDialog<CreatedToken>((close) => <TokenFormDialog node={node} onClose={close} />);
  if (created) await openDialog((close) => <TokenResultDialog created={created} onClose={close} />);
}
