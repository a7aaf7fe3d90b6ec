import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { CircleCheck, TriangleAlert, X } from 'lucide-react';
import { type ReactNode, type SubmitEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '../controls/Button.tsx';
import { classes } from '../layout/classes.ts';
import { LeaveDialog, type LeaveQuestion, useUnloadQuestion } from './LeaveDialog.tsx';
import { DialogFooter } from './PlainDialog.tsx';

const BACKDROP = 'fixed inset-0 z-(--z-dialog) animate-fade bg-veil';
const VIEWPORT =
  'fixed inset-0 z-(--z-dialog) flex items-end justify-center overflow-y-auto p-2 sm:items-center sm:p-6';
const POPUP = 'max-h-full w-full min-w-0 animate-rise rounded-lg bg-raised shadow-dialog outline-none';

const FIELDS =
  'input:not([type="hidden"], [aria-hidden], [readonly], :disabled), select:not(:disabled), textarea:not([readonly], :disabled)';

export type DialogProps = {
  /** Close, Escape or a press outside. */
  onClose: () => void;
  title: ReactNode;
  description?: ReactNode;
  small?: boolean | undefined;
  /** While something is submitted: Close, Escape and presses outside do nothing. */
  locked?: boolean | undefined;
  /** What is asked before it is closed by Close, Escape, a press outside or a reload; null: nothing would be lost. */
  unsaved?: (() => LeaveQuestion | null) | undefined;
  /** Makes the dialog's content a form; its native validation is off. */
  onSubmit?: ((event: SubmitEvent<HTMLFormElement>) => void) | undefined;
  /** The name of the field that it is opened for: the focus goes there. */
  initialField?: string | undefined;
  /** Buttons, the accepting one last. */
  footer: ReactNode;
  children: ReactNode;
};

/** A modal window. The focus goes to its first field, or else to itself, and comes back when it closes. */
export function Dialog({
  onClose,
  title,
  description,
  small = false,
  locked = false,
  unsaved,
  onSubmit,
  initialField,
  footer,
  children,
}: DialogProps) {
  const popup = useRef<HTMLDivElement>(null);
  const find = (selector: string) => popup.current?.querySelector<HTMLElement>(selector);
  const focused = useRef<HTMLElement>(null);
  const [question, setQuestion] = useState<LeaveQuestion | null>(null);
  useUnloadQuestion(unsaved);
  const leave = () => {
    // First the question gives the focus back to the dialog, and then the dialog to where it was opened.
    flushSync(() => setQuestion(null));
    onClose();
  };
  const inner = (
    <>
      <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-5 pt-1 pb-5">{children}</div>
      <DialogFooter>{footer}</DialogFooter>
    </>
  );
  return (
    <Base.Root
      open
      onOpenChange={(next, details) => {
        if (next || locked || question) return details.cancel();
        if (details.reason === 'outside-press' && isElsewhere(details.event.target)) return details.cancel();
        const asked = unsaved?.() ?? null;
        if (asked === null) return onClose();
        details.cancel();
        // The browser would have the same press of Escape close the question as well.
        details.event.preventDefault();
        // A press outside took the focus away; the question gives back the one that it finds.
        if (!popup.current?.contains(document.activeElement)) focused.current?.focus();
        setQuestion(asked);
      }}
    >
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Viewport className={VIEWPORT}>
          <Base.Popup
            data-popup
            ref={popup}
            onFocus={({ target }) => (focused.current = target)}
            // The rows of a list are named by it and their place.
            initialFocus={() => find(`[name^="${initialField}"]:not(:disabled)`) ?? find(FIELDS) ?? popup.current}
            className={classes(POPUP, 'flex flex-col', small ? 'max-w-dialog-small' : 'max-w-dialog-medium')}
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
      {question ? <LeaveDialog {...question} onStay={() => setQuestion(null)} onLeave={leave} /> : null}
    </Base.Root>
  );
}

/** A button that closes the dialog around it as its cross does. */
export const DialogClose = ({ disabled, children }: { disabled?: boolean; children: ReactNode }) => (
  <Base.Close disabled={disabled} render={<Button disabled={disabled}>{children}</Button>} />
);

/** Toasts and the browser's own dialogs lie over a dialog, and are pressed without closing it. */
function isElsewhere(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('[data-toasts], dialog') !== null;
}

/** `danger` is for what is lost, `warning` for what can be made as it was, `info` for the rest. */
type ConfirmVariant = 'danger' | 'warning' | 'info';

const TONES: Record<ConfirmVariant, string> = {
  danger: 'bg-danger-soft text-danger-ink',
  warning: 'bg-warning-soft text-warning-ink',
  info: 'bg-accent-soft text-accent-ink',
};
const ICONS = { danger: TriangleAlert, warning: TriangleAlert, info: CircleCheck };

export type ConfirmOptions = {
  title: string;
  /** What has to be known before the question. */
  notice?: ReactNode;
  text: string;
  /** Which thing is meant, by its name, and what it takes along. */
  about: ReactNode;
  /** What else comes of it. */
  effect?: string | undefined;
  variant: ConfirmVariant;
  accept: string;
};

type ConfirmDialogProps = ConfirmOptions & {
  onAccept: () => void;
  /** Cancel or Escape. A press outside does nothing. */
  onClose: () => void;
};

/** Asks before something that matters. The focus starts on Cancel. */
export function ConfirmDialog({
  title,
  notice,
  text,
  about,
  effect,
  variant,
  accept,
  onAccept,
  onClose,
}: ConfirmDialogProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  const Icon = ICONS[variant];
  return (
    <AlertDialog.Root open onOpenChange={(next) => next || onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Viewport className={VIEWPORT}>
          <AlertDialog.Popup
            data-popup
            initialFocus={cancel}
            className={classes(POPUP, 'max-w-dialog-small overflow-y-auto')}
          >
            <div className="flex gap-3.5 p-5">
              <span
                className={classes(
                  'inline-flex size-9 shrink-0 items-center justify-center rounded-md',
                  TONES[variant],
                )}
                aria-hidden
              >
                <Icon size={20} />
              </span>
              <div className="min-w-0">
                <AlertDialog.Title className="pt-1 text-lg font-semibold tracking-tight text-balance wrap-anywhere">
                  {title}
                </AlertDialog.Title>
                <AlertDialog.Description
                  render={<div />}
                  className="mt-1 text-muted wrap-anywhere [&_strong]:font-semibold [&_strong]:text-ink"
                >
                  {notice}
                  <p>{text}</p>
                  <div className="mt-2 wrap-anywhere">{about}</div>
                  {effect ? <p className="mt-2">{effect}</p> : null}
                </AlertDialog.Description>
              </div>
            </div>
            <DialogFooter>
              <Button ref={cancel} onClick={onClose}>
                Cancel
              </Button>
              <Button variant={variant === 'danger' ? 'danger' : 'info'} onClick={onAccept}>
                {accept}
              </Button>
            </DialogFooter>
          </AlertDialog.Popup>
        </AlertDialog.Viewport>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
