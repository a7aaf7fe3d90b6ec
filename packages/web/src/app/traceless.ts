/** Chromium's own; elsewhere it says nothing and does nothing. */
const errors: typeof Error & { stackTraceLimit?: number | undefined } = Error;
const before = errors.stackTraceLimit;

// As it begins, React makes errors that it knows itself by and that nobody reads. To say where each was made, the browser
// would read all of React a second time, which takes about as long as running it.
errors.stackTraceLimit = 0;

/** Has errors know again where they were made. Whoever imports this file calls it once React is there. */
export function withTraces(): void {
  errors.stackTraceLimit = before;
}
