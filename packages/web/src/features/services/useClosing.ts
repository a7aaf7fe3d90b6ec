import { formatClosing } from '@sallyport/sdk';
import { useNow } from '../../state/useNow.ts';
import type { Service } from './serviceKinds.ts';

/** How often it is looked whether that day is still today. */
const TICK_MS = 60_000;

/** When a service was closed, and by what, in the reader's own zone; null while it is open. */
export function useClosing(service: Pick<Service, 'closedAt' | 'closedBy'>): string | null {
  return formatClosing(service, useNow(TICK_MS));
}
