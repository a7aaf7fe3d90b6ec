import { ApiError } from './apiError.ts';

/** How long a write waits before it is sent again whose reply was lost, in milliseconds; as often as there are figures. */
export const RETRY_DELAYS_MS: readonly number[] = [300, 900, 2700];

/** What proxies answer when the gateway behind them did not. */
const OF_A_PROXY = [502, 504];

/** A key for one write: 122 random bits, also where the page is not of a secure origin. */
export function newIdempotencyKey(): string {
  const { crypto } = globalThis;
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Whether a write may have been carried out although there is no answer to it: the gateway's own ones have a number. */
export const isReplyLost = (error: unknown): boolean =>
  error instanceof ApiError &&
  (error.kind === 'unreachable' || (OF_A_PROXY.includes(error.status ?? 0) && error.requestId === null));

/** Whether nothing has left this machine. Browsers do not say so. */
function isUnsent(error: unknown): boolean {
  let cause: unknown = error;
  while (cause instanceof Error) {
    if ('code' in cause && ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'].includes(String(cause.code))) return true;
    cause = cause.cause;
  }
  return false;
}

/**
 * Whether a request that failed is sent again: a write under its key when its reply is lost, a read also where a proxy
 * says 503. The first try is enough where nothing was sent: there is no reply that could have been lost.
 */
export const mayRepeat = (error: ApiError, method: string, isFirst: boolean): boolean =>
  (isReplyLost(error) || (method === 'GET' && error.status === 503 && error.requestId === null)) &&
  !(isFirst && isUnsent(error));
