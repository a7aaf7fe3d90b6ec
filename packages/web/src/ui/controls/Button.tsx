import type { ComponentProps, ReactNode } from 'react';
import { buttonClass, type ButtonSize, type ButtonVariant } from './buttonClass.ts';
import { classes } from '../layout/classes.ts';
import { Spinner } from './Spinner.tsx';

type ButtonProps = ComponentProps<'button'> & {
  /** `info` is the primary action in the accent colour, `default` the quiet one. */
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  /** Leading icon; the spinner takes its place while loading. */
  icon?: ReactNode;
  /** Shows the spinner and ignores presses, but keeps the focus where it is. */
  loading?: boolean | undefined;
};

export function Button({
  variant,
  size,
  icon,
  loading = false,
  className,
  children,
  onClick,
  type = 'button',
  ...rest
}: ButtonProps) {
  return (
    <button
      {...rest}
      type={type === 'submit' ? 'submit' : 'button'}
      className={classes(buttonClass({ variant, size }), className)}
      aria-busy={loading || undefined}
      aria-disabled={loading || rest['aria-disabled'] || undefined}
      onClick={(event) => {
        // Stopping the click also stops a form from being submitted twice by Enter.
        if (loading) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {loading ? <Spinner size={size === 'xs' ? 12 : 16} /> : icon}
      {children}
    </button>
  );
}
