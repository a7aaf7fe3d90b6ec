/** Progress goes to stderr, so that stdout carries nothing but a command's own output. */
export function say(sentence) {
  process.stderr.write(`sallyport: ${sentence}\n`);
}

/** What stops a script: the sentence is all that the person needs, so no stack is printed. */
export class Halt extends Error {}

/** Runs a script's main function: a Halt becomes one sentence and exit code 1, anything else a stack. */
export async function runMain(main) {
  try {
    await main();
  } catch (error) {
    if (error instanceof Halt) say(error.message);
    else process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
    process.exitCode = 1;
  }
}
