/**
 * Tells the browser's console of a failure. `reportError` would make an uncaught error of the
 * page out of it, which is what a fault of the console itself is.
 */
export function logFailure(error: unknown): void {
  console.error(error);
}
