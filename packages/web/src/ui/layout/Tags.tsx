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

const more = (count: number) => (
  <>
    +{count}
    <span className="sr-only"> more tags</span>
  </>
);

type TagsProps = {
  /** Whose they are: "Tags of web-1". */
  label: string;
  tags: readonly string[];
  /** Those that a list is filtered by. */
  chosen?: readonly string[] | undefined;
  onPick: (tag: string) => void;
  className?: string | undefined;
};

/** Where there is room for one tag alone. */
const NARROW = { hidden: '@max-[13rem]:hidden', shown: 'hidden @max-[13rem]:block' };

/** The tags of a thing as small chips, as many in one line as have room; a press filters by one. */
export function Tags({ label, tags, chosen, onPick, className }: TagsProps) {
  const [all, setAll] = useState(false);
  const hidden = tags.length - SHOWN;
  if (tags.length === 0) return null;
  return (
    <div className={classes('@container mt-1', className)}>
      <ul aria-label={label} className={classes('flex gap-1', all && 'flex-wrap')}>
        {(all ? tags : tags.slice(0, SHOWN)).map((tag, index) => {
          const isChosen = chosen && withTagToggled(chosen, tag).length < chosen.length;
          return (
            <li key={tag} className={classes('flex min-w-0', index > 0 && !all && NARROW.hidden)}>
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
        {tags.length > 1 ? (
          <li className={classes('shrink-0', hidden <= 0 && NARROW.shown)}>
            <button
              type="button"
              aria-expanded={all}
              onClick={() => setAll(!all)}
              className={classes(tagClass, 'border-transparent text-muted hover:bg-hover hover:text-ink')}
            >
              {all ? (
                'Fewer'
              ) : (
                <>
                  <span className={NARROW.hidden}>{more(hidden)}</span>
                  <span className={NARROW.shown}>{more(tags.length - 1)}</span>
                </>
              )}
            </button>
          </li>
        ) : null}
      </ul>
    </div>
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
