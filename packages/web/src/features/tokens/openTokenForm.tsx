import type { CreatedToken, Node } from '@sallyport/sdk/contract';
import { lazy } from 'react';
import { openDialog } from '../../state/dialogs.ts';

const TokenFormDialog = lazy(() =>
  import('./TokenFormDialog.tsx').then((module) => ({ default: module.TokenFormDialog })),
);
const TokenResultDialog = lazy(() =>
  import('./TokenResultDialog.tsx').then((module) => ({ default: module.TokenResultDialog })),
);

/** Opens the form of a new access token, and then shows the token, this once. */
export async function openTokenForm(node: Node): Promise<void> {
  const created = await openDialog<CreatedToken>((close) => <TokenFormDialog node={node} onClose={close} />);
  if (created) await openDialog((close) => <TokenResultDialog created={created} onClose={close} />);
}
