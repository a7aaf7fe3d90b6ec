import { Outlet } from '@tanstack/react-router';
import { updateQuestion } from '../state/consoleUpdate.ts';
import { useStore } from '../state/createStore.ts';
import { toasts } from '../state/toasts.ts';
import { Button } from '../ui/controls/Button.tsx';
import { PlainDialog } from '../ui/overlays/PlainDialog.tsx';
import { ToastList } from '../ui/overlays/ToastList.tsx';

/** What is there on every screen, signed in or not. */
export function Root() {
  return (
    <>
      <Outlet />
      <ToastHost />
      <UpdateQuestion />
    </>
  );
}

/** Draws the toasts. */
function ToastHost() {
  return <ToastList toasts={useStore(toasts)} onClose={(id) => toasts.close(Number(id))} onHoldChange={toasts.hold} />;
}

/** Asks before the page reloads for another build of the console: what was typed would be lost. */
function UpdateQuestion() {
  if (!useStore(updateQuestion)) return null;
  return (
    <PlainDialog
      title="The console was updated"
      onClose={updateQuestion.dismiss}
      footer={
        <>
          <Button onClick={updateQuestion.dismiss}>Not yet</Button>
          <Button variant="info" onClick={() => location.reload()}>
            Reload
          </Button>
        </>
      }
    >
      Reload to go on. What you typed and did not save will be lost: choose Not yet to copy it first.
    </PlainDialog>
  );
}
