import { Check, Copy } from 'lucide-react';
import { createContext, type ReactNode, use, useState } from 'react';
import { classes } from '../layout/classes.ts';
import { logFailure } from '../logFailure.ts';
import { Button } from './Button.tsx';
import { Field, useFieldControl } from './Field.tsx';
import { IconButton } from './IconButton.tsx';
import { controlClass } from './TextInput.tsx';
import { useTimer } from './useTimer.ts';

/** How long the tick is shown. */
const COPIED_MS = 2000;

/** Hears that what is shown inside was copied. */
export const Copied = createContext<() => void>(() => undefined);

type CopyButtonProps = {
  /** What goes to the clipboard. */
  text: string;
  /** Says what is copied: "Copy the token". */
  label: string;
  size?: 'sm' | 'default' | undefined;
  /** The key that does the same. */
  shortcut?: string;
  onCopied?: () => void;
  /** It is what most come for: the primary button, with its word. */
  isMain?: boolean;
};

/** Copies a text. The icon is a tick for two seconds; a failure puts it back at once. */
export function CopyButton({ text, label, size = 'sm', shortcut, onCopied, isMain = false }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  const timer = useTimer();

  async function copy() {
    timer.stop();
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      onCopied?.();
      timer.start(() => setCopied(false), COPIED_MS);
    } catch (error) {
      setCopied(false);
      logFailure(error);
    }
  }

  const Icon = copied ? Check : Copy;
  return (
    <>
      {isMain ? (
        <Button variant="info" aria-label={label} onClick={() => void copy()} icon={<Icon size={16} aria-hidden />}>
          Copy
        </Button>
      ) : (
        <IconButton
          label={label}
          size={size}
          aria-keyshortcuts={shortcut}
          onClick={() => void copy()}
          icon={<Icon size={16} aria-hidden className={copied ? 'text-success-ink' : ''} />}
        />
      )}
      <output className="sr-only">{copied ? 'Copied' : ''}</output>
    </>
  );
}

type CommandProps = {
  /** A command, or a few lines of a file. */
  text: string;
  /** Names the block: "Join command". */
  label: string;
  /** It stands on a coloured ground. */
  raised?: boolean | undefined;
};

/** Something to paste into a terminal. Long lines go on below, so that all of it is seen. */
export function Command({ text, label, raised = false }: CommandProps) {
  return (
    <div className={classes('flex items-start gap-1 rounded-md py-1 pr-1 pl-3', raised ? 'bg-surface' : 'bg-sunken')}>
      <section aria-label={label} className="min-w-0 flex-1 py-1">
        <pre className="font-mono text-sm wrap-anywhere whitespace-pre-wrap">
          <code>
            {[...text.matchAll(/\s+|[^\s=]*=|[^\s=]+/g)].map(({ 0: word, index }) => (
              // A word, or the value after its `=`, goes on below as a whole while there is room for it there: no line ends
              // with half an option, or half a port.
              <span key={index} className={word.trim() === '' ? '' : 'inline-block max-w-full break-all'}>
                {word}
              </span>
            ))}
          </code>
        </pre>
      </section>
      <CopyButton text={text} label={`Copy: ${label}`} />
    </div>
  );
}

type ReadonlyFieldProps = {
  label: string;
  value: string;
  hint?: ReactNode;
  /** Adds a copy button with this name: "Copy the token". */
  copyLabel?: string | undefined;
  /** To copy it is what most come for. */
  isMain?: boolean;
  mono?: boolean | undefined;
};

/** A value to read and to copy, not to change. A long one goes on below: what looks whole is whole. */
export function ReadonlyField({ label, value, hint, copyLabel, isMain = false, mono = true }: ReadonlyFieldProps) {
  const copied = use(Copied);
  return (
    <Field label={label} hint={hint}>
      <div className={classes('flex items-start', isMain ? 'gap-2' : 'gap-1')}>
        <ReadonlyInput value={value} mono={mono} />
        {copyLabel ? (
          <CopyButton text={value} label={copyLabel} size="default" onCopied={copied} isMain={isMain} />
        ) : null}
      </div>
    </Field>
  );
}

function ReadonlyInput({ value, mono }: { value: string; mono: boolean }) {
  return (
    <textarea
      {...useFieldControl()}
      readOnly
      onCopy={use(Copied)}
      rows={2}
      value={value}
      onFocus={(event) => event.currentTarget.select()}
      className={classes(
        controlClass,
        'block field-sizing-content resize-none break-all',
        // So that one line, in either font, makes a field of the usual height.
        mono ? 'py-1.75 font-mono text-sm' : 'py-1.5',
      )}
    />
  );
}
