import type { Problem, Segment } from '@sallyport/sdk/contract';

/** A refusal with everything that its reply says. Only these reach a client as they are. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly status: 400 | 401 | 403 | 404 | 409 | 412 | 413 | 422 | 429 | 507;
  readonly errors: Partial<Record<Segment, Problem[]>> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    status: Failure['status'],
    message: string,
    more: { errors?: Failure['errors']; retryAfterSeconds?: number } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = more.errors;
    this.retryAfterSeconds = more.retryAfterSeconds;
  }
}

/** The refusals by their reason; the kinds are those of the SDK's `ApiError`. */
export const failure = {
  /** 422: fields are wrong. */
  invalid: (problems: Problem[], segment: Segment = 'body') =>
    new Failure(422, 'Validation failed', { errors: { [segment]: problems } }),
  /** 400: an allowed caller asks for something that cannot be; the message is shown as it is. */
  rejected: (message: string) => new Failure(400, message),
  notFound: (
    what: 'Node not found!' | 'Domain not found!' | 'Service not found' | 'Access token not found' | 'Not found',
  ) => new Failure(404, what),
  /** 412: somebody else changed the object since. */
  stale: () =>
    new Failure(412, 'It was changed by somebody else in the meantime. Load it again and repeat your change.'),
  badCredentials: () => new Failure(401, 'Invalid Credentials'),
  unauthorized: () => new Failure(401, 'Sign in first'),
  forbidden: () => new Failure(403, 'This token is not allowed to do this'),
  tooLarge: () => new Failure(413, 'The body is larger than 1 MB'),
  throttled: (retryAfterSeconds: number) =>
    new Failure(429, 'Too many attempts, try again later', { retryAfterSeconds }),
  /** 507: it could not be saved; the message is shown as it is. */
  unsaved: (message: string) => new Failure(507, message),
};

/** The wording for a value that another object has already. */
export const takenMessage = (...columns: readonly string[]): string =>
  `Record already exists with the same value in ${columns.join(', ')}`;
