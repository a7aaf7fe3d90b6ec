import { Search, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { classes } from '../layout/classes.ts';
import { TextInput } from './TextInput.tsx';
import { useTimer } from './useTimer.ts';

type SearchInputProps = {
  /** Accessible name: "Search nodes". */
  label: string;
  /** When the accessible name says more than there is room for. */
  placeholder?: string | undefined;
  /** What is being looked for; `''` is nothing. */
  value: string;
  /** The text, a moment after the last keystroke. */
  onChange: (value: string) => void;
  /** How many rows have it, for screen readers. */
  found?: number | undefined;
  /** The key that leads here, from anywhere on the screen; Escape leads away again. */
  shortcut?: string | undefined;
  className?: string | undefined;
};

const DEBOUNCE_MS = 300;
const MAX_CHARS = 200;

/** Looks for a text while it is typed. */
export function SearchInput({
  label,
  placeholder = label,
  value,
  onChange,
  found,
  shortcut,
  className,
}: SearchInputProps) {
  const [draft, setDraft] = useState(value);
  const input = useRef<HTMLInputElement>(null);
  const timer = useTimer();
  // What was handed out and has not come back as the value yet: it is older than the draft.
  const sent = useRef<string[]>([]);

  useEffect(() => {
    const index = sent.current.indexOf(value);
    if (index >= 0) sent.current = sent.current.slice(index + 1);
    else {
      // Someone else has changed it, such as the browser's Back.
      timer.stop();
      setDraft(value);
    }
  }, [value, timer]);

  const send = (text: string) => {
    if (text === value) return;
    sent.current.push(text);
    onChange(text);
  };
  const clear = () => {
    timer.stop();
    setDraft('');
    send('');
    input.current?.focus();
  };

  return (
    <search className={classes('relative block min-w-0', className)}>
      <Search
        size={14}
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
      />
      <TextInput
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts={shortcut}
        placeholder={placeholder}
        value={draft}
        maxLength={MAX_CHARS}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="search"
        onChange={(event) => {
          const text = event.currentTarget.value;
          setDraft(text);
          timer.start(() => send(text), DEBOUNCE_MS);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          if (draft === '') {
            if (shortcut) event.currentTarget.blur();
            return;
          }
          // Of the text, not of what lies around it.
          event.stopPropagation();
          event.preventDefault();
          clear();
        }}
        compact
        className="pr-8 pl-8 text-sm [&::-webkit-search-cancel-button]:hidden"
      />
      {draft === '' ? null : (
        <button
          type="button"
          aria-label="Clear search"
          onClick={clear}
          className="absolute inset-y-0 right-1 my-auto inline-flex size-6 items-center justify-center rounded-xs text-muted hover:bg-hover hover:text-ink"
        >
          <X size={14} aria-hidden />
        </button>
      )}
      <output className="sr-only">{value === '' || found === undefined ? '' : `${found} found`}</output>
    </search>
  );
}
