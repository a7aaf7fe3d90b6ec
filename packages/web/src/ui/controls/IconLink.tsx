import { cloneElement } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { Tooltip } from '../overlays/Tooltip.tsx';
import type { TooltipSide } from '../overlays/tooltipSide.ts';

type IconLinkProps = {
  /** Accessible name, and the tooltip. */
  label: string;
  /** A lucide icon, 18 px. */
  icon: ReactNode;
  /** The link element without children. */
  link: ReactElement;
  tooltipSide?: TooltipSide | undefined;
};

/** A link that looks like an IconButton. */
export function IconLink({ label, icon, link, tooltipSide }: IconLinkProps) {
  const entry = cloneElement(
    link as ReactElement<{ className?: string; 'aria-label'?: string }>,
    {
      'aria-label': label,
      className:
        'inline-flex size-9 shrink-0 items-center justify-center rounded-sm text-muted transition-colors duration-100 hover:bg-hover hover:text-ink active:bg-press',
    },
    icon,
  );
  return (
    <Tooltip content={label} side={tooltipSide} isName>
      {entry}
    </Tooltip>
  );
}
