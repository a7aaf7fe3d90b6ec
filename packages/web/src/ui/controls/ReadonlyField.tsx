import { Check, Copy } from 'lucide-react';
import { createContext, type ReactNode, use } from 'react';
import { classes } from '../layout/classes.ts';
import { Button } from './Button.tsx';
import { CopyButton, useCopy } from './CopyButton.tsx';
import { Field, useFieldControl } from './Field.tsx';
import { controlClass } from './TextInput.tsx';

/** Hears that what is shown inside was copied. */
export const Copied = createContext<() => void>(() => undefined);

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
        {copyLabel && isMain ? <MainCopy text={value} label={copyLabel} onCopied={copied} /> : null}
        {copyLabel && !isMain ? <CopyButton text={value} label={copyLabel} size="default" onCopied={copied} /> : null}
      </div>
    </Field>
  );
}

/** The primary button, with its word. */
function MainCopy({ text, label, onCopied }: { text: string; label: string; onCopied: () => void }) {
  const { copied, copy } = useCopy(text, onCopied);
  const Icon = copied ? Check : Copy;
  return (
    <>
      <Button variant="info" aria-label={label} onClick={copy} icon={<Icon size={16} aria-hidden />}>
        Copy
      </Button>
      <output className="sr-only">{copied ? 'Copied' : ''}</output>
    </>
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
