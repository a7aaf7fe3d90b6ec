import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { type Ref, type RefObject, useEffect, useMemo, useState } from 'react';
import { IconButton } from '../../ui/controls/IconButton.tsx';
import { TextInput } from '../../ui/controls/TextInput.tsx';
import { type LogStore, useLogFact } from './createLogStore.ts';
import { patternOf } from './logFilter.ts';
import type { LogLinesHandle } from './LogLines.tsx';

type LogSearchFieldProps = {
  store: LogStore;
  search: LogSearch;
  /** Back to the lines. */
  onLeave: () => void;
  ref?: Ref<HTMLInputElement>;
};

/** What is looked for in the lines, how many have it, and the way from one to the next. */
export function LogSearchField({ store, search, onLeave, ref }: LogSearchFieldProps) {
  const { text, setText, step, currentId } = search;
  const hasText = text !== '';
  return (
    <div className="flex min-w-0 flex-1 basis-64 items-center gap-0.5">
      <span className="relative block min-w-0 flex-1">
        <Search
          size={16}
          aria-hidden
          className="pointer-events-none absolute top-1/2 left-2.5 -translate-y-1/2 text-muted"
        />
        <TextInput
          ref={ref}
          mono
          value={text}
          placeholder="Search the lines"
          aria-label="Search the lines"
          aria-keyshortcuts="/"
          autoComplete="off"
          spellCheck={false}
          compact
          className={hasText ? 'px-8 pr-32' : 'px-8'}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
            if (event.key !== 'Escape') return;
            setText('');
            onLeave();
          }}
        />
        {hasText ? (
          <span className="absolute inset-y-0 right-1.5 flex items-center gap-1">
            <MatchCount store={store} currentId={currentId} />
            <button
              type="button"
              aria-label="Clear the search"
              onClick={() => setText('')}
              className="inline-flex size-6 items-center justify-center rounded-xs text-muted hover:bg-hover hover:text-ink"
            >
              <X size={14} aria-hidden />
            </button>
          </span>
        ) : null}
      </span>
      <IconButton
        label="Previous match"
        icon={<ChevronUp size={16} aria-hidden />}
        size="md"
        aria-disabled={!hasText}
        onClick={() => step(-1)}
      />
      <IconButton
        label="Next match"
        icon={<ChevronDown size={16} aria-hidden />}
        size="md"
        aria-disabled={!hasText}
        onClick={() => step(1)}
      />
    </div>
  );
}

const number = (value: number) => value.toLocaleString('en-US');

/** `3 of 57`: lines. It is read out when the reader moves, not each time that a line comes. */
function MatchCount({ store, currentId }: { store: LogStore; currentId: number | null }) {
  const count = useLogFact(store, store.matches.count);
  const place = useLogFact(store, () => (currentId === null ? 0 : store.matches.placeOf(currentId) + 1));
  const isHeld = currentId !== null && store.matches.at(place - 1) === currentId;
  return (
    <>
      <span className="text-xs whitespace-nowrap text-muted tabular-nums">
        {isHeld ? `${number(place)} of ${number(count)}` : `${number(count)} ${count === 1 ? 'line' : 'lines'}`}
      </span>
      <output>
        <span className="sr-only">{currentId === null ? '' : `Match in line ${currentId}`}</span>
      </output>
    </>
  );
}

/** The search in a log: what is looked for, and at which of the lines that have it the reader is. */
type LogSearch = ReturnType<typeof useLogSearch>;

export function useLogSearch(store: LogStore, lines: RefObject<LogLinesHandle | null>) {
  const [text, setText] = useState('');
  const [currentId, setCurrentId] = useState<number | null>(null);
  const pattern = useMemo(() => patternOf(text), [text]);
  useEffect(() => store.setSearch(pattern), [store, pattern]);

  return {
    text,
    setText(next: string) {
      setText(next);
      setCurrentId(null);
    },
    pattern,
    currentId,
    /** Goes to the next line that has it (`1`) or to the one before (`-1`), and round at the ends. */
    step(direction: 1 | -1) {
      const { matches } = store;
      // Anyone who types and presses Enter at once is faster than a frame.
      store.lookThrough();
      const count = matches.count();
      if (count === 0) return;
      const from = currentId ?? lines.current?.topId() ?? 0;
      // The first one behind the place, and the last one before it.
      const place = direction === 1 ? matches.placeOf(currentId === null ? from : from + 1) : matches.placeOf(from) - 1;
      const id = matches.at((place + count) % count);
      if (id === undefined) return;
      setCurrentId(id);
      lines.current?.show(id);
    },
  };
}
