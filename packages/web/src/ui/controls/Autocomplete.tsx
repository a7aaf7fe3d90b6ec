import { useId, useState, type ComponentProps, type KeyboardEvent } from 'react';
import { lazyPart } from '../overlays/lazyPart.tsx';
import type { AutocompleteOption } from './AutocompletePopup.tsx';
import { Spinner } from './Button.tsx';
import { useFieldControl } from './Field.tsx';
import { TextInput } from './TextInput.tsx';
import { useTimer } from './useTimer.ts';

// The list and its positioning are fetched when someone enters the first field, not with the form.
const loadPopup = async () => (await import('./AutocompletePopup.tsx')).AutocompletePopup;
// Any text may be typed without suggestions.
const AutocompletePopup = lazyPart(loadPopup, () => null);

// A field for any text: the browser's own select is for a choice among few.
const COMBOBOX = { role: 'combobox', 'aria-autocomplete': 'list' } as const;

const DEBOUNCE_MS = 300;
/** The list closes this long after the focus has left. */
const CLOSE_MS = 150;

type AutocompleteProps = {
  value: string;
  /** Every keystroke, and the chosen option. Any text is a value; refusing some is validation's work. */
  onValueChange: (value: string) => void;
  /** Already filtered for the last query. */
  options: readonly AutocompleteOption[];
  /** The text to look up, a moment after the last keystroke, and once when the list opens. */
  onQueryChange: (query: string) => void;
  loading?: boolean | undefined;
} & Omit<ComponentProps<'input'>, 'value' | 'defaultValue' | 'onChange' | 'type'>;

/**
 * A text field that suggests values: the pattern of an editable combobox whose list is chosen from by hand. The focus
 * stays in the field; the option that the arrows point at is told by `aria-activedescendant`.
 */
export function Autocomplete({
  value,
  onValueChange,
  options,
  onQueryChange,
  loading = false,
  onBlur,
  ...rest
}: AutocompleteProps) {
  const [open, setOpen] = useState(false);
  const [anchor, setAnchor] = useState<HTMLInputElement | null>(null);
  // By its value, not by its place: the next answer may put another option there.
  const [activeValue, setActiveValue] = useState<string | null>(null);
  const asking = useTimer();
  const closing = useTimer();
  const { id: fieldId } = useFieldControl();
  const listId = useId();
  const expanded = open && options.length > 0;
  const active = expanded ? options.findIndex((option) => option.value === activeValue) : -1;

  const ask = (query: string, delayMs: number) => {
    asking.start(() => onQueryChange(query), delayMs);
  };
  const show = () => {
    closing.stop();
    if (open) return;
    setActiveValue(null);
    ask(value, 0);
    setOpen(true);
  };
  const choose = (option: AutocompleteOption) => {
    onValueChange(option.value);
    setOpen(false);
  };
  const move = (step: 1 | -1) => {
    const from = active < 0 && step < 0 ? 0 : active;
    setActiveValue(options[(from + step + options.length) % options.length]?.value ?? null);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const option = options[active];
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (expanded) move(event.key === 'ArrowDown' ? 1 : -1);
      else show();
    } else if (event.key === 'Enter' && option) {
      event.preventDefault();
      choose(option);
    } else if (event.key === 'Escape' && expanded) {
      // Of the list, not of the dialog around it.
      event.preventDefault();
      event.stopPropagation();
      setOpen(false);
    }
  };

  return (
    <span className="relative block">
      <TextInput
        autoComplete="off"
        spellCheck={false}
        {...rest}
        {...COMBOBOX}
        aria-expanded={expanded}
        aria-controls={expanded ? listId : undefined}
        aria-activedescendant={active < 0 ? undefined : `${listId}${active}`}
        value={value}
        mono
        onPointerEnter={() => void loadPopup().catch(() => undefined)}
        onFocus={(event) => {
          closing.stop();
          setAnchor(event.currentTarget);
          void loadPopup().catch(() => undefined);
        }}
        onBlur={(event) => {
          closing.start(() => setOpen(false), CLOSE_MS);
          onBlur?.(event);
        }}
        onClick={show}
        onChange={(event) => {
          const { value: next } = event.currentTarget;
          closing.stop();
          setAnchor(event.currentTarget);
          setActiveValue(null);
          setOpen(true);
          onValueChange(next);
          ask(next, DEBOUNCE_MS);
        }}
        onKeyDown={onKeyDown}
        className={loading ? 'pr-8' : undefined}
      />
      {loading ? (
        <span className="absolute top-1/2 right-2.5 -translate-y-1/2 text-muted">
          <Spinner size={14} />
        </span>
      ) : null}
      <output className="sr-only">{expanded ? countOf(options) : ''}</output>
      {expanded && anchor ? (
        <AutocompletePopup
          id={listId}
          labelledBy={fieldId === undefined ? undefined : `${fieldId}label`}
          anchor={anchor}
          options={options}
          active={active}
          onPoint={(option) => setActiveValue(option.value)}
          onChoose={choose}
        />
      ) : null}
    </span>
  );
}

const countOf = ({ length }: readonly AutocompleteOption[]): string =>
  length === 1 ? '1 suggestion' : `${length} suggestions`;
