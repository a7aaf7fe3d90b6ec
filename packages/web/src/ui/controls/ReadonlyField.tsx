import type { ReactNode } from 'react';
import { classes } from '../layout/classes.ts';
import { controlClass } from './TextInput.tsx';
import { CopyButton } from './CopyButton.tsx';
import { Field, useFieldControl } from './Field.tsx';

type ReadonlyFieldProps = {
  label: string;
  value: string;
  hint?: ReactNode;
  /** Adds a copy button with this name: "Copy the token". */
  copyLabel?: string | undefined;
  onCopyError?: ((error: unknown) => void) | undefined;
  mono?: boolean | undefined;
};

/** A value to read and to copy, not to change. A long one goes on below: what looks whole is whole. */
export function ReadonlyField({ label, value, hint, copyLabel, onCopyError, mono = true }: ReadonlyFieldProps) {
  return (
    <Field label={label} hint={hint}>
      <ReadonlyInput value={value} copyLabel={copyLabel} onCopyError={onCopyError} mono={mono} />
    </Field>
  );
}

function ReadonlyInput({ value, copyLabel, onCopyError, mono }: Omit<ReadonlyFieldProps, 'label' | 'hint'>) {
  return (
    <div className="flex items-start gap-1">
      <textarea
        {...useFieldControl()}
        readOnly
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
      {copyLabel ? <CopyButton text={value} label={copyLabel} size="default" onError={onCopyError} /> : null}
    </div>
  );
}
