import { X } from 'lucide-react';
import { type KeyboardEvent, type Ref, useRef, useState } from 'react';
import { classes } from '../layout/classes.ts';
import { tagClass } from '../layout/Tags.tsx';
import { controlClass } from './TextInput.tsx';

type TagInputProps = {
  name: string;
  values: readonly string[];
  onChange: (values: string[]) => void;
  onBlur?: (() => void) | undefined;
  /** What is wrong with each tag, by its place. */
  errors: readonly (string | undefined)[];
  ref?: Ref<HTMLInputElement> | undefined;
};

/**
 * Tags: each is a chip that can be removed, and a text becomes one by Enter or a comma. What is still being typed is the
 * last of the values already, so that saving at once loses nothing. Put it into `<Field as="group">`.
 */
export function TagInput({ name, values, onChange, onBlur, errors, ref }: TagInputProps) {
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  const typed = text.trim();
  // Not so once the form was filled with other values.
  const isTyping = typed !== '' && values.at(-1) === typed;
  const tags = isTyping ? values.slice(0, -1) : values;
  const withTag = (known: readonly string[], tag: string): readonly string[] =>
    tag === '' || known.some((each) => each.toLowerCase() === tag.toLowerCase()) ? known : [...known, tag];

  const type = (next: string) => {
    const parts = next.split(',');
    const rest = parts.pop() ?? '';
    const done = parts.map((part) => part.trim()).reduce(withTag, tags);
    setText(rest);
    onChange(rest.trim() === '' ? [...done] : [...done, rest.trim()]);
  };
  const remove = (index: number) => {
    onChange(values.filter((_, at) => at !== index));
    input.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && isTyping) {
      // Else it saves the form.
      event.preventDefault();
      type(`${text},`);
    } else if (event.key === 'Backspace' && text === '' && tags.length > 0) {
      remove(tags.length - 1);
    }
  };

  return (
    <div
      className={classes(
        controlClass,
        'flex max-h-44 min-h-9 flex-wrap items-center gap-1 overflow-y-auto px-1.5! py-1',
        'focus-within:border-accent focus-within:outline-2 focus-within:-outline-offset-1 focus-within:outline-accent',
      )}
    >
      {tags.length === 0 ? null : (
        <ul className="contents">
          {tags.map((tag, index) => (
            <li
              key={tag}
              className={classes(
                tagClass,
                'gap-0.5 pr-0!',
                errors[index] ? 'border-danger-ink text-danger-ink' : 'border-edge/60 bg-sunken text-ink',
              )}
            >
              <bdi className="truncate" title={tag}>
                {tag}
              </bdi>
              <button
                type="button"
                aria-label={`Remove tag ${tag}`}
                onClick={() => remove(index)}
                className="inline-flex size-6 shrink-0 items-center justify-center rounded-xs text-muted hover:bg-hover hover:text-ink"
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        ref={(element) => {
          input.current = element;
          if (typeof ref === 'function') ref(element);
        }}
        name={name}
        aria-label="Add a tag"
        aria-invalid={errors.some(Boolean) || undefined}
        dir="auto"
        autoComplete="off"
        autoCapitalize="none"
        enterKeyHint="enter"
        spellCheck={false}
        value={isTyping || typed === '' ? text : ''}
        placeholder={tags.length === 0 ? 'home, media' : undefined}
        onBlur={onBlur}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-6 min-w-24 flex-1 bg-transparent px-1 outline-none"
      />
    </div>
  );
}
