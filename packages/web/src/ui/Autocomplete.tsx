import { Autocomplete as Base } from '@base-ui/react/autocomplete';
import { useState } from 'react';
import type { ComponentProps } from 'react';
import { classes } from './classes.ts';
import { controlClass } from './controlClass.ts';
import { useFieldControl } from './Field.tsx';
import { landmarkOf } from './landmarkOf.ts';
import { Spinner } from './Spinner.tsx';
import { useTimer } from './useTimer.ts';

export type AutocompleteOption = {
  value: string;
  /** A second, quieter text: what kind of thing it is. */
  note?: string | undefined;
};

type AutocompleteProps = {
  value: string;
  /** Every keystroke, and the chosen option. Any text is a value; refusing some is validation's work. */
  onValueChange: (value: string) => void;
  /** Already filtered for the last query. */
  options: readonly AutocompleteOption[];
  /** The text to look up, `debounceMs` after the last keystroke, and once when the list opens. */
  onQueryChange?: ((query: string) => void) | undefined;
  debounceMs?: number | undefined;
  /** The list closes this long after the focus has left. */
  closeMs?: number | undefined;
  loading?: boolean | undefined;
  /** Shown when nothing fits; nothing is shown without it. */
  emptyText?: string | undefined;
  mono?: boolean | undefined;
} & Omit<ComponentProps<'input'>, 'value' | 'defaultValue' | 'onChange' | 'type'>;

/** A text field that suggests values. */
export function Autocomplete({
  value,
  onValueChange,
  options,
  onQueryChange,
  debounceMs = 300,
  closeMs = 150,
  loading = false,
  emptyText,
  mono = false,
  className,
  onBlur,
  onFocus,
  ...rest
}: AutocompleteProps) {
  const [open, setOpen] = useState(false);
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const asking = useTimer();
  const closing = useTimer();
  const field = useFieldControl();
  const ask = (query: string, delayMs: number) => {
    asking.start(() => onQueryChange?.(query), delayMs);
  };

  return (
    <Base.Root
      items={options}
      itemToStringValue={(option) => option.value}
      mode="none"
      value={value}
      openOnInputClick
      open={open}
      onOpenChange={(next, details) => {
        // Leaving the field closes the list by the timer below.
        if (!next && details.reason === 'focus-out') return;
        closing.stop();
        if (next && !open) ask(value, 0);
        setOpen(next);
      }}
      onValueChange={(next, details) => {
        onValueChange(next);
        if (details.reason === 'item-press') setOpen(false);
        else ask(next, debounceMs);
      }}
    >
      <span className="relative block">
        <Base.Input
          autoComplete="off"
          spellCheck={false}
          {...field}
          // While the list is open the label is hidden from screen readers, but a name may be taken from it all the same.
          aria-labelledby={field.id ? `${field.id}label` : undefined}
          {...rest}
          onFocus={(event) => {
            closing.stop();
            setContainer(landmarkOf(event.currentTarget));
            onFocus?.(event);
          }}
          onBlur={(event) => {
            closing.start(() => setOpen(false), closeMs);
            onBlur?.(event);
          }}
          className={classes(controlClass, 'h-9', loading && 'pr-8', mono && 'font-mono text-sm', className)}
        />
        {loading ? (
          <span className="absolute top-1/2 right-2.5 -translate-y-1/2 text-muted">
            <Spinner size={14} />
          </span>
        ) : null}
      </span>
      <Base.Portal container={container}>
        <Base.Positioner
          positionMethod="fixed"
          sideOffset={4}
          collisionPadding={8}
          className="z-(--z-popup) outline-none"
        >
          <Base.Popup
            data-popup
            className="max-h-[min(18rem,var(--available-height))] w-(--anchor-width) animate-fade overflow-y-auto rounded-md bg-raised shadow-popup"
          >
            {emptyText ? (
              <Base.Empty>
                <p className="px-3 py-2.5 text-sm text-muted">{emptyText}</p>
              </Base.Empty>
            ) : null}
            <Base.List className="p-1 outline-none data-empty:p-0">
              {(option: AutocompleteOption) => (
                <Base.Item
                  key={option.value}
                  value={option}
                  className={classes(
                    'flex items-baseline justify-between gap-3 rounded-xs px-2 py-1.5 text-sm select-none data-highlighted:bg-hover',
                    mono && 'font-mono',
                  )}
                >
                  <span className="min-w-0 wrap-anywhere">{option.value}</span>
                  {option.note ? <span className="shrink-0 font-sans text-xs text-muted">{option.note}</span> : null}
                </Base.Item>
              )}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
