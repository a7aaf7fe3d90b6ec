import type { ComponentProps } from 'react';
import { classes } from '../layout/classes.ts';
import { TextInput } from './TextInput.tsx';

/**
 * A whole number, as text: a numeric keyboard on phones, but no change by scrolling and no silent loss of what is not a digit,
 * so that validation can say what is wrong with it.
 */
export function NumberInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  return <TextInput inputMode="numeric" autoComplete="off" {...rest} className={classes('tabular-nums', className)} />;
}
