import { useEffect, useRef } from 'react';
import { Alert } from '../ui/layout/Alert.tsx';
import { EditConflict, type EditConflictProps } from './EditConflict.tsx';

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
