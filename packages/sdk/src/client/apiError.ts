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
 * | `conflict` | 409, 412: somebody else changed it meanwhile |
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
