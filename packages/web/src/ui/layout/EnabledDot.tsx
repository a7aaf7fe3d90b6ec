import { classes } from './classes.ts';

type EnabledDotProps = {
  enabled: boolean;
  /** Accessible name; default Enabled or Disabled. */
  label?: string | undefined;
};

/** Green disc when enabled, red ring with a bar when disabled. */
export function EnabledDot({ enabled, label = enabled ? 'Enabled' : 'Disabled' }: EnabledDotProps) {
  return (
    <span
      {...{ role: 'img', 'aria-label': label }}
      title={label}
      className={classes('inline-flex shrink-0', enabled ? 'text-mark-online' : 'text-mark-offline')}
    >
      <svg viewBox="0 0 12 12" className="size-2.5" aria-hidden>
        {enabled ? (
          <circle cx="6" cy="6" r="4.8" fill="currentColor" />
        ) : (
          <path
            d="M6 1.4a4.6 4.6 0 1 0 0 9.2a4.6 4.6 0 1 0 0-9.2zM2.8 9.2l6.4-6.4"
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
          />
        )}
      </svg>
    </span>
  );
}
