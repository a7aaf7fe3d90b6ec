import { Tooltip } from '@base-ui/react/tooltip';
import type { ReactNode } from 'react';
import { landmarkOf } from './landmarkOf.ts';

/** On which side of its control a tooltip stands. */
export type TooltipSide = 'top' | 'bottom' | 'left' | 'right';

type TooltipPopupProps = {
  id: string;
  anchor: HTMLElement;
  side: TooltipSide;
  /** Hidden from screen readers, because it only repeats the trigger's name. */
  hidden: boolean;
  onClose: () => void;
  onPointerEnter: () => void;
  onPointerLeave: () => void;
  children: ReactNode;
};

/** The popup half of Tooltip, in a chunk of its own. */
export function TooltipPopup({ id, anchor, side, hidden, onClose, children, ...pointer }: TooltipPopupProps) {
  return (
    <Tooltip.Root open onOpenChange={(open) => !open && onClose()}>
      {/* Of no size: its landmark may space its children. */}
      <Tooltip.Portal container={landmarkOf(anchor)} className="contents">
        <Tooltip.Positioner
          positionMethod="fixed"
          anchor={anchor}
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="z-(--z-tooltip)"
        >
          <Tooltip.Popup
            {...pointer}
            id={id}
            role="tooltip"
            aria-hidden={hidden || undefined}
            data-popup
            className="max-w-72 animate-fade rounded-sm bg-inverse px-2 py-1 text-xs font-medium text-on-inverse shadow-popup"
          >
            {children}
          </Tooltip.Popup>
        </Tooltip.Positioner>
      </Tooltip.Portal>
    </Tooltip.Root>
  );
}
