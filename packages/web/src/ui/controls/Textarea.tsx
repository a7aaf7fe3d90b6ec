import type { ComponentProps } from 'react';
import { classes } from '../layout/classes.ts';
import { controlClass } from './controlClass.ts';
import { useFieldControl } from './Field.tsx';

type TextareaProps = ComponentProps<'textarea'> & { mono?: boolean | undefined };

/** Several lines of text; grows with its content where the browser can. */
export function Textarea({ mono = false, className, rows = 3, ...rest }: TextareaProps) {
  return (
    <textarea
      {...useFieldControl()}
      {...rest}
      rows={rows}
      className={classes(
        controlClass,
        'field-sizing-content block min-h-18 py-1.5',
        mono && 'font-mono text-sm',
        className,
      )}
    />
  );
}
