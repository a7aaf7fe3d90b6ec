import type { ComponentProps } from 'react';
import { classes } from '../layout/classes.ts';
import { controlClass } from './controlClass.ts';
import { useFieldControl } from './Field.tsx';

type TextInputProps = ComponentProps<'input'> & {
  /** Addresses, paths, keys. */
  mono?: boolean | undefined;
  /** 32 px high instead of 36, as in toolbars. */
  compact?: boolean | undefined;
};

/** One line of text. Takes `ref` and every attribute of an input. */
export function TextInput({ mono = false, compact = false, className, type = 'text', ...rest }: TextInputProps) {
  return (
    <input
      {...useFieldControl()}
      {...rest}
      type={type}
      className={classes(controlClass, compact ? 'h-8' : 'h-9', mono && 'font-mono text-sm', className)}
    />
  );
}
