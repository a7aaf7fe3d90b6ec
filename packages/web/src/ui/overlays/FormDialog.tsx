import type { ReactNode, SubmitEvent } from 'react';
import { Button } from '../controls/Button.tsx';
import { Dialog, type DialogSize } from './Dialog.tsx';

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
