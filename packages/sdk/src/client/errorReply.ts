import type { Problem } from '../contract/problem.ts';
import { ApiError, type ApiErrorKind } from './apiError.ts';

const MESSAGE_MAX_CHARS = 1000;

const kinds: Record<number, ApiErrorKind> = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'missing',
  409: 'conflict',
  410: 'missing',
  412: 'conflict',
  422: 'invalid',
  429: 'throttled',
};

const kindOf = (status: number): ApiErrorKind => kinds[status] ?? (status >= 500 ? 'server' : 'rejected');

// For replies without a message of their own: a proxy's HTML page, or the plain text of a limiter.
const fallbacks: Record<ApiErrorKind, string> = {
  invalid: 'Validation failed',
  rejected: 'Unknown Error',
  unauthorized: 'Sign in first',
  throttled: 'Too many attempts, try again later',
  missing: 'Not found',
  conflict: 'It was changed by someone else meanwhile; load it again',
  server: 'The gateway failed to answer; try again, then look into its log',
  unreachable: 'The gateway cannot be reached',
  untrusted: "The gateway's certificate is not trusted",
  mismatch: 'The reply is not what the contract says',
};

const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value.slice(0, MESSAGE_MAX_CHARS) : null;

/** `errors.body`, `errors.query` and `errors.params` as one list; entries of another shape are left out. */
function problemsIn(errors: unknown): Problem[] {
  const { body, query, params } = objectOf(errors);
  return [body, query, params]
    .flatMap((segment): unknown[] => (Array.isArray(segment) ? segment : []))
    .flatMap((entry) => {
      const { field, message } = objectOf(entry);
      return typeof field === 'string' && typeof message === 'string' ? [{ field, message }] : [];
    });
}

/** `Retry-After` in seconds, given as seconds or as a date. */
function retryAfterSeconds(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : null;
}

/** What `jsonOf` makes of a text that is not JSON. */
export const NOT_JSON = Symbol('not JSON');

/** The value of a JSON text; undefined when there is none. */
export function jsonOf(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return NOT_JSON;
  }
}

const TOKEN_REFUSED = 'The gateway does not accept the token any more; sign in again';

/**
 * The error that a reply with a status of 400 or more stands for. Its body may be anything.
 * @param hadToken whether the request had a token
 */
export function errorOfReply(status: number, headers: Headers, body: unknown, hadToken = false): ApiError {
  const kind = kindOf(status);
  const { message, errors, requestId } = objectOf(body);
  const tokenRefused = kind === 'unauthorized' && hadToken;
  return new ApiError(kind, textOf(message) ?? (tokenRefused ? TOKEN_REFUSED : fallbacks[kind]), {
    status,
    tokenRefused,
    problems: kind === 'invalid' ? problemsIn(errors) : [],
    requestId: textOf(requestId) ?? textOf(headers.get('x-request-id')),
    retryAfterSeconds: retryAfterSeconds(headers.get('retry-after')),
  });
}
