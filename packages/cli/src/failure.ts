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

const UNSIGNED = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** An error and what lies under it. */
function chainOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 8; at = at.cause) chain.push(at);
  return chain;
}

/** The codes of an error and of what lies under it. */
export const codesOf = (error: unknown): string[] =>
  chainOf(error).flatMap((each) => ('code' in each && typeof each.code === 'string' ? [each.code] : []));

/** Whether what answered is not HTTP. Node's `fetch` says it by a name alone, its older client by a code. */
export const isNotHttp = (error: unknown): boolean =>
  chainOf(error).some(({ name }) => name === 'HTTPParserError') ||
  codesOf(error).some((code) => code.startsWith('HPE_'));

/** Whether a certificate was refused because no one whom this machine trusts has signed it. */
export const isUnsigned = (error: unknown): boolean => codesOf(error).some((code) => UNSIGNED.has(code));

/** Whether a certificate was refused that a user may yet trust by its fingerprint: unsigned, or for another name. */
export const isUntrusted = (error: unknown): boolean =>
  isUnsigned(error) || codesOf(error).includes('ERR_TLS_CERT_ALTNAME_INVALID');

/** The text with a full stop, where it does not end already. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`);

/** What the contract says of a field, with the name that the field has here in the place of "This field"; else behind the name. */
export const problemText = (name: string, message: string): string => {
  const named = message.replace(/^(This field|"[^"]*")/, () => name);
  return named === message ? `${name}: ${message}` : named;
};
