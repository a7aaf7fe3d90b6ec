import type { ComponentProps, ReactNode } from 'react';
import { classes } from '../layout/classes.ts';
import { Tooltip } from '../overlays/Tooltip.tsx';
import type { TooltipSide } from '../overlays/TooltipPopup.tsx';
import { Spinner } from './Button.tsx';

const SIZES = { sm: 'size-7', md: 'size-8', default: 'size-9' };

type IconButtonProps = Omit<ComponentProps<'button'>, 'children' | 'aria-label'> & {
  /** Accessible name, and the tooltip. */
  label: string;
  icon: ReactNode;
  /** `sm` is 28 px, `md` 32 px as in toolbars, `default` 36 px. */
  size?: keyof typeof SIZES | undefined;
  loading?: boolean | undefined;
  tooltipSide?: TooltipSide | undefined;
};

/** A quiet button that shows an icon alone. */
export function IconButton({
  label,
  icon,
  size = 'default',
  loading = false,
  tooltipSide,
  className,
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <Tooltip content={label} side={tooltipSide} isName>
      <button
        {...rest}
        type="button"
        aria-label={label}
        aria-busy={loading || undefined}
        aria-disabled={loading || rest['aria-disabled'] || undefined}
        onClick={(event) => {
          if (loading) event.preventDefault();
          else onClick?.(event);
        }}
        className={classes(
          'inline-flex shrink-0 items-center justify-center rounded-sm transition-colors duration-100',
          'hover:bg-hover active:bg-press aria-expanded:bg-press disabled:opacity-50 aria-disabled:not-aria-busy:opacity-60',
          'text-muted hover:text-ink aria-expanded:text-ink',
          SIZES[size],
          className,
        )}
      >
        {loading ? <Spinner size={16} /> : icon}
      </button>
    </Tooltip>
  );
}
