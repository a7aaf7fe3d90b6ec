import { ApiError } from '@sallyport/sdk';
import { toasts } from '../state/toasts.ts';
import { lookForUpdate } from '../state/consoleUpdate.ts';
import { logFailure } from '../state/logFailure.ts';

/**
 * What the console does about a failed call: a refused request is told in a toast, a refused
 * token signs out and is told on the login page, wrong fields are the form's business, everything else goes to the browser's console. With `tell`
 * the latter is a toast too, because what the administrator has just asked for did not happen.
 */
export function answerFailure(
  error: unknown,
  { signOut, tell }: { signOut: (why: string) => void; tell: boolean },
): void {
  if (!(error instanceof ApiError)) {
    logFailure(error);
    return;
  }
  // The form or the question that made the call shows both versions.
  if (error.status === 412) return;
  switch (error.kind) {
    case 'rejected':
      toasts.show(error.message || 'Unknown Error', 'error');
      return;
    case 'unauthorized':
    case 'throttled':
      signOut(error.message);
      return;
    case 'invalid':
      return;
    default:
      logFailure(error);
      void tellOther(error, tell);
  }
}

async function tellOther(error: ApiError, tell: boolean): Promise<void> {
  // Another build of the console may know what this reply means; that is told, or the page reloads.
  if (error.kind === 'mismatch' && (await lookForUpdate())) return;
  if (tell) toasts.show(error.message || 'Unknown Error', 'error');
}
