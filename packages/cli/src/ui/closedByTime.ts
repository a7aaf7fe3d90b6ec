import type { HttpService } from '@sallyport/sdk/contract';
import { formatClosing } from '@sallyport/sdk/format';

/** When the time limit of a service closed it, at the reader's own time of day; null: it did not. */
export const closedByTime = (service: Pick<HttpService, 'closedAt' | 'closedBy'>): string | null =>
  service.closedBy === 'time-limit' ? formatClosing(service, new Date()) : null;
