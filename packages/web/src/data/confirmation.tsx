import { isApiError } from '@sallyport/sdk';
import { Differences, spoken, wordsOf } from '../form/Differences.tsx';
import { confirm } from '../state/dialogs.ts';
import { Alert } from '../ui/layout/Alert.tsx';
import type { ConfirmOptions } from '../ui/overlays/Dialog.tsx';
import { useConnection } from './connection.ts';

type Confirmed<Row> = {
  /** As it is on the screen. */
  row: Row;
  question: (row: Row) => ConfirmOptions;
  /** The call about this version of it. Its failure is told by the policy of the console. */
  act: (row: Row) => Promise<unknown>;
  /** Reads it as it is stored now. */
  read: (row: Row) => Promise<Row>;
};

/**
 * Asks about something as it is shown, and does what was accepted to that version of it alone. When someone else was
 * first, nothing is done: the question comes again, with what has changed.
 */
export function useConfirmed() {
  const { fail } = useConnection();
  return async <Row extends { version: number }>({ row, question, act, read }: Confirmed<Row>): Promise<void> => {
    let shown = row;
    let options = question(row);
    while (await confirm(options)) {
      try {
        await act(shown);
        return;
      } catch (error) {
        if (!isApiError(error, 'conflict')) return;
      }
      try {
        const now = await read(shown);
        const asked = question(now);
        options = { ...asked, description: <Changed before={shown} now={now} question={asked.description} /> };
        shown = now;
      } catch (error) {
        fail(error, { tell: true });
        return;
      }
    }
  };
}

/** What changes by itself, or says nothing to people. */
const UNSAID = new Set([
  'version',
  'created_at',
  'updated_at',
  'status',
  'clientIp',
  'latestHandshakeTimestamp',
  'transferRx',
  'transferTx',
  'health',
  'healthReason',
  'problem',
  'pending',
  'lastUsedAt',
  'gatewayNetwork',
  'advanced',
]);

function Changed<Row extends object>({
  before,
  now,
  question,
}: {
  before: Row;
  now: Row;
  question: ConfirmOptions['description'];
}) {
  const was: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(before));
  const rows = Object.entries(now)
    .filter(([field, value]) => !UNSAID.has(field) && JSON.stringify(value) !== JSON.stringify(was[field]))
    .map(([field, value]) => ({ label: wordsOf(field), left: spoken(was[field]), right: spoken(value) }));
  return (
    <>
      <Alert type="warning" title="Someone else changed this in the meantime">
        <p>Nothing was done yet.</p>
        <Differences rows={rows} left="It was" right="It is now" />
      </Alert>
      <div className="mt-3">{question}</div>
    </>
  );
}

/** The first few names of a list, and how many more there are; `''` while it is not read, or when it is empty. */
export function namesOf(
  page: { data: readonly { name: string; builtin?: boolean }[]; total: number } | undefined,
): string {
  if (page === undefined) return '';
  const names = page.data.flatMap(({ name, builtin }) => (builtin === true ? [] : [name]));
  const kept = page.data.length - names.length;
  const more = page.total - kept - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
