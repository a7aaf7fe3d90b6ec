import { lazy, Suspense } from 'react';
import { useStore } from '../state/createStore.ts';
import { dialogs, type OpenDialog } from '../state/dialogs.ts';

const ConfirmDialog = lazy(() =>
  import('../ui/ConfirmDialog.tsx').then((module) => ({ default: module.ConfirmDialog })),
);

/** Draws the dialogs that are open. */
export function DialogHost() {
  return useStore(dialogs).map((dialog) => (
    <Suspense key={dialog.id} fallback={null}>
      <OneDialog dialog={dialog} />
    </Suspense>
  ));
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
