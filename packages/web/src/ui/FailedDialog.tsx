import { useLayoutEffect, useRef } from 'react';
import { Button } from './Button.tsx';
import { DialogFooter } from './DialogFooter.tsx';

type FailedDialogProps = {
  onRetry: () => void;
  /** Close or Escape. */
  onClose: () => void;
};

/** In the place of a dialog or a menu that could not be fetched. It is the browser's own, which needs no fetching. */
export function FailedDialog({ onRetry, onClose }: FailedDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Brings the focus back before it is gone.
    return () => shown?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby="part-failed"
      onCancel={onClose}
      className="mx-auto mt-auto mb-2 w-[calc(100%-1rem)] max-w-dialog-small rounded-lg bg-raised text-ink shadow-dialog backdrop:bg-veil sm:mb-auto"
    >
      <div className="p-5">
        <h2 id="part-failed" className="text-lg font-semibold tracking-tight">
          This part could not be loaded
        </h2>
        <p className="mt-1 text-muted">The gateway did not answer, or it was updated meanwhile. Nothing was changed.</p>
      </div>
      <DialogFooter>
        <Button onClick={onClose}>Close</Button>
        <Button variant="info" onClick={onRetry}>
          Try again
        </Button>
      </DialogFooter>
    </dialog>
  );
}
