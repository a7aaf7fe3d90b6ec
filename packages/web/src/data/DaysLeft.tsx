import { classes } from '../ui/layout/classes.ts';

const DAY_MS = 86_400_000;
/** From then on it is time to look why the certificate was not renewed. */
const SOON_DAYS = 14;

/** How many days are left until a certificate ends, with a warning when they are few. */
export function DaysLeft({ until, now }: { until: string; now: Date }) {
  const days = Math.floor((new Date(until).getTime() - now.getTime()) / DAY_MS);
  const text = days < 0 ? 'expired' : days === 1 ? '1 day left' : `${days} days left`;
  return <span className={classes('inline-block', days < SOON_DAYS && 'text-warning-ink')}>{text}</span>;
}
