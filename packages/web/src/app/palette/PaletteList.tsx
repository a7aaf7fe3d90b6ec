import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { Ellipsis, Search, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from 'react';
import { Keys } from '../../ui/controls/Keys.tsx';
import { classes } from '../../ui/layout/classes.ts';

/** An entry of the palette. */
export type PaletteItem = {
  /** Unlike those of the others. */
  id: string;
  label: string;
  /** A second, quieter text. */
  detail?: string | undefined;
  /** What kind of thing it is, where its group does not say. */
  note?: string | undefined;
  icon?: ReactNode;
  /** The shortcut that does the same. */
  keys?: readonly string[] | undefined;
  danger?: boolean | undefined;
  /** Why it cannot be chosen now. */
  disabled?: string | undefined;
  onChoose: () => void;
  /** Lists what else can be done with it. */
  onActions?: (() => void) | undefined;
};

/** Entries under a title. `value` is the title; `hint` says that there are more. */
export type PaletteGroup = { value: string; hint?: string | undefined; items: PaletteItem[] };

const MAX_CHARS = 200;

type PaletteListProps = {
  /** Accessible name of the field. */
  label: string;
  placeholder: string;
  text: string;
  onTextChange: (text: string) => void;
  groups: readonly PaletteGroup[];
  /** What there is to say about the list; read out as well. */
  status: string;
  /** Stands before the field: whose actions these are. */
  subject?: ReactNode;
  /** Backspace in the empty field. */
  onBack?: () => void;
};

/**
 * The field of the palette and the list below it. The focus stays in the field; the entry that Enter takes is told by
 * `aria-activedescendant`, and is always one of the list.
 */
export function PaletteList({
  label,
  placeholder,
  text,
  onTextChange,
  groups,
  status,
  subject,
  onBack,
}: PaletteListProps) {
  const id = useId();
  const highlighted = useRef<PaletteItem | undefined>(undefined);
  // Each list of the palette begins with its field.
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const shown = groups.filter(({ items }) => items.length > 0);
  const hasActions = shown.some(({ items }) => items.some(({ onActions }) => onActions));

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { value, selectionStart, selectionEnd } = event.currentTarget;
    if (event.key === 'Backspace' && value === '') onBack?.();
    // Onwards is to the left in a text of a script that runs that way.
    const onwards = getComputedStyle(event.currentTarget).direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight';
    if (event.key !== onwards || event.shiftKey || event.ctrlKey || event.altKey || event.metaKey) return;
    if (selectionStart !== value.length || selectionEnd !== value.length || !highlighted.current?.onActions) return;
    event.preventDefault();
    highlighted.current.onActions();
  };

  return (
    <Autocomplete.Root
      open
      inline
      items={shown}
      filter={null}
      autoHighlight="always"
      keepHighlight
      value={text}
      onValueChange={(next, { reason }) => {
        // Choosing an entry would else write its name here.
        if (reason !== 'item-press') onTextChange(next);
      }}
      onItemHighlighted={(item: PaletteItem | undefined) => {
        highlighted.current = item;
      }}
    >
      <div className="flex items-center gap-2.5 border-b border-line py-1.5 pr-2 pl-4">
        <Search size={18} aria-hidden className="shrink-0 text-muted" />
        {subject}
        <Autocomplete.Input
          ref={input}
          dir="auto"
          aria-label={label}
          aria-describedby={hasActions ? `${id}hint` : undefined}
          placeholder={placeholder}
          maxLength={MAX_CHARS}
          spellCheck={false}
          autoCapitalize="none"
          onKeyDown={onKeyDown}
          className="h-10 min-w-0 flex-1 bg-transparent text-lg outline-none sm:text-base"
        />
        <Dialog.Close
          aria-label="Close"
          className="inline-flex size-9 shrink-0 items-center justify-center rounded-sm text-muted hover:bg-hover hover:text-ink"
        >
          <X size={18} aria-hidden />
        </Dialog.Close>
      </div>
      <span id={`${id}hint`} hidden>
        Enter goes there, the right arrow lists its actions.
      </span>
      <Autocomplete.List className="min-h-0 flex-1 overflow-y-auto overscroll-contain scroll-py-1 p-1.5 empty:hidden">
        {(group: PaletteGroup) => (
          <Autocomplete.Group key={group.value} items={group.items} className="not-first:mt-1.5">
            <Autocomplete.GroupLabel className="flex justify-between gap-3 px-2.5 py-1 text-xs font-medium text-muted">
              {group.value}
              {group.hint ? <span className="font-normal">{group.hint}</span> : null}
            </Autocomplete.GroupLabel>
            <Autocomplete.Collection>
              {(item: PaletteItem) => <Entry key={item.id} item={item} />}
            </Autocomplete.Collection>
          </Autocomplete.Group>
        )}
      </Autocomplete.List>
      <Autocomplete.Status
        className={classes(
          'px-4 text-sm wrap-anywhere text-muted not-empty:py-2.5',
          shown.length > 0 && 'not-empty:border-t not-empty:border-line',
        )}
      >
        {status}
      </Autocomplete.Status>
      {/* Those who have no keyboard have no use for it. */}
      <div
        aria-hidden
        className="flex gap-4 border-t border-line px-4 py-2 text-xs text-muted max-sm:hidden pointer-coarse:hidden"
      >
        <Hint keys={['↑', '↓']} text="Move" />
        <Hint keys={['↵']} text={onBack ? 'Run' : 'Open'} />
        {hasActions ? <Hint keys={['→']} text="Actions" /> : null}
        <Hint keys={['Esc']} text={onBack ? 'Back' : 'Close'} />
      </div>
    </Autocomplete.Root>
  );
}

const Hint = ({ keys, text }: { keys: readonly string[]; text: string }) => (
  <span className="inline-flex items-center gap-1.5">
    <Keys keys={keys} />
    {text}
  </span>
);

function Entry({ item }: { item: PaletteItem }) {
  const { label, detail, note, icon, keys, danger, disabled, onChoose, onActions } = item;
  return (
    <Autocomplete.Item
      value={item}
      disabled={disabled !== undefined}
      onClick={onChoose}
      className={classes(
        'group flex min-h-11 scroll-my-1 items-center gap-2.5 rounded-sm px-2.5 py-1.5 text-base select-none sm:min-h-9',
        // Forced colours know no grounds of our own.
        'data-highlighted:bg-hover forced-colors:data-highlighted:outline-2 forced-colors:data-highlighted:-outline-offset-2',
        '[&_svg]:size-4 [&_svg]:shrink-0',
        disabled ? 'text-muted' : 'cursor-pointer',
        danger && !disabled ? 'text-danger-ink data-highlighted:bg-danger-soft' : '[&_svg]:text-muted',
      )}
    >
      {icon}
      <span className="min-w-0 flex-1">
        <bdi className="line-clamp-2 text-left wrap-anywhere">{label}</bdi>
        {disabled || detail ? (
          <span className="line-clamp-1 text-xs wrap-anywhere text-muted">{disabled ?? detail}</span>
        ) : null}
      </span>
      {note ? <span className="shrink-0 text-xs text-muted">{note}</span> : null}
      {keys ? <Keys keys={keys} className="max-sm:hidden pointer-coarse:hidden" /> : null}
      {onActions ? (
        // For pointers and fingers: an entry of a list can hold no button, and the keyboard has the arrow.
        <span
          {...{
            onClick(event: { stopPropagation: () => void }) {
              event.stopPropagation();
              onActions();
            },
          }}
          aria-hidden
          title="Actions"
          className="-my-1.5 -mr-1.5 inline-flex size-9 shrink-0 items-center justify-center rounded-sm opacity-0 group-data-highlighted:opacity-100 hover:bg-press pointer-coarse:opacity-100"
        >
          <Ellipsis aria-hidden />
        </span>
      ) : null}
    </Autocomplete.Item>
  );
}
