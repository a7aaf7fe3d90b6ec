import { useEffect } from 'react';
import { Button } from '../controls/Button.tsx';
import { PlainDialog } from './PlainDialog.tsx';

/** Asks whether to go although something would be lost. */
export type LeaveQuestion = { title: string; text: string; stay: string; leave: string };

/** Asked before what was typed is lost. */
export const DISCARD: LeaveQuestion = {
  title: 'Discard what you changed?',
  text: 'It is not saved yet.',
  stay: 'Keep editing',
  leave: 'Discard',
};

type LeaveDialogProps = LeaveQuestion & { onStay: () => void; onLeave: () => void };

/** The question over what would be lost. The focus starts on the button that keeps it; Escape does the same. */
export function LeaveDialog({ title, text, stay, leave, onStay, onLeave }: LeaveDialogProps) {
  return (
    <PlainDialog
      title={title}
      onClose={onStay}
      footer={
        <>
          <Button onClick={onStay}>{stay}</Button>
          <Button variant="danger" onClick={onLeave}>
            {leave}
          </Button>
        </>
      }
    >
      {text}
    </PlainDialog>
  );
}

/** Has the browser ask in its own words before the page is reloaded or closed while something would be lost. */
export function useUnloadQuestion(unsaved: (() => unknown) | undefined): void {
  useEffect(() => {
    const listening = new AbortController();
    const ask = (event: BeforeUnloadEvent) => {
      if (unsaved?.()) event.preventDefault();
    };
    if (unsaved) addEventListener('beforeunload', ask, listening);
    return () => listening.abort();
  }, [unsaved]);
}
