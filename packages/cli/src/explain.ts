import { type ApiError, isApiError } from '@sallyport/sdk';
import { DOMAIN_UNVERIFIED } from '@sallyport/sdk/contract';
import { codesOf, type Ending, Failure, isNotHttp, isUnsigned, problemText, sentence } from './failure.ts';

/** The one table from what the SDK throws to how the command ends. Without `next` the error's own sentence says it all. */
const BY_KIND: Record<ApiError['kind'], { ending: Exclude<Ending, 'done'>; next: string | null }> = {
  // What the schema refuses was told before the gateway was asked; the rest is about what else there is.
  invalid: { ending: 'usage', next: 'Give another value and run the command again; --help says what may be given.' },
  rejected: { ending: 'failed', next: null },
  unauthorized: { ending: 'signedOut', next: 'Sign in with `sallyport login --operator`.' },
  throttled: { ending: 'signedOut', next: null },
  missing: { ending: 'missing', next: 'List what there is, e.g. with `sallyport node list`.' },
  conflict: { ending: 'failed', next: 'Run the command again.' },
  server: { ending: 'failed', next: null },
  unreachable: { ending: 'unreachable', next: 'Check the address, and that the gateway runs.' },
  untrusted: { ending: 'unreachable', next: 'Have its certificate renewed.' },
  mismatch: {
    ending: 'unreachable',
    next: 'Check the address; it may also be that the gateway and sallyport differ in version.',
  },
};

/**
 * Says in a sentence what was caught, and what to do next. Null: no one reads the output any more, which is no failure.
 * `signal` is the run's: when it was aborted, that is the reason of whatever was thrown after.
 */
export function explain(error: unknown, signal: AbortSignal): Failure | null {
  const cause: unknown = signal.aborted ? signal.reason : error;
  if (isBrokenPipe(cause)) return null;
  if (isFailedWrite(cause)) {
    const text = `The output could not be written (${cause.code}).`;
    return new Failure('failed', text, 'Write it elsewhere or free some space.', { cause });
  }
  if (signal.aborted) return new Failure('interrupted', 'Interrupted.');
  if (error instanceof Failure) return error;
  if (isApiError(error)) return ofApi(error);
  const text = error instanceof Error ? error.message : String(error);
  return new Failure('failed', sentence(text), null, { cause: error });
}

/** What was read first is not so any more (HTTP 412). */
const CHANGED_MEANWHILE = {
  text: 'It was changed by someone else in the meantime, so nothing was done.',
  next: 'Look at it again, and repeat the command if you still mean it.',
};

function ofApi(error: ApiError): Failure {
  if (error.status === 412) {
    return new Failure('failed', CHANGED_MEANWHILE.text, CHANGED_MEANWHILE.next, { cause: error });
  }
  const { ending, next } = BY_KIND[error.kind];
  const reason = error.problems.length > 0 ? problemsOf(error) : messageOf(error);
  const text = sentence(`${reason}${detailsOf(error)}`);
  return new Failure(ending, text, STEPS.find(([isIt]) => isIt(error))?.[1] ?? next, { cause: error });
}

/** The SDK names a setting of Node; here there is `--pin`. How to sign in again is said next. */
const messageOf = ({ kind, message }: ApiError): string =>
  kind === 'untrusted' ? "The gateway's certificate is not trusted" : message.replace(/ Sign in again\.$/, '');

/** The gateway's wording for a value that another object has, which names the fields once more. */
export const isTaken = (message: string): boolean => message.startsWith('Record already exists');
const TAKEN = 'another one has this value already';

/** What is wrong with which fields; what is wrong with several of them in the same words is said once. */
function problemsOf({ problems }: ApiError): string {
  const fieldsOf = Map.groupBy(problems, ({ message }) => (isTaken(message) ? TAKEN : message));
  return Array.from(fieldsOf, ([message, of]) => {
    const fields = of.map(({ field }) => field).join(', ');
    return of.length === 1 ? problemText(fields, message) : `${fields}: ${message}`;
  }).join('; ');
}

function detailsOf({ kind, requestId, retryAfterSeconds }: ApiError): string {
  const wait = retryAfterSeconds === null ? '' : ` (in ${retryAfterSeconds} s)`;
  // A refusal says itself what is wrong; what failed is told in the log.
  return kind === 'server' && requestId !== null ? `${wait} (request ${requestId} in the gateway's log)` : wait;
}

const hasCode = (pattern: RegExp) => (error: unknown) => codesOf(error).some((code) => pattern.test(code));

/** Whether a domain was refused because its name was checked in vain. */
const isUnverified = (error: unknown): boolean =>
  isApiError(error, 'invalid') && error.problems.some(({ message }) => message.startsWith(DOMAIN_UNVERIFIED));

/**
 * What to do about a certificate that is not trusted, a server that speaks something else than its address says, or a name
 * that could not be verified.
 */
const STEPS: readonly (readonly [isIt: (error: unknown) => boolean, next: string])[] = [
  [
    isUnsigned,
    'Its certificate is not signed by an authority that this machine trusts; if it is your gateway, sign in with --pin and the fingerprint that the gateway prints when it starts.',
  ],
  [
    hasCode(/^ERR_TLS_CERT_ALTNAME_INVALID$/),
    'Its certificate is for another name; use that name, or --pin and the fingerprint that the gateway prints when it starts.',
  ],
  [hasCode(/^CERT_HAS_EXPIRED$/), 'Its certificate has expired; renew it.'],
  [
    hasCode(/^PIN_MISMATCH$/),
    'Its certificate is not the one that was pinned; if the gateway really has a new one, sign in again with --pin.',
  ],
  [
    hasCode(/^ERR_SSL_(WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST)$/),
    'What answers there does not speak HTTPS; check the address and its port.',
  ],
  [
    isNotHttp,
    'What answers there does not speak HTTP; check the address and its port, and whether it begins with https.',
  ],
  [isUnverified, '`--skip-validation` saves the domain without this check, with a self-signed certificate.'],
];

/** Whether the reader of standard output went away, as `head` does. */
const isBrokenPipe = hasCode(/^(?:EPIPE|ERR_STREAM_DESTROYED)$/);

/** Whether an output could not be written, as on a full disk. */
const isFailedWrite = (error: unknown): error is Error & { code: string } =>
  error instanceof Error && 'syscall' in error && error.syscall === 'write' && 'code' in error;
