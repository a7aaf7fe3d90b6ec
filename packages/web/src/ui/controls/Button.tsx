import { LoaderCircle } from 'lucide-react';
import { cloneElement, type ComponentProps, type ReactElement, type ReactNode } from 'react';
import { classes } from '../layout/classes.ts';

type ButtonVariant = 'default' | 'black' | 'info' | 'danger' | 'success';
type ButtonSize = 'xs' | 'sm' | 'default';

const BASE =
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-sm font-medium whitespace-nowrap select-none no-underline ' +
  'transition-colors duration-100 disabled:opacity-50 aria-disabled:not-aria-busy:opacity-60 aria-busy:cursor-progress disabled:shadow-none';

const VARIANTS: Record<ButtonVariant, string> = {
  default:
    'bg-surface text-ink border border-edge/60 shadow-control hover:bg-[linear-gradient(var(--color-hover),var(--color-hover))] active:bg-[linear-gradient(var(--color-press),var(--color-press))]',
  black: 'bg-inverse text-on-inverse hover:bg-inverse/90 active:bg-inverse/85',
  info: 'bg-accent text-on-accent hover:bg-accent-strong',
  danger: 'bg-danger-solid text-danger-on hover:bg-danger-strong',
  success: 'bg-success-solid text-success-on hover:bg-success-strong',
};

const SIZES: Record<ButtonSize, string> = {
  xs: 'h-6 px-2 text-xs',
  sm: 'h-8 px-2.5 text-sm',
  default: 'h-9 px-3.5 text-base',
};

/**
 * The look of a button, for a router's link that should look like one:
 * `<Link to="/" className={buttonClass({ variant: 'info' })}>`.
 */
export function buttonClass(
  options: { variant?: ButtonVariant | undefined; size?: ButtonSize | undefined } = {},
): string {
  return classes(BASE, VARIANTS[options.variant ?? 'default'], SIZES[options.size ?? 'default']);
}

/** The router's link, which comes without clothes, as a button. */
export const linkButton = (link: ReactElement, look: Parameters<typeof buttonClass>[0]) =>
  cloneElement(link as ReactElement<{ className?: string }>, { className: buttonClass(look) });

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

/** Something is under way. */
export function Spinner({ size }: { size: number }) {
  return (
    <span className="inline-flex">
      <LoaderCircle size={size} className="animate-spin" aria-hidden />
    </span>
  );
}
