import { useState } from 'react';
import { classes } from './classes.ts';

/** So many are shown before someone asks for the others. */
const SHOWN = 3;

export const tagClass =
  'inline-flex h-6 max-w-44 items-center rounded-xs border px-1.5 text-xs font-medium transition-colors duration-100';

/** Tags in which one is turned on or, in any case of its letters, off. */
export function withTagToggled(tags: readonly string[], tag: string): string[] {
  const others = tags.filter((each) => each.toLowerCase() !== tag.toLowerCase());
  return others.length < tags.length ? others : [...tags, tag];
}

type TagsProps = {
  /** Whose they are: "Tags of web-1". */
  label: string;
  tags: readonly string[];
  /** Those that a list is filtered by. */
  chosen?: readonly string[] | undefined;
  onPick: (tag: string) => void;
  className?: string | undefined;
};

/** The tags of a thing as small chips, the first of them in one line; a press filters by one. */
export function Tags({ label, tags, chosen, onPick, className }: TagsProps) {
  const [all, setAll] = useState(false);
  const hidden = tags.length - SHOWN;
  if (tags.length === 0) return null;
  return (
    <ul aria-label={label} className={classes('mt-1 flex gap-1', all && 'flex-wrap', className)}>
      {(all ? tags : tags.slice(0, SHOWN)).map((tag) => {
        const isChosen = chosen && withTagToggled(chosen, tag).length < chosen.length;
        return (
          <li key={tag} className="flex min-w-8">
            <button
              type="button"
              title={tag}
              aria-pressed={isChosen}
              onClick={() => onPick(tag)}
              className={classes(
                tagClass,
                'min-w-0',
                isChosen
                  ? 'border-accent bg-accent-soft text-accent-ink'
                  : 'border-edge/60 text-muted hover:bg-hover hover:text-ink',
              )}
            >
              <bdi className="truncate">{tag}</bdi>
            </button>
          </li>
        );
      })}
      {hidden > 0 ? (
        <li className="shrink-0">
          <button
            type="button"
            aria-expanded={all}
            aria-label={all ? undefined : `+${hidden} more tags`}
            onClick={() => setAll(!all)}
            className={classes(tagClass, 'border-transparent text-muted hover:bg-hover hover:text-ink')}
          >
            {all ? 'Fewer' : `+${hidden}`}
          </button>
        </li>
      ) : null}
    </ul>
  );
}

/** What is noted about a thing: text as it was typed, with its lines. */
export function Notes({ children }: { children: string }) {
  return (
    <p dir="auto" className="max-w-prose text-sm wrap-anywhere whitespace-pre-line">
      {children}
    </p>
  );
}
