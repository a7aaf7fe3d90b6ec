import { Differences, spoken, wordsOf } from '../form/Differences.tsx';
import { Alert } from '../ui/layout/Alert.tsx';
import { ConfirmDialog, type ConfirmOptions } from '../ui/overlays/Dialog.tsx';

type Change = { before: object; now: object };

/** What is asked, and what someone else has changed since it was asked before. */
export type Question = Omit<ConfirmOptions, 'notice'> & { changed?: Change };

type QuestionDialogProps = Question & { onAccept: () => void; onClose: () => void };

/** Asks before something that matters, with what has changed above the question. */
export function QuestionDialog({ changed, ...dialog }: QuestionDialogProps) {
  return <ConfirmDialog {...dialog} notice={changed && <Changed {...changed} />} />;
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
  'dnsState',
  'dnsCheckedAt',
  'lastUsedAt',
  'gatewayNetwork',
  'advanced',
]);

function Changed({ before, now }: Change) {
  const was: Readonly<Record<string, unknown>> = Object.fromEntries(Object.entries(before));
  const rows = Object.entries(now)
    .filter(([field, value]) => !UNSAID.has(field) && JSON.stringify(value) !== JSON.stringify(was[field]))
    .map(([field, value]) => ({ label: wordsOf(field), left: spoken(was[field]), right: spoken(value) }));
  return (
    <div className="mb-3">
      <Alert type="warning" title="Someone else changed this in the meantime">
        <p>Nothing was done yet.</p>
        <Differences rows={rows} left="It was" right="It is now" />
      </Alert>
    </div>
  );
}
