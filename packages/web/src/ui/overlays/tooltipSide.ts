/** On which side of its control a tooltip stands. */
export type TooltipSide = 'top' | 'bottom' | 'left' | 'right';
