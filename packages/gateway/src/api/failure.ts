import { check, message, type Problem, type Right, type Segment } from '@sallyport/sdk/contract';
import type { Verdict } from '@sallyport/sdk/rules';

/** A refusal with everything that its reply says. Only these reach a client as they are. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: 400 | 401 | 403 | 404 | 409 | 412 | 413 | 422 | 429 | 503 | 507;
  readonly errors: Partial<Record<Segment, Problem[]>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** The header `WWW-Authenticate`. */
  readonly challenge: string | undefined;

  constructor(
    status: Failure['status'],
    reason: string,
    more: { errors?: Failure['errors']; retryAfterSeconds?: number; challenge?: string } = {},
  ) {
    super(reason);
    this.status = status;
    this.errors = more.errors;
    this.retryAfterSeconds = more.retryAfterSeconds;
    this.challenge = more.challenge;
  }
}

const LOGGED_PROBLEMS = 10;
const LOGGED_PROBLEM_CHARS = 200;

/** Why a request was refused, for the log: with the fields that are wrong, whose names a caller may have made up, and no values. */
export function loggedReason({ message: reason, errors = {} }: Failure): string {
  const all = Object.entries(errors).flatMap(([segment, problems]) =>
    problems.map((problem) => {
      const field = segment === 'body' ? problem.field : `${segment} ${problem.field}`;
      return `${field}: ${problem.message}`.slice(0, LOGGED_PROBLEM_CHARS).replaceAll(/[^\u0020-\u007e]/g, '?');
    }),
  );
  const rest = all.length - LOGGED_PROBLEMS;
  const logged = [...all.slice(0, LOGGED_PROBLEMS), ...(rest > 0 ? [`and ${rest} more`] : [])];
  return logged.length === 0 ? reason : `${reason}: ${logged.join('; ')}`;
}

/** The refusals by their reason; the kinds are those of the SDK's `ApiError`. */
export const failure = {
  /** 422: fields are wrong. */
  invalid: (problems: Problem[], segment: Segment = 'body') =>
    new Failure(422, 'Validation failed', { errors: { [segment]: problems } }),
  /** 400: an allowed caller asks for something that cannot be; the message is shown as it is. */
  rejected: (reason: string) => new Failure(400, reason),
  notFound: (
    what:
      | 'Node not found!'
      | 'Domain not found!'
      | 'Service not found'
      | 'Access token not found'
      | 'Join key not found'
      | 'API token not found'
      | 'Session not found'
      | 'Not found',
  ) => new Failure(404, what),
  /** 412: the object was changed since. */
  stale: () =>
    new Failure(412, 'It was changed by someone else in the meantime. Load it again and repeat your change.'),
  /** 409: the key of a request that is repeated belongs to another one. */
  keyReused: () =>
    new Failure(409, 'This Idempotency-Key belongs to another request. Send this one with a key of its own.'),
  /** 409: what a repeated request made or changed is not there any more. */
  doneAndGone: () =>
    new Failure(409, 'This request was carried out before, and what it concerns has been deleted since.'),
  /** 409: the access token that a repeated request made is in use. */
  doneAndUsed: () =>
    new Failure(
      409,
      'This request was carried out before, and its access token has been used, revoked or deleted since. Create another access token.',
    ),
  badCredentials: () => new Failure(401, 'Invalid Credentials'),
  unauthorized: (reason = 'Sign in first') => new Failure(401, reason),
  /** 401: the token belongs to a key, and nothing shows that the caller has it (RFC 9449). */
  unproved: () =>
    new Failure(401, 'This token works only with a new proof of its key for each request (header DPoP, RFC 9449)', {
      challenge: 'DPoP error="invalid_dpop_proof", algs="ES256"',
    }),
  /** 403: the administrator has disconnected the node of the token. */
  disconnected: () => new Failure(403, 'This node is disconnected. The administrator can connect it again.'),
  forbidden: () => new Failure(403, 'This token is not allowed to do this'),
  /** 403: what an API token would need; null: no API token may do it. */
  outOfScope: (right: Right | null) =>
    new Failure(
      403,
      right === null
        ? 'An API token is not allowed to do this. Sign in as the administrator.'
        : `This API token is not allowed to do this: its scope needs "${right}".`,
    ),
  /** 403: an API token that is limited to some nodes asks for something that is not theirs. */
  limitedToNodes: () => new Failure(403, 'This API token is limited to some nodes, and is not allowed to do this.'),
  tooLarge: (mostBytes: number) => new Failure(413, `The body is larger than ${mostBytes / 1000} kB`),
  /** 429: a node's tokens have as many streams open as they may. */
  tooManyStreams: (most: number) =>
    new Failure(429, `This node has ${most} streams open, and may not have more. End one of them first.`, {
      retryAfterSeconds: 60,
    }),
  /** 429: a node's tokens change too much. */
  tooManyWrites: (retryAfterSeconds: number) =>
    new Failure(429, `This node makes changes too quickly. Try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    }),
  /** 429: a node's tokens read too much. */
  tooManyReads: (retryAfterSeconds: number) =>
    new Failure(429, `This node asks for too much. Try again in ${retryAfterSeconds} s.`, { retryAfterSeconds }),
  /** 429: a node's tokens open too many streams, however soon they end them. */
  tooManyOpenings: (retryAfterSeconds: number) =>
    new Failure(429, `This node opens streams too quickly. Try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    }),
  /** 429: a node's tokens have as many calls of a kind under way as they may. */
  tooManyUnderWay: (what: string) => (most: number) =>
    new Failure(429, `This node has ${most} ${what} under way, and may not have more. Wait until one of them ends.`, {
      retryAfterSeconds: 1,
    }),
  /** 429: too many changes of a node's tokens are refused. */
  tooManyRefusals: (retryAfterSeconds: number) =>
    new Failure(429, `Too many changes of this node are refused. Try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    }),
  throttled: (retryAfterSeconds: number) =>
    new Failure(429, 'Too many attempts, try again later', { retryAfterSeconds }),
  /** 503: nothing can be answered until it is repaired; the message is shown as it is. */
  unavailable: (reason: string) => new Failure(503, reason),
  /** 507: it could not be saved; the message is shown as it is. */
  unsaved: (reason: string) => new Failure(507, reason),
};

/** The wording for a value that another object has already. */
export const takenMessage = (...columns: readonly string[]): string =>
  `Record already exists with the same value in ${columns.join(', ')}`;

/** Fails with 422 when there is a problem. */
export function refuseProblems(problems: readonly (Problem | null | false | undefined)[]): void {
  const found = problems.filter((problem) => problem !== null && problem !== false && problem !== undefined);
  if (found.length > 0) throw failure.invalid(found);
}

/** Fails with 400 and the rule's reason when the rule says no. */
export function requireAllowed(verdict: Verdict): void {
  if (!verdict.allowed) throw failure.rejected(verdict.reason);
}

/** Fails with 412 when the caller's change is based on another version. */
export function requireVersion(row: { version: number }, { ifMatch }: { ifMatch: number | null }): void {
  if (ifMatch !== null && ifMatch !== row.version) throw failure.stale();
}

/** Fails with 422 when the body names another object than the path. */
export function requireSameId(bodyId: number | undefined, pathId: number): void {
  if (bodyId !== undefined && bodyId !== pathId) {
    throw failure.invalid([{ field: 'id', message: message.oneOf([String(pathId)]) }]);
  }
}

/** The value as its schema of the contract understands it; 422 when it does not. */
export function checked<S extends Parameters<typeof check>[0]>(schema: S, value: unknown) {
  const result = check(schema, value);
  if (!result.ok) throw failure.invalid(result.problems);
  return result.value;
}
