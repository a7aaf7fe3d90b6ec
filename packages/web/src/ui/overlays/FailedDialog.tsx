import { Button } from '../controls/Button.tsx';
import { PlainDialog } from './PlainDialog.tsx';

type FailedDialogProps = {
  onRetry: () => void;
  /** Close or Escape. */
  onClose: () => void;
};

/** In the place of a dialog or a menu that could not be fetched. */
export function FailedDialog({ onRetry, onClose }: FailedDialogProps) {
  return (
    <PlainDialog
      title="This part could not be loaded"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="info" onClick={onRetry}>
            Try again
          </Button>
        </>
      }
    >
      The gateway did not answer, or it was updated meanwhile.
    </PlainDialog>
  );
}
