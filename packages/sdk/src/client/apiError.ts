import type { Problem } from '../contract/problem.ts';

/**
 * Everything that can go wrong with a call, as a closed set:
 *
 * | kind | when |
 * |---|---|
 * | `invalid` | 422, or an id that cannot be one: `problems` says which field and why |
 * | `rejected` | 400, 413 and other refusals: `message` is for the user |
 * | `unauthorized` | 401, 403: no token, or one that is not accepted: `tokenRefused` says which |
 * | `throttled` | 429: try again after `retryAfterSeconds` |
 * | `missing` | 404, 410: there is no such thing |
 * | `conflict` | 409, 412: someone else changed it meanwhile |
 * | `server` | 5xx: the gateway failed; `requestId` finds it in the gateway's log |
 * | `unreachable` | no reply, or one that broke off |
 * | `untrusted` | the gateway's certificate is not trusted: `message` says which setting helps (Node; browsers do not say) |
 * | `mismatch` | a reply that is not what the contract says; its content is never shown |
 */
export type ApiErrorKind =
  | 'invalid'
  | 'rejected'
  | 'unauthorized'
  | 'throttled'
  | 'missing'
  | 'conflict'
  | 'server'
  | 'unreachable'
  | 'untrusted'
  | 'mismatch';

type Details = {
  status?: number | null;
  problems?: readonly Problem[];
  requestId?: string | null;
  tokenRefused?: boolean;
  retryAfterSeconds?: number | null;
  cause?: unknown;
};

/** The one error that the client throws; only an abort by the caller throws something else (the abort's reason). */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly kind: ApiErrorKind;
  /** HTTP status; null when there was no reply. */
  readonly status: number | null;
  /** What is wrong with which field; empty unless the kind is `invalid`. */
  readonly problems: readonly Problem[];
  /** Number of the request in the gateway's log, when the gateway gave one. */
  readonly requestId: string | null;
  /** The gateway does not accept the token, or no longer. False where none was sent: sign in first. */
  readonly tokenRefused: boolean;
  /** Seconds to wait before the next try; null when the gateway did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(kind: ApiErrorKind, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.kind = kind;
    this.status = details.status ?? null;
    this.problems = details.problems ?? [];
    this.requestId = details.requestId ?? null;
    this.tokenRefused = details.tokenRefused ?? false;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
  }
}

/** Whether something that was caught is an `ApiError`, and of this kind if one is named. */
export const isApiError = (value: unknown, kind?: ApiErrorKind): value is ApiError =>
  value instanceof ApiError && (kind === undefined || value.kind === kind);

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

/** What Node calls a certificate that it does not accept, and what can be done about it. */
const REASONS: Record<string, string> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name; use one of its names in `baseUrl`',
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: "it is not valid yet; is this machine's clock right?",
};
const UNKNOWN_SIGNER = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_UNTRUSTED',
];
const EXTRA_CERTIFICATE =
  "no authority that is known here has signed it. If it is the gateway's own, start Node with NODE_EXTRA_CA_CERTS=FILE, its PEM file";

/** The error that stands for a failed connection whose reason is the certificate; null: it is another. Browsers do not say. */
export function untrusted(origin: string, error: unknown): ApiError | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = 'code' in cause ? String(cause.code) : '';
    const reason = UNKNOWN_SIGNER.includes(code) ? EXTRA_CERTIFICATE : REASONS[code];
    if (reason !== undefined) {
      return new ApiError('untrusted', `The certificate of ${origin} is not trusted: ${reason}`, { cause: error });
    }
  }
  return null;
}
