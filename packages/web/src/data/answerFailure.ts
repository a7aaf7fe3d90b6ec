import { ApiError } from '@sallyport/sdk';
import { toasts } from '../state/toasts.ts';

/**
 * What the console does about a failed call (specification section 8): a refused request is told in a toast, a refused
 * token signs out, wrong fields are the form's business, everything else goes to the browser's console. With `tell`
 * the latter is a toast too, because what the administrator has just asked for did not happen.
 */
export function answerFailure(error: unknown, { signOut, tell }: { signOut: () => void; tell: boolean }): void {
  if (!(error instanceof ApiError)) {
    globalThis.reportError(error);
    return;
  }
  switch (error.kind) {
    case 'rejected':
      toasts.show(error.message || 'Unknown Error', 'error');
      return;
    case 'unauthorized':
    case 'throttled':
      signOut();
      return;
    case 'invalid':
      return;
    default:
      globalThis.reportError(error);
      if (tell) toasts.show(error.message || 'Unknown Error', 'error');
  }
}
