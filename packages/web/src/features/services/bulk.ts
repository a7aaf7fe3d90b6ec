import type { BulkAction, BulkInput, ListedService } from '@sallyport/sdk/contract';

/** A service to which it was not done, and why. */
export type Refusal = { service: ListedService; status: number; message: string | null };

/** `14 services`. */
export const services = (count: number): string => `${count} ${count === 1 ? 'service' : 'services'}`;

const DONE: Record<BulkAction, string> = {
  enable: 'enabled',
  disable: 'disabled',
  tag: 'tagged',
  limit: 'limited',
  remove: 'deleted',
};

/** What is done to each by it: "disabled". */
export const doneTo = ({ action, ttl }: Pick<BulkInput, 'action' | 'ttl'>): string =>
  action === 'limit' && ttl === null ? 'freed of a time limit' : DONE[action];

/** `14 services disabled.` */
export const countOf = (wish: Pick<BulkInput, 'action' | 'ttl'>, count: number): string =>
  `${services(count)} ${doneTo(wish)}.`;

/** While it is done. */
export const DOING: Record<BulkAction, string> = {
  enable: 'Enabling',
  disable: 'Disabling',
  tag: 'Tagging',
  limit: 'Limiting',
  remove: 'Deleting',
};
