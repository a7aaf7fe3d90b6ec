import { toasts } from '../state/toasts.ts';

/** So long a call may take before it is told that the console waits. */
const PATIENCE_MS = 4000;
/** Longer than any call lasts: the toast is closed when the last one that is late is answered. */
const TOLD_MS = 600_000;

const WAITING = 'Still waiting for the gateway.';
const MANY_WINDOWS =
  'Over plain HTTP a browser has six connections to it, for all windows together: close those of this console that you do not need.';

type Fetch = (request: Request) => Promise<Response>;

/** Sends requests, and tells when a call has to wait: the gateway may be busy, or the browser has no connection left for it. */
export function tellOfWaits(fetch: Fetch): Fetch {
  let late = 0;
  let toast = 0;
  return async (request) => {
    if (request.headers.get('accept')?.startsWith('text/event-stream')) return await fetch(request);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      late += 1;
      if (late > 1) return;
      toast = toasts.show(location.protocol === 'http:' ? `${WAITING} ${MANY_WINDOWS}` : WAITING, 'info', TOLD_MS);
    }, PATIENCE_MS);
    try {
      return await fetch(request);
    } finally {
      clearTimeout(timer);
      if (isLate) late -= 1;
      if (isLate && late === 0) toasts.close(toast);
    }
  };
}
