import { Alert } from '../ui/layout/Alert.tsx';
import { Button } from '../ui/controls/Button.tsx';
import { Differences, type DifferencesRow } from '../ui/layout/Differences.tsx';

export type EditConflictProps = {
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
export function EditConflict({ rows, kept, onChoose }: EditConflictProps) {
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
