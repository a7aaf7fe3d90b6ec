import { classes } from './classes.ts';

/** A grey place for what is on its way; width and height by class: `h-4 w-32`. */
export function Skeleton({ className = 'h-4 w-full' }: { className?: string | undefined }) {
  return <span aria-hidden className={classes('block animate-shimmer rounded-xs bg-press', className)} />;
}
