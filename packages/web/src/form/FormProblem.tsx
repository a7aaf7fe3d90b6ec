import { useEffect, useRef } from 'react';
import { Button } from '../ui/controls/Button.tsx';
import { Alert } from '../ui/layout/Alert.tsx';
import { Differences, type DifferencesRow } from '../ui/layout/Differences.tsx';

/** What is wrong with a form as a whole. */
export type FormProblems = {
  /** One sentence a line. */
  text: string | undefined;
  /** Another edit was saved first. */
  conflict: EditConflictProps | null;
};

/** What is wrong with a form as a whole, above its fields. It is brought into view when it comes. */
export function FormProblem({ problem: { text, conflict } }: { problem: FormProblems }) {
  const place = useRef<HTMLDivElement>(null);
  const isThere = text !== undefined || conflict !== null;
  useEffect(() => {
    if (isThere) place.current?.scrollIntoView?.({ block: 'nearest' });
  }, [isThere, text, conflict?.kept]);
  if (!isThere) return null;
  return (
    <div ref={place} className="flex flex-col gap-3">
      {text === undefined ? null : (
        <Alert type="error">
          <span className="whitespace-pre-line">{text}</span>
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
