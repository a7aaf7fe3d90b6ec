import { type ReactNode, use, useEffect, useRef } from 'react';
import { Copied } from '../controls/ReadonlyField.tsx';
import { Alert } from '../layout/Alert.tsx';
import { Dialog, DialogClose } from './Dialog.tsx';

type OnceDialogProps = {
  onClose: () => void;
  title: string;
  description: ReactNode;
  /** What it shows: "token". */
  what: string;
  children: ReactNode;
};

/**
 * Shows something that is not shown again. It asks before it closes until one of its read-only fields was copied, or what
 * is inside has said by `use(Copied)` that it was saved or shown in another way.
 */
export function OnceDialog({ what, children, ...dialog }: OnceDialogProps) {
  const isKept = useRef(false);
  const unsaved = () =>
    isKept.current
      ? null
      : {
          title: `The ${what} is not copied. Close?`,
          text: `It is not shown again: without a copy you need a new ${what}.`,
          stay: 'Go back',
          leave: 'Close without it',
        };
  return (
    <Dialog {...dialog} unsaved={unsaved} footer={<DialogClose>Close</DialogClose>}>
      <Copied value={() => void (isKept.current = true)}>{children}</Copied>
    </Dialog>
  );
}

type NeededNoMoreProps = {
  /** What has happened; null: nothing yet. */
  title: string | null;
  /** What is next. */
  children?: ReactNode;
};

/** Says why what the dialog shows is needed no more; from then on it closes without a question. */
export function NeededNoMore({ title, children }: NeededNoMoreProps) {
  const kept = use(Copied);
  useEffect(() => {
    if (title !== null) kept();
  }, [title, kept]);
  // Empty, it is out of the way, so that no gap stands below it.
  return <output className="empty:absolute">{title === null ? null : <Alert title={title}>{children}</Alert>}</output>;
}
