import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { useRef, type ReactNode, type RefObject, type SubmitEvent } from 'react';
import { DialogFooter } from './PlainDialog.tsx';
import { classes } from '../layout/classes.ts';

export type DialogSize = 'small' | 'medium' | 'large';

const SIZES: Record<DialogSize, string> = {
  small: 'max-w-dialog-small',
  medium: 'max-w-dialog-medium',
  large: 'max-w-dialog-large',
};

const FIELDS =
  'input:not([type="hidden"], [aria-hidden], [readonly], :disabled), select:not(:disabled), textarea:not([readonly], :disabled)';

type DialogProps = {
  open: boolean;
  /** Close, Escape or a press outside. */
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  size?: DialogSize | undefined;
  /** While something is submitted: Close, Escape and presses outside do nothing. */
  locked?: boolean | undefined;
  /** A press outside is ignored, so that a half-filled form is not lost by a slip. On by default when there is `onSubmit`. */
  sticky?: boolean | undefined;
  /** Makes the dialog's content a form; its native validation is off. */
  onSubmit?: ((event: SubmitEvent<HTMLFormElement>) => void) | undefined;
  /** What gets the focus first; otherwise the first field, else the dialog itself. */
  initialFocus?: RefObject<HTMLElement | null> | undefined;
  /** Buttons, the accepting one last. */
  footer?: ReactNode;
  children?: ReactNode;
};

/** A modal window. The focus goes in when it opens and comes back when it closes. */
export function Dialog({
  open,
  onClose,
  title,
  description,
  size = 'medium',
  locked = false,
  onSubmit,
  sticky = Boolean(onSubmit),
  initialFocus,
  footer,
  children,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const inner = (
    <>
      {children ? (
        <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pt-1 pb-5">{children}</div>
      ) : null}
      {footer ? <DialogFooter>{footer}</DialogFooter> : null}
    </>
  );
  return (
    <Base.Root
      open={open}
      onOpenChange={(next, details) => {
        if (next || locked) return details.cancel();
        if (details.reason === 'outside-press' && (sticky || isOnToast(details.event.target))) return details.cancel();
        onClose();
      }}
    >
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-(--z-dialog) animate-fade bg-veil" />
        <Base.Viewport className="fixed inset-0 z-(--z-dialog) flex items-end justify-center overflow-y-auto p-2 sm:items-center sm:p-6">
          <Base.Popup
            data-popup
            ref={popup}
            initialFocus={initialFocus ?? (() => firstField(popup.current))}
            className={classes(
              'flex max-h-full w-full min-w-0 animate-rise flex-col rounded-lg bg-raised shadow-dialog outline-none',
              SIZES[size],
            )}
          >
            <div className="flex items-start gap-3 px-5 pt-4 pb-3">
              <div className="min-w-0 flex-1 pt-0.5">
                <Base.Title className="text-lg font-semibold tracking-tight text-balance">{title}</Base.Title>
                {description ? (
                  <Base.Description className="mt-0.5 text-sm text-muted [&_strong]:font-semibold [&_strong]:wrap-anywhere [&_strong]:text-ink">
                    {description}
                  </Base.Description>
                ) : null}
              </div>
              <Base.Close
                disabled={locked}
                aria-label="Close"
                className="-mt-0.5 -mr-2.75 inline-flex size-8 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink disabled:opacity-40"
              >
                <X size={18} aria-hidden />
              </Base.Close>
            </div>
            {onSubmit ? (
              <form noValidate onSubmit={onSubmit} className="flex min-h-0 flex-1 flex-col">
                {inner}
              </form>
            ) : (
              inner
            )}
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}

/** The first field that can be filled in, else the dialog itself, so that it is read from its title on. */
function firstField(popup: HTMLElement | null): HTMLElement | null {
  return popup?.querySelector<HTMLElement>(FIELDS) ?? popup;
}

/** Toasts lie over a dialog and may be closed without closing it. */
function isOnToast(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-toasts]') !== null;
}
