import { useEffect, useRef, type SubmitEvent } from 'react';
import { Button } from '../ui/controls/Button.tsx';
import { Alert } from '../ui/layout/Alert.tsx';
import { Dialog, DialogClose, type DialogProps } from '../ui/overlays/Dialog.tsx';
import { DISCARD } from '../ui/overlays/LeaveDialog.tsx';
import { Differences, type DifferencesRow } from './Differences.tsx';

/** What the dialog around a form needs to know of it. */
export type FormFrame = {
  onSubmit: (event: SubmitEvent<HTMLFormElement>) => void;
  /** The form is being submitted: Save shows it, and there is no way out meanwhile. */
  busy: boolean;
  /** What is wrong beyond the fields that are shown, one sentence a line. */
  problem: string | undefined;
  /** Another edit was saved first. */
  conflict: EditConflictProps | null;
  /** Whether something is in it that is not saved. */
  isChanged: () => boolean;
};

type FormDialogProps = FormFrame &
  Pick<DialogProps, 'onClose' | 'title' | 'description' | 'small' | 'initialField' | 'children'> & {
    /** The button that submits it, where it does not save. */
    accept?: string;
  };

/** A dialog around a form, with Cancel and Save; what is wrong with the form as a whole stands above its fields. */
export function FormDialog({
  busy,
  problem,
  conflict,
  isChanged,
  children,
  accept = 'Save',
  ...dialog
}: FormDialogProps) {
  return (
    <Dialog
      {...dialog}
      locked={busy}
      unsaved={() => (isChanged() ? DISCARD : null)}
      footer={
        <>
          <DialogClose disabled={busy}>Cancel</DialogClose>
          <Button type="submit" variant="info" loading={busy}>
            {accept}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <FormProblem problem={problem} conflict={conflict} />
        {children}
      </div>
    </Dialog>
  );
}

/** It is brought into view when it comes. */
function FormProblem({ problem, conflict }: Pick<FormFrame, 'problem' | 'conflict'>) {
  const place = useRef<HTMLDivElement>(null);
  const isThere = problem !== undefined || conflict !== null;
  useEffect(() => {
    if (isThere) place.current?.scrollIntoView?.({ block: 'nearest' });
  }, [isThere, problem, conflict?.kept]);
  if (!isThere) return null;
  return (
    <div ref={place} className="flex flex-col gap-3">
      {problem === undefined ? null : (
        <Alert type="error">
          <span className="whitespace-pre-line">{problem}</span>
        </Alert>
      )}
      {conflict === null ? null : <EditConflict {...conflict} />}
    </div>
  );
}

type EditConflictProps = {
  /** What differs; nothing when the other edit was of something that the form does not show. */
  rows: readonly DifferencesRow[];
  /** What was chosen; null: nothing yet. */
  kept: 'mine' | 'theirs' | null;
  onChoose: (whose: 'mine' | 'theirs') => void;
};

const WORDS = {
  asked: {
    title: 'Someone else changed this while the form was open',
    text: 'Nothing was saved. What you typed is still here.',
  },
  mine: {
    title: 'Your changes are kept',
    text: 'The fields that you did not change show what is stored now. Save stores yours.',
  },
  theirs: { title: 'The form shows what is stored now', text: 'What you typed is not lost: you can put it back.' },
} as const;

/** Tells who edits second what the first one did, and offers both ways on. */
function EditConflict({ rows, kept, onChoose }: EditConflictProps) {
  const { title, text } = WORDS[kept ?? 'asked'];
  return (
    <Alert type={kept === null ? 'warning' : 'info'} title={title}>
      <p>{text}</p>
      {kept === null ? <Differences rows={rows} left="Stored now" right="You typed" /> : null}
      <div className="mt-3 flex flex-wrap gap-2">
        {kept === 'mine' ? null : (
          <Button size="sm" onClick={() => onChoose('mine')}>
            {kept === null ? 'Keep My Changes' : 'Put My Changes Back'}
          </Button>
        )}
        {kept === 'theirs' ? null : (
          <Button size="sm" onClick={() => onChoose('theirs')}>
            Load the Current Values
          </Button>
        )}
      </div>
    </Alert>
  );
}
