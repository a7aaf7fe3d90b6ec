/** How a command can end, and the exit code that says so. `docs/cli.md` prints this table. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'Done.' },
  failed: { code: 1, meaning: 'The command could not do its work.' },
  usage: { code: 2, meaning: 'Wrong usage: a flag, an argument or an answer that cannot be.' },
  disconnected: { code: 3, meaning: 'This host is not connected to a gateway.' },
  signedOut: { code: 4, meaning: 'Not signed in, or the gateway refused the sign-in.' },
  missing: { code: 5, meaning: 'What was asked for does not exist, or its name fits more than one.' },
  unreachable: { code: 6, meaning: 'The gateway cannot be reached, or something else answers at its address.' },
  interrupted: { code: 130, meaning: 'Interrupted, by Ctrl+C or a signal.' },
} as const;
export type Ending = keyof typeof EXIT_CODES;

/** Why a command could not do its work: one sentence, and what to do next. */
export class Failure extends Error {
  readonly ending: Exclude<Ending, 'done'>;
  /** One sentence; null when there is nothing to do. */
  readonly next: string | null;

  constructor(ending: Exclude<Ending, 'done'>, sentence: string, next: string | null = null, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'Failure';
    this.ending = ending;
    this.next = next;
  }
}
