import { updateQuestion } from '../state/consoleUpdate.ts';
import { useStore } from '../state/createStore.ts';
import { Button } from '../ui/controls/Button.tsx';
import { PlainDialog } from '../ui/overlays/PlainDialog.tsx';

/** Asks before the page reloads for another build of the console: what was typed would be lost. */
export function UpdateQuestion() {
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
