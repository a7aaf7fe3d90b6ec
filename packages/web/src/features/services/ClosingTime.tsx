import { formatClosing, formatExact } from '@sallyport/sdk';
import { useNow } from '../../state/useNow.ts';
import { RelativeTime } from '../../ui/layout/RelativeTime.tsx';
import type { Service } from './serviceKinds.ts';

/** How often the time that is left is told again. */
const TICK_MS = 10_000;

/** When a service closes by itself, told from now. */
export function ClosingTime({ expiresAt }: { expiresAt: string }) {
  const now = useNow(TICK_MS);
  return <RelativeTime dateTime={expiresAt} relative={timeLeft(expiresAt, now)} exact={formatExact(expiresAt)} />;
}

const MINUTE_MS = 60_000;
const HOUR_MIN = 60;
const DAY_MIN = 24 * HOUR_MIN;

/**
 * How long it is until a moment, in its two largest units and rounded up to a minute, so that what was set to two hours
 * reads as two hours: `in 2 h`, `in 1 h 59 min`, `in 6 d 23 h`.
 */
export function timeLeft(moment: string, now: Date): string {
  const leftMs = new Date(moment).getTime() - now.getTime();
  if (leftMs <= 0) return 'any moment now';
  if (leftMs < MINUTE_MS) return 'in less than a minute';
  const minutes = Math.ceil(leftMs / MINUTE_MS);
  const parts = [
    [Math.floor(minutes / DAY_MIN), 'd'],
    [Math.floor((minutes % DAY_MIN) / HOUR_MIN), 'h'],
    [minutes % HOUR_MIN, 'min'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  const shown = parts.slice(first, first + 2).filter(([count]) => count > 0);
  return `in ${shown.map(([count, unit]) => `${count} ${unit}`).join(' ')}`;
}

/** How often it is looked whether that day is still today. */
const DAY_TICK_MS = 60_000;

/** When a service was closed, and by what, in the reader's own zone; null while it is open. */
export function useClosing(service: Pick<Service, 'closedAt' | 'closedBy'>): string | null {
  return formatClosing(service, useNow(DAY_TICK_MS));
}
