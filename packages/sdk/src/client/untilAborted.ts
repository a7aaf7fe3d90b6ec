/**
 * Settles with `work`, or rejects with the signal's reason as soon as it is aborted: a `fetch` in process need not watch
 * the signal by itself.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const leave = () => signal.removeEventListener('abort', abort);
    work.finally(leave).then(resolve, reject);
  });
}
