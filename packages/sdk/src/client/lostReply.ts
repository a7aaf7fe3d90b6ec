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

/** Waits, and rejects with the signal's reason when it is aborted meanwhile. */
const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });

/**
 * Sends a write again, under the same key, for as long as its reply is lost. The first try is enough where nothing was
 * sent: there is no reply that could have been lost.
 */
export async function untilReplied<T>(
  delaysMs: readonly number[],
  signal: AbortSignal,
  send: () => Promise<T>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await send();
    } catch (error) {
      const delayMs = delaysMs[tries];
      if (signal.aborted || delayMs === undefined || !isReplyLost(error)) throw error;
      if (tries === 0 && isUnsent(error)) throw error;
      await pause(delayMs, signal);
    }
  }
}
