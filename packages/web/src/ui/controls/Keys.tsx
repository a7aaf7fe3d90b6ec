import { classes } from '../layout/classes.ts';

/** Keys as they are written on the keyboard: pressed together, or one after the other. */
export function Keys({ keys, className }: { keys: readonly string[]; className?: string }) {
  return (
    <kbd className={classes('inline-flex shrink-0 gap-1 font-sans text-xs text-muted', className)}>
      {keys.map((key) => (
        <kbd
          key={key}
          className="inline-flex h-5 min-w-5 items-center justify-center rounded-xs border border-edge/60 px-1 font-sans"
        >
          {key}
        </kbd>
      ))}
    </kbd>
  );
}
