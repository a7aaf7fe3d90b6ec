import { useStore } from '../state/createStore.ts';
import { dialogs, type OpenDialog } from '../state/dialogs.ts';
import { lazyDialog } from '../ui/overlays/lazyDialog.tsx';

const ConfirmDialog = lazyDialog(
  async () => (await import('../ui/overlays/ConfirmDialog.tsx')).ConfirmDialog,
  ({ onCancel }) => onCancel,
);

/** Draws the dialogs that are open. */
export function DialogHost() {
  return useStore(dialogs).map((dialog) => <OneDialog key={dialog.id} dialog={dialog} />);
}

function OneDialog({ dialog }: { dialog: OpenDialog }) {
  if (dialog.kind === 'custom') return dialog.content;
  return (
    <ConfirmDialog
      {...dialog.options}
      open
      onAccept={() => dialog.answer(true)}
      onCancel={() => dialog.answer(false)}
    />
  );
}
