import { bulkInput, enableInput, type ListedService } from '@sallyport/sdk/contract';
import { serviceCan } from '@sallyport/sdk/rules';
import { X } from 'lucide-react';
import { useContractForm } from '../../form/contractForm.ts';
import { rowErrors, useField } from '../../form/fields.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { Button } from '../../ui/controls/Button.tsx';
import { Chip } from '../../ui/controls/Chips.tsx';
import { Field } from '../../ui/controls/Field.tsx';
import { TagInput } from '../../ui/controls/TagInput.tsx';
import { Alert } from '../../ui/layout/Alert.tsx';
import { Dialog } from '../../ui/overlays/Dialog.tsx';
import { doneTo, type Refusal, services as countServices } from './bulk.ts';
import { TimeToLiveField } from './TimeToLiveField.tsx';
import type { BulkWish } from './useBulkChange.tsx';
import { keyOfService } from './useSelection.ts';

type WishDialogProps = { onDone: (wish: BulkWish) => void; onClose: () => void };

/** Which tags the services are to get, and which of theirs to lose. */
export function TagsDialog({ services, onDone, onClose }: WishDialogProps & { services: readonly ListedService[] }) {
  const { form, frame } = useContractForm({
    row: undefined,
    schema: bulkInput,
    valuesOf: () => ({
      action: 'tag' as const,
      items: services.map(({ type, id }) => ({ type, id })),
      addTags: [] as string[],
      removeTags: [] as string[],
    }),
    save: ({ addTags, removeTags }) => Promise.resolve({ action: 'tag' as const, addTags, removeTags }),
    done: onDone,
  });
  const { control } = form;
  const added = useField({ control, name: 'addTags', label: 'Add' });
  const removed = useField({ control, name: 'removeTags', label: 'Remove' });
  const errors = rowErrors(added.error);
  const known = [...new Set(services.flatMap(({ tags }) => tags))].toSorted((a, b) => a.localeCompare(b));
  return (
    <FormDialog
      {...frame}
      small
      title={`Tag ${countServices(services.length)}`}
      accept={`Tag ${countServices(services.length)}`}
      onClose={onClose}
    >
      <Field
        as="group"
        label="Add"
        hint="Next to the tags that they have. Enter or a comma ends one."
        error={errors ? errors.find(Boolean) : added.error?.message}
      >
        <TagInput {...added.field} values={added.value as string[]} errors={errors ?? []} onChange={added.change} />
      </Field>
      {known.length === 0 ? null : (
        <Field as="group" label="Remove">
          <div className="flex flex-wrap gap-1">
            {known.map((tag) => (
              <RemovableTag key={tag} tag={tag} removed={removed.value as string[]} onChange={removed.change} />
            ))}
          </div>
        </Field>
      )}
    </FormDialog>
  );
}

type RemovableTagProps = { tag: string; removed: readonly string[]; onChange: (removed: readonly string[]) => void };

/** A tag with a cross, which is struck out once it is to be removed, and comes back by another press. */
function RemovableTag({ tag, removed, onChange }: RemovableTagProps) {
  const isRemoved = removed.includes(tag);
  return (
    <Chip
      type="checkbox"
      checked={isRemoved}
      onChange={() => onChange(isRemoved ? removed.filter((each) => each !== tag) : [...removed, tag])}
      look={`border px-1.5 text-xs ${isRemoved ? 'border-danger-ink bg-danger-soft text-danger-ink line-through' : 'border-edge/60 text-muted hover:text-ink'}`}
    >
      {tag}
      <X size={12} aria-hidden />
    </Chip>
  );
}

/** Why a service can have no time limit; null: it can. */
function unlimitable(service: ListedService): string | null {
  const verdict = serviceCan.disable(service);
  if (!verdict.allowed) return `${service.name} stays as it is: ${verdict.reason}.`;
  return service.enabled ? null : `${service.name} is closed, so there is nothing to limit. Enable it first.`;
}

type LimitDialogProps = {
  services: readonly ListedService[];
  /** Hears of those that can be limited. */
  onDone: (wish: BulkWish, services: readonly ListedService[]) => void;
  onClose: () => void;
};

/** How long the services are to stay open, of which some may not be open at all. */
export function LimitDialog({ services, onDone, onClose }: LimitDialogProps) {
  const limited = services.filter((service) => unlimitable(service) === null);
  const reasons = services.flatMap((service) => unlimitable(service) ?? []);
  const count =
    reasons.length === 0 ? countServices(limited.length) : `${limited.length} of ${countServices(services.length)}`;
  const { form, frame } = useContractForm({
    row: undefined,
    schema: enableInput,
    valuesOf: () => ({ ttl: '1h' }),
    save: ({ ttl }) => Promise.resolve({ action: 'limit' as const, ttl: ttl ?? null }),
    done: (wish) => (limited.length === 0 ? onClose() : onDone(wish, limited)),
  });
  return (
    <FormDialog
      {...frame}
      title={`Limit the time of ${count}`}
      accept={limited.length === 0 ? 'Close' : `Limit ${count}`}
      onClose={onClose}
    >
      {reasons.length === 0 ? null : (
        <Alert type="warning">
          {reasons.map((reason) => (
            <p key={reason}>{reason}</p>
          ))}
        </Alert>
      )}
      <TimeToLiveField control={form.control} name="ttl" expiresAt={null} />
    </FormDialog>
  );
}

type RefusedDialogProps = { wish: BulkWish; done: number; refused: readonly Refusal[]; onClose: () => void };

/** To which services it was not done, and why. */
export function RefusedDialog({ wish, done, refused, onClose }: RefusedDialogProps) {
  const isAnySelected = refused.some(({ status }) => status !== 404);
  const whole = done + refused.length;
  return (
    <Dialog
      onClose={onClose}
      title={`${refused.length} of ${countServices(whole)} not ${doneTo(wish)}`}
      description={[
        done === 0 ? 'Nothing was changed.' : `${countServices(done)} ${done === 1 ? 'was' : 'were'} ${doneTo(wish)}.`,
        isAnySelected
          ? refused.length === 1
            ? 'This one is as it was, and stays selected.'
            : 'These are as they were, and stay selected.'
          : '',
      ].join(' ')}
      footer={
        <Button variant="info" onClick={onClose}>
          Close
        </Button>
      }
    >
      <ul className="divide-y divide-line/70">
        {refused.map(({ service, ...refusal }) => (
          <li key={keyOfService(service)} className="py-2 text-sm wrap-anywhere first:pt-0 last:pb-0">
            <p>
              <strong className="font-semibold">
                <bdi>{service.name}</bdi>
              </strong>{' '}
              <span className="text-muted">{service.publicAccess}</span>
            </p>
            <p>{reasonOf(refusal)}</p>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

/** Why, and what to do about it. */
function reasonOf({ status, message }: Omit<Refusal, 'service'>): string {
  if (status === 404) return 'It was deleted by someone else, and is not selected any more.';
  if (status === 412) return 'Someone else changed it. The list shows it as it is now: look at it, and do it again.';
  return message ?? 'The gateway said nothing about it. Look at its status in the list.';
}

type LostDialogProps = { wish: BulkWish; count: number; onAgain: () => void; onClose: () => void };

/** What is known, and what is not, when the gateway was asked and its answer did not come. */
export function LostDialog({ wish, count, onAgain, onClose }: LostDialogProps) {
  const what = countServices(count);
  return (
    <Dialog
      small
      onClose={onClose}
      title="The gateway did not answer"
      description={`It was asked about ${what}. Whether they were ${doneTo(wish)} is not known.`}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button variant="info" onClick={onAgain}>
            Ask again
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2 text-sm">
        <p>The list shows how they are as soon as the gateway answers. They stay selected.</p>
        <p>Asking again is safe: what is done already is not done a second time.</p>
      </div>
    </Dialog>
  );
}
