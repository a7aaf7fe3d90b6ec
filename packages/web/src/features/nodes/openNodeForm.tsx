import type { Node } from '@sallyport/sdk/contract';
import { openDialog } from '../../state/dialogs.ts';
import type { SavedNode } from './NodeFormDialog.tsx';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';

const NodeFormDialog = lazyDialog(
  async () => (await import('./NodeFormDialog.tsx')).NodeFormDialog,
  ({ onClose }) => onClose,
);
const fetchReady = () => import('./NodeReadyDialog.tsx');
const NodeReadyDialog = lazyDialog(
  async () => (await fetchReady()).NodeReadyDialog,
  ({ onClose }) => onClose,
);

/**
 * Opens the node form: with a node it changes that one, else it creates one and then shows its token, this once.
 * Resolves to whether something was saved.
 */
export async function openNodeForm(node?: Node): Promise<boolean> {
  // The token is shown once: what shows it is here before the node is made, also when the gateway is updated meanwhile.
  if (node === undefined) fetchReady().catch(() => undefined);
  const saved = await openDialog<SavedNode>((close) => <NodeFormDialog node={node} onClose={close} />);
  if (saved?.token !== undefined) {
    const { id, name, token, allowInternet } = saved;
    await openDialog((close) => <NodeReadyDialog node={{ id, name, token, allowInternet }} onClose={close} />);
  }
  return saved !== null;
}
