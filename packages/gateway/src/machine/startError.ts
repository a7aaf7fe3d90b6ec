/** A condition under which the gateway cannot start. Its message is a sentence that tells what to do next. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
