import { AlertDialog } from '@base-ui/react/alert-dialog';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import { useRef, type ReactNode } from 'react';
import { Button } from '../controls/Button.tsx';
import { DialogFooter } from './PlainDialog.tsx';
import { classes } from '../layout/classes.ts';

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
