import { useEffect, useRef } from 'react';
import { Button } from '../ui/controls/Button.tsx';
import { Alert } from '../ui/layout/Alert.tsx';
import { Differences, type DifferencesRow } from './Differences.tsx';

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

/** A field in which two edits of the same thing differ. */
export type Difference = {
  field: string;
  /** As it is stored now. */
  now: unknown;
  /** As it stands in the form; undefined: left as it was. */
  mine: unknown;
};

type Values = Readonly<Record<string, unknown>>;

/** An edit that came second: what the form began with, what is stored now, and what was typed. */
export type Versions<V> = { base: V; theirs: V; mine: V };

// Forms hold texts, numbers, booleans and lists of them; what is not there and what is undefined is the same.
const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The fields that either of the two has changed, and in which they do not agree. */
export function differencesOf<V extends Values>({ base, theirs, mine }: Versions<V>): Difference[] {
  return fieldsOf(base, theirs, mine)
    .filter((field) => !same(theirs[field], mine[field]))
    .map((field) => ({
      field,
      now: theirs[field],
      mine: same(base[field], mine[field]) ? undefined : mine[field],
    }));
}

/**
 * What the form shows once it is chosen whose values count. With `mine` everything that was typed stays, and the rest is
 * as it is stored now, so that nothing comes back which the other edit took away.
 */
export function chosenValues<V extends Values>(
  { base, theirs, mine }: Versions<V>,
  whose: 'mine' | 'theirs',
): Partial<V> {
  return Object.fromEntries(
    fieldsOf(base, theirs, mine).map((field) => {
      const typed = !same(base[field], mine[field]);
      return [field, whose === 'mine' && typed ? mine[field] : theirs[field]];
    }),
  ) as Partial<V>;
}

/** The fields that are not the same in all three. */
const fieldsOf = (base: Values, theirs: Values, mine: Values): string[] =>
  [...new Set([base, theirs, mine].flatMap(Object.keys))].filter(
    (field) => !same(base[field], theirs[field]) || !same(base[field], mine[field]),
  );
