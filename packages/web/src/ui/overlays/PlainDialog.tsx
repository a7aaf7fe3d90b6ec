import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';

type PlainDialogProps = {
  title: string;
  /** Escape. */
  onClose: () => void;
  children: ReactNode;
  footer: ReactNode;
};

/** A small dialog of the browser's own: it lies over every other one, and needs no code that is fetched later. */
export function PlainDialog({ title, onClose, children, footer }: PlainDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    // Brings the focus back before it is gone.
    return () => shown?.close();
  }, []);
  // A dialog below hides the rest of the page from screen readers, but not what comes after it.
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={onClose}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // A dialog below would take it for its own: it closes, and what was typed there is lost.
        event.stopPropagation();
        event.preventDefault();
        onClose();
      }}
      className="mx-auto mt-auto mb-2 w-[calc(100%-1rem)] max-w-dialog-small rounded-lg bg-raised text-ink shadow-dialog backdrop:bg-veil sm:mb-auto"
    >
      <div className="p-5">
        <h2 id={id} className="text-lg font-semibold tracking-tight">
          {title}
        </h2>
        <div className="mt-1 text-muted">{children}</div>
      </div>
      <DialogFooter>{footer}</DialogFooter>
    </dialog>,
    document.body,
  );
}

/** The buttons at the foot of a dialog; on a phone they share its width. */
export const DialogFooter = ({ children }: { children: ReactNode }) => (
  <div className="flex flex-wrap justify-end gap-2 border-t border-line px-5 py-3 max-sm:*:flex-1">{children}</div>
);
