import type { Node } from '@sallyport/sdk/contract';
import { openDialog } from '../../state/dialogs.ts';
import type { SavedNode } from './nodeFormValues.ts';
import { lazyDialog } from '../../ui/lazyDialog.tsx';

const NodeFormDialog = lazyDialog(
  async () => (await import('./NodeFormDialog.tsx')).NodeFormDialog,
  ({ onClose }) => onClose,
);
const NodeReadyDialog = lazyDialog(
  async () => (await import('./NodeReadyDialog.tsx')).NodeReadyDialog,
  ({ onClose }) => onClose,
);

/**
 * Opens the node form: with a node it changes that one, else it creates one and then shows its token, this once.
 * Resolves to whether something was saved.
 */
export async function openNodeForm(node?: Node): Promise<boolean> {
  const saved = await openDialog<SavedNode>((close) => <NodeFormDialog node={node} onClose={close} />);
  if (saved?.token !== undefined) {
    const { id, name, token } = saved;
    await openDialog((close) => <NodeReadyDialog node={{ id, name, token }} onClose={close} />);
  }
  return saved !== null;
}
