import { Dialog as Base } from '@base-ui/react/dialog';
import { CircleAlert, CircleCheck, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, type RefObject, type SubmitEvent, useRef } from 'react';
import { DialogFooter } from './PlainDialog.tsx';
import { classes } from '../layout/classes.ts';
import { Button } from '../controls/Button.tsx';
import { AlertDialog } from '@base-ui/react/alert-dialog';

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

type FormDialogProps = {
  open: boolean;
  onClose: () => void;
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  title: ReactNode;
  description?: ReactNode;
  size?: DialogSize | undefined;
  /** The form is being submitted: Save shows it, and there is no way out meanwhile. */
  busy: boolean;
  submitText?: string | undefined;
  cancelText?: string | undefined;
  children: ReactNode;
};

/** A dialog around a form, with Cancel and Save. */
export function FormDialog({
  busy,
  onClose,
  submitText = 'Save',
  cancelText = 'Cancel',
  children,
  ...rest
}: FormDialogProps) {
  return (
    <Dialog
      {...rest}
      onClose={onClose}
      locked={busy}
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            {cancelText}
          </Button>
          <Button type="submit" variant="info" loading={busy}>
            {submitText}
          </Button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}

export type ConfirmVariant = 'danger' | 'success' | 'info';

const TONES: Record<ConfirmVariant, string> = {
  danger: 'bg-danger-soft text-danger-ink',
  success: 'bg-success-soft text-success-ink',
  info: 'bg-accent-soft text-accent-ink',
};
const ICONS = { danger: TriangleAlert, success: CircleCheck, info: CircleAlert };

export type ConfirmOptions = {
  title: ReactNode;
  description?: ReactNode;
  /** A lucide icon of 20 px in place of the variant's own. */
  icon?: ReactNode;
  variant?: ConfirmVariant | undefined;
  cancelButtonText?: string | undefined;
  acceptButtonText?: string | undefined;
};

type ConfirmDialogProps = ConfirmOptions & {
  open: boolean;
  /** The accepted thing is being done: there is no way out meanwhile. */
  busy?: boolean | undefined;
  onAccept: () => void;
  /** Cancel or Escape. A press outside does nothing. */
  onCancel: () => void;
};

/** Asks before something that matters. The focus starts on Cancel. */
export function ConfirmDialog({
  open,
  title,
  description,
  icon,
  variant = 'info',
  cancelButtonText = 'Cancel',
  acceptButtonText = 'Accept',
  busy = false,
  onAccept,
  onCancel,
}: ConfirmDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const Icon = ICONS[variant];
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next, details) => {
        if (next || busy) details.cancel();
        else onCancel();
      }}
    >
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="fixed inset-0 z-(--z-dialog) animate-fade bg-veil" />
        <AlertDialog.Viewport className="fixed inset-0 z-(--z-dialog) flex items-end justify-center overflow-y-auto p-2 sm:items-center sm:p-6">
          <AlertDialog.Popup
            data-popup
            initialFocus={cancel}
            className="max-h-full w-full max-w-dialog-small min-w-0 animate-rise overflow-y-auto rounded-lg bg-raised shadow-dialog outline-none"
          >
            <div className="flex gap-3.5 p-5">
              <span
                className={classes(
                  'inline-flex size-9 shrink-0 items-center justify-center rounded-md',
                  TONES[variant],
                )}
                aria-hidden
              >
                {icon ?? <Icon size={20} />}
              </span>
              <div className="min-w-0">
                <AlertDialog.Title className="pt-1 text-lg font-semibold tracking-tight text-balance wrap-anywhere">
                  {title}
                </AlertDialog.Title>
                {description ? (
                  <AlertDialog.Description
                    render={<div />}
                    className="mt-1 text-muted wrap-anywhere [&_strong]:font-semibold [&_strong]:text-ink"
                  >
                    {description}
                  </AlertDialog.Description>
                ) : null}
              </div>
            </div>
            <DialogFooter>
              <Button ref={cancel} disabled={busy} onClick={onCancel}>
                {cancelButtonText}
              </Button>
              <Button variant={variant} loading={busy} onClick={onAccept}>
                {acceptButtonText}
              </Button>
            </DialogFooter>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
