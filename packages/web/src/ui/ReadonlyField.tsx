import type { ReactNode } from 'react';
import { CopyButton } from './CopyButton.tsx';
import { Field } from './Field.tsx';
import { TextInput } from './TextInput.tsx';

type ReadonlyFieldProps = {
  label: string;
  value: string;
  hint?: ReactNode;
  /** Adds a copy button with this name: "Copy the token". */
  copyLabel?: string | undefined;
  onCopyError?: ((error: unknown) => void) | undefined;
  mono?: boolean | undefined;
};

/** A value to read and to copy, not to change. */
export function ReadonlyField({ label, value, hint, copyLabel, onCopyError, mono = true }: ReadonlyFieldProps) {
  return (
    <Field label={label} hint={hint}>
      <ReadonlyInput value={value} copyLabel={copyLabel} onCopyError={onCopyError} mono={mono} />
    </Field>
  );
}

function ReadonlyInput({ value, copyLabel, onCopyError, mono }: Omit<ReadonlyFieldProps, 'label' | 'hint'>) {
  return (
    <div className="flex items-center gap-1">
      <TextInput readOnly value={value} mono={mono} onFocus={(event) => event.currentTarget.select()} />
      {copyLabel ? <CopyButton text={value} label={copyLabel} size="default" onError={onCopyError} /> : null}
    </div>
  );
}
