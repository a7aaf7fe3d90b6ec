/** A condition under which the gateway cannot start. Its message is a sentence that tells what to do next. */
export class StartError extends Error {
  override readonly name: string = 'StartError';
}

/** A flag, an argument or an answer that cannot be. */
export class UsageError extends StartError {
  override readonly name = 'UsageError';
}

/** Someone pressed Ctrl+C when they were asked. */
export class InterruptedError extends StartError {
  override readonly name = 'InterruptedError';

  constructor() {
    super('Interrupted. Nothing was changed.');
  }
}
