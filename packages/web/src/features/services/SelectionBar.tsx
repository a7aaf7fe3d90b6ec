import type { BulkAction, ListedService } from '@sallyport/sdk/contract';
import { serviceCan } from '@sallyport/sdk/rules';
import { Clock, Eye, EyeOff, Tag, Trash2, X } from 'lucide-react';
import { useRef } from 'react';
import { useConfirmed } from '../../data/confirmation.tsx';
import { openDialog } from '../../state/dialogs.ts';
import { toasts } from '../../state/toasts.ts';
import { Button, Spinner } from '../../ui/controls/Button.tsx';
import { IconButton } from '../../ui/controls/IconButton.tsx';
import { lazyDialog } from '../../ui/overlays/lazyPart.tsx';
import { DOING, services } from './bulk.ts';
import { type BulkWish, useBulkChange } from './useBulkChange.tsx';
import { ALL_OF_PAGE, keyOfService, type Selection } from './useSelection.ts';

const TagsDialog = lazyDialog(async () => (await import('./BulkDialogs.tsx')).TagsDialog);
const LimitDialog = lazyDialog(async () => (await import('./BulkDialogs.tsx')).LimitDialog);

const CHANGES = [
  { label: 'Enable', shortcut: 'e', icon: <Eye size={16} aria-hidden /> },
  { label: 'Disable', shortcut: 'd', icon: <EyeOff size={16} aria-hidden /> },
  { label: 'Tag', shortcut: 't', icon: <Tag size={16} aria-hidden /> },
  { label: 'Time limit', shortcut: 'l', icon: <Clock size={16} aria-hidden /> },
] as const;

/** So many are named before it is done; the others are counted. */
const NAMED = 5;

/** What can be done to the services that are selected. */
export function SelectionBar({ selection }: { selection: Selection }) {
  const place = useRef<HTMLDivElement>(null);
  const { rows } = selection;
  const { running, run } = useBulkChange(selection);
  const confirmed = useConfirmed();

  const start = async (wish: BulkWish, affected: readonly ListedService[] = rows) => {
    await run(wish, affected);
    // Where the buttons are gone, the keyboard goes on from here.
    if (place.current && !place.current.contains(document.activeElement)) place.current.focus();
  };
  /** Those to which it may be done at all: the console's own service is neither closed nor deleted. */
  const among = (can: (typeof serviceCan)['enable']) => {
    const verdicts = rows.map((row) => ({ row, verdict: can(row) }));
    const kept = verdicts.flatMap(({ row, verdict }) =>
      verdict.allowed ? [] : [`${row.name} stays as it is: ${verdict.reason}.`],
    );
    return { affected: verdicts.flatMap(({ row, verdict }) => (verdict.allowed ? [row] : [])), kept };
  };
  const enable = () => {
    const { affected, kept } = among(serviceCan.enable);
    if (affected.length === 0) toasts.show(kept.join(' '), 'warning');
    else void start({ action: 'enable' }, affected);
  };
  const ask = (action: Extract<BulkAction, 'disable' | 'remove'>) => {
    const { affected, kept } = among(serviceCan[action]);
    if (affected.length === 0) {
      toasts.show(kept.join(' '), 'warning');
      return;
    }
    const what = services(affected.length);
    const question =
      action === 'disable'
        ? {
            title: `Disable ${what}?`,
            text: 'Visitors reach them no longer, until they are enabled again.',
            accept: `Disable ${what}`,
          }
        : {
            title: `Delete ${what}?`,
            text: 'This removes them for good. It cannot be undone.',
            accept: `Delete ${what}`,
          };
    void confirmed({
      row: affected,
      question: () => ({
        ...question,
        about: <Names of={affected} />,
        effect: ['Open connections are cut.', ...kept].join(' '),
        variant: action === 'disable' ? 'warning' : 'danger',
      }),
      act: () => start({ action }, affected),
    });
  };
  const tag = async () => {
    const wish = await openDialog<BulkWish>((close) => (
      <TagsDialog services={rows} onDone={close} onClose={() => close()} />
    ));
    if (wish) await start(wish);
  };
  const limit = async () => {
    const limited = await openDialog<Parameters<typeof start>>((close) => (
      <LimitDialog services={rows} onDone={(...wish) => close(wish)} onClose={() => close()} />
    ));
    if (limited) await start(...limited);
  };

  const changes = {
    Enable: enable,
    Disable: () => ask('disable'),
    Tag: () => void tag(),
    'Time limit': () => void limit(),
  };

  const busy = running !== null;
  return (
    <div
      ref={place}
      tabIndex={-1}
      data-bar={rows.length > 0 || undefined}
      className="sticky bottom-3 z-(--z-header) outline-none empty:hidden"
    >
      {rows.length === 0 && !busy ? null : (
        <section
          aria-label="Selected services"
          className="mx-auto flex w-fit max-w-full flex-wrap items-center gap-x-1.5 gap-y-2 rounded-lg bg-popup p-2 pl-3 shadow-popup"
        >
          <output className="mr-1.5 inline-flex items-center gap-2 text-sm font-medium tabular-nums">
            {running ? (
              <>
                <Spinner size={16} />
                {`${DOING[running]} ${services(rows.length)} …`}
              </>
            ) : (
              `${rows.length} selected`
            )}
          </output>
          {selection.ofPage === 'all' ? null : (
            // Where rows are cards there is no head, and no box in it.
            <button
              type="button"
              aria-label={ALL_OF_PAGE}
              disabled={busy}
              onClick={() => selection.togglePage(true)}
              className="link text-sm lg:hidden"
            >
              Select all
            </button>
          )}
          <div className="order-last flex flex-wrap gap-1.5 sm:order-none">
            {CHANGES.map(({ label, shortcut, icon }) => (
              <Button
                key={label}
                size="sm"
                aria-keyshortcuts={shortcut}
                icon={icon}
                disabled={busy}
                onClick={changes[label]}
              >
                {label}
              </Button>
            ))}
            <Button
              size="sm"
              icon={<Trash2 size={16} aria-hidden />}
              className="text-danger-ink!"
              disabled={busy}
              onClick={() => ask('remove')}
            >
              Delete
            </Button>
          </div>
          <IconButton
            size="md"
            className="ml-auto"
            label="Clear the selection"
            icon={<X size={16} aria-hidden />}
            disabled={busy}
            onClick={() => {
              selection.clear();
              place.current?.focus();
            }}
          />
        </section>
      )}
    </div>
  );
}

/** The first few by name and address, and how many more there are. */
function Names({ of }: { of: readonly ListedService[] }) {
  // One more takes the room of "and 1 more".
  const named = of.slice(0, of.length === NAMED + 1 ? NAMED + 1 : NAMED);
  return (
    <ul className="list-disc pl-5">
      {named.map((service) => (
        <li key={keyOfService(service)}>
          <strong>
            <bdi>{service.name}</bdi>
          </strong>
          , {service.publicAccess}
        </li>
      ))}
      {of.length > named.length ? <li>{`and ${of.length - named.length} more`}</li> : null}
    </ul>
  );
}
