import { isApiError } from '@sallyport/sdk';
import { openDialog } from '../state/dialogs.ts';
import { lazyDialog } from '../ui/overlays/lazyPart.tsx';
import { type Connection, useConnection } from './connection.ts';
import type { Question } from './QuestionDialog.tsx';

const QuestionDialog = lazyDialog(async () => (await import('./QuestionDialog.tsx')).QuestionDialog);

type Confirmed<Row> = {
  /** As it is on the screen. */
  row: Row;
  question: (row: Row) => Question;
  /** The call about this version of it. Its failure is told by the policy of the console. */
  act: (row: Row) => Promise<unknown>;
  /** Reads it as it is stored now; left out where it is meant whatever it has become. */
  read?: (row: Row) => Promise<Row>;
};

/**
 * Asks about something as it is shown, and does what was accepted to that version of it alone. When someone else was
 * first, nothing is done: the question comes again, with what has changed.
 */
export function useConfirmed() {
  const connection = useConnection();
  return <Row extends object>(asked: Confirmed<Row>): Promise<void> => confirmWith(connection, asked);
}

/** The same where there is no component. */
export async function confirmWith<Row extends object>(
  { fail }: Pick<Connection, 'fail'>,
  { row, question, act, read }: Confirmed<Row>,
): Promise<void> {
  let shown = row;
  let options: Question = question(row);
  while (await isAccepted(options)) {
    try {
      await act(shown);
      return;
    } catch (error) {
      if (!read || !isApiError(error, 'conflict')) return;
    }
    try {
      const now = await read(shown);
      options = { ...question(now), changed: { before: shown, now } };
      shown = now;
    } catch (error) {
      fail(error, { tell: true });
      return;
    }
  }
}

async function isAccepted(options: Question): Promise<boolean> {
  const accepted = await openDialog<true>((close) => (
    <QuestionDialog {...options} onAccept={() => close(true)} onClose={() => close()} />
  ));
  return accepted === true;
}

/** A page of what depends on something; undefined while it is not read. */
type DependentsPage = { data: readonly { name: string; builtin?: boolean }[]; total: number } | undefined;

/** Whether anything in the lists goes along; one that is not read may have something. */
export const hasDependents = (pages: readonly DependentsPage[]): boolean =>
  pages.some((page) => page === undefined || namesOf(page) !== '');

/** What goes along with something that is deleted: each kind, and the names of what is of it. */
export function Dependents({ of }: { of: Record<string, DependentsPage> }) {
  const lines = Object.entries(of).flatMap(([kind, page]) => {
    const names = namesOf(page);
    return names === '' ? [] : <li key={kind}>{`${kind}: ${names}`}</li>;
  });
  return lines.length === 0 ? null : <ul className="mt-1 list-disc pl-5">{lines}</ul>;
}

/** The first few names of a list, and how many more there are. */
function namesOf(page: DependentsPage): string {
  if (page === undefined) return '';
  const names = page.data.flatMap(({ name, builtin }) => (builtin === true ? [] : [name]));
  const kept = page.data.length - names.length;
  const more = page.total - kept - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
