import { formatExact } from '@sallyport/sdk';
import { useNow } from '../../state/useNow.ts';
import { RelativeTime } from '../../ui/layout/RelativeTime.tsx';
import { timeLeft } from './timeLeft.ts';

/** How often the time that is left is told anew. */
const TICK_MS = 10_000;

/** When a service closes by itself, told from now. */
export function ClosingTime({ expiresAt }: { expiresAt: string }) {
  const now = useNow(TICK_MS);
  return <RelativeTime dateTime={expiresAt} relative={timeLeft(expiresAt, now)} exact={formatExact(expiresAt)} />;
}
