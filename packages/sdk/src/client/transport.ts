import { type CallEndpoint, type Endpoint, IDEMPOTENCY_HEADER, isRepeatable } from '../contract/endpoint.ts';
import { type Problem, check } from '../contract/problem.ts';
import { ApiError } from './apiError.ts';
import { TooLargeError, boundedText } from './boundedBody.ts';
import { errorOfReply } from './errorReply.ts';
import { newIdempotencyKey, RETRY_DELAYS_MS, untilReplied } from './lostReply.ts';
import { type AnyInput, baseUrlOf, requestUrl } from './requestUrl.ts';
import { untilAborted } from './untilAborted.ts';

/** How long a call may take unless the client or the call says otherwise; streams have no such limit. */
export const CALL_TIMEOUT_MS = 30_000;

/** The largest reply to a call that is read, and the largest file, unless the client says otherwise. */
export const REPLY_MAX_BYTES = 64_000_000;
export const DOWNLOAD_MAX_BYTES = 1_000_000_000;
/** A refusal is a sentence or a few. */
const REFUSAL_MAX_BYTES = 1_000_000;

/** The bearer token, or where to get it at the time of each request; null: none. */
export type TokenSource = string | null | (() => string | null);

/** The request that a proof is for. */
export type ProvedRequest = {
  method: string;
  url: string;
  token: string;
  /** When the gateway has just refused a proof: what its clock says, for a caller whose own clock is wrong. */
  gatewayTime: Date | null;
};

/**
 * Makes the header `DPoP` of a request (RFC 9449): the proof that the caller has the key that the token was issued to,
 * see `publicKey` of `session.login`. Asked once for each request, streams and downloads included, and once more when
 * the gateway refuses the proof. Null: the token needs none.
 */
export type ProofSource = (request: ProvedRequest) => Promise<string | null>;

/** Where the gateway is, and how requests get there. */
export type TransportOptions = {
  /** The gateway's address, e.g. `https://gateway.example:9443`; in a browser `''` is the page's own origin. */
  baseUrl: string;
  token?: TokenSource | undefined;
  /** For a token that was issued to a key. */
  proof?: ProofSource | undefined;
  /** What carries the requests: the platform's `fetch` unless given. A gateway in the same process can stand here. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Milliseconds that one call may take, 30 000 unless given; null: no limit. */
  timeoutMs?: number | null | undefined;
  /** The largest reply to a call that is read, 64 MB unless given. A larger one is a `mismatch`. */
  replyMaxBytes?: number | undefined;
  /** The largest file that is downloaded, 1 GB unless given. */
  downloadMaxBytes?: number | undefined;
  /**
   * After how many milliseconds a write is sent again whose reply was lost, once for each figure; 300, 900 and 2700
   * unless given. It is not carried out twice: each write has an idempotency key.
   */
  retryDelaysMs?: readonly number[] | undefined;
};

/** What may be said about one call. */
export type CallOptions = {
  /** Ends the call at once; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Refuses the write (kind `conflict`) unless the thing still has this `version`. */
  ifMatch?: number | undefined;
  /** The key of a write that was made before and whose reply was lost; by default each write has a new one. */
  idempotencyKey?: string | undefined;
  /** Milliseconds that this call may take; null: no limit. */
  timeoutMs?: number | null | undefined;
};

/** As much of an endpoint as sending needs. */
export type RawEndpoint = Pick<CallEndpoint, 'kind' | 'method' | 'path' | 'params'>;

/** One request, before it is sent. */
export type Outgoing = {
  name: string;
  endpoint: Endpoint | RawEndpoint;
  input: AnyInput;
  headers: Record<string, string>;
};

/** The way to one gateway. */
export type Transport = ReturnType<typeof createTransport>;

/** A reply that the contract does not allow. Only where it differs is told, never what it carries. */
export const mismatch = (name: string, detail: string, status: number | null = null) =>
  new ApiError('mismatch', `The reply to ${name} is not what the contract says: ${detail}`, { status });

/** Where a value differs from its schema: the first field, never its value. */
export const differenceIn = (problems: readonly Problem[]) =>
  problems[0]?.field ? `it differs at "${problems[0].field}"` : 'it has another shape';

const seconds = (ms: number) => `${ms / 1000} s`;

/** The caller's signal and a time limit as one signal; `end` lets go of both. */
function deadline(caller: AbortSignal | undefined, timeoutMs: number | null, onTimeout: () => ApiError) {
  const controller = new AbortController();
  const follow = () => controller.abort(caller?.reason);
  if (caller?.aborted) follow();
  caller?.addEventListener('abort', follow, { once: true });
  const timer = timeoutMs === null ? undefined : setTimeout(() => controller.abort(onTimeout()), timeoutMs);
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
      caller?.removeEventListener('abort', follow);
    },
  };
}

/** Everything that goes over the wire passes here. */
export function createTransport(options: TransportOptions) {
  const base = baseUrlOf(options.baseUrl);
  const carrier = options.fetch ?? ((request: Request) => globalThis.fetch(request));

  const unreachable = (what: string, cause?: unknown) =>
    new ApiError('unreachable', `${what} (${base.origin})`, { cause });

  const token = () => (typeof options.token === 'function' ? options.token() : options.token) || null;

  /** What says who is calling. */
  async function authorization(method: string, url: string, gatewayTime: Date | null): Promise<Record<string, string>> {
    const value = token();
    if (value === null) return {};
    // The platform would name the value in its own complaint about a header.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw new ApiError('unauthorized', 'The token contains characters that no token has');
    }
    const proof = (await options.proof?.({ method, url, token: value, gatewayTime })) ?? null;
    return { authorization: `Bearer ${value}`, ...(proof !== null && { dpop: proof }) };
  }

  /** Sends a request and hands out the reply, its body unread; throws for every status but 2xx. */
  async function send({ name, endpoint, input, headers }: Outgoing, signal: AbortSignal): Promise<Response> {
    const url = requestUrl(base, endpoint, input);
    const hasBody = input.body !== undefined;
    const carry = async (gatewayTime: Date | null): Promise<Response> => {
      const own = await authorization(endpoint.method, url.href, gatewayTime);
      const request = new Request(url, {
        method: endpoint.method,
        headers: {
          accept: 'application/json',
          ...(hasBody && { 'content-type': 'application/json' }),
          ...headers,
          ...own,
        },
        ...(hasBody && { body: JSON.stringify(input.body) }),
        signal,
        credentials: 'include',
        // The API never redirects. Following one would carry a password or a new token to wherever it points.
        redirect: 'manual',
        cache: 'no-store',
      });
      return carrier(request);
    };
    let response: Response;
    try {
      response = await untilAborted(carry(null), signal);
      // The gateway has done nothing yet; a wrong clock, or a browser that sent the request twice, is no reason to fail.
      if (options.proof !== undefined && isProofRefused(response)) {
        response = await untilAborted(carry(timeOf(response)), signal);
      }
    } catch (error) {
      if (error instanceof ApiError) throw error;
      if (signal.aborted) throw signal.reason;
      throw unreachable('The gateway cannot be reached', error);
    }
    if (response.ok) return response;
    if (response.status >= 400) {
      throw errorOfReply(response.status, response.headers, await refusalText(name, response, signal));
    }
    const target = response.headers.get('location') ?? '';
    const hint = URL.canParse(target, url.href) ? `; is ${new URL(target, url.href).origin} the right address?` : '';
    throw mismatch(name, `it redirects${hint}`, response.status || null);
  }

  /** What reading a reply's body failed with, as callers are told. */
  function unread(name: string, status: number, error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof TooLargeError) return mismatch(name, error.message, status);
    return unreachable("The gateway's reply broke off", error);
  }

  /** The text of a reply's body. */
  const readText = (name: string, response: Response, signal: AbortSignal): Promise<string> =>
    boundedText(response, options.replyMaxBytes ?? REPLY_MAX_BYTES, signal).catch((error: unknown) => {
      throw unread(name, response.status, error, signal);
    });

  /** The same of a refusal, whose status says enough where its text has no end. */
  const refusalText = (name: string, response: Response, signal: AbortSignal): Promise<string> =>
    boundedText(response, REFUSAL_MAX_BYTES, signal).catch((error: unknown) => {
      if (error instanceof TooLargeError) return '';
      throw unread(name, response.status, error, signal);
    });

  /** Sends a request, and reads its reply with `read`, within the time limit. */
  async function exchange<T>(
    outgoing: Outgoing,
    { signal: caller, ifMatch, idempotencyKey, timeoutMs = options.timeoutMs }: CallOptions,
    read: (response: Response, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limitMs = timeoutMs === undefined ? CALL_TIMEOUT_MS : timeoutMs;
    const { signal, end } = deadline(caller, limitMs, () =>
      unreachable(`The gateway did not answer within ${seconds(limitMs ?? 0)}`),
    );
    const isWrite = isRepeatable({ access: 'any', ...outgoing.endpoint });
    const headers = {
      ...outgoing.headers,
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      ...(isWrite && { [IDEMPOTENCY_HEADER]: idempotencyKey ?? newIdempotencyKey() }),
    };
    const exchanged = async () => read(await send({ ...outgoing, headers }, signal), signal);
    try {
      return await (isWrite ? untilReplied(options.retryDelaysMs ?? RETRY_DELAYS_MS, signal, exchanged) : exchanged());
    } finally {
      end();
    }
  }

  /** A call with a JSON reply, checked against the contract. */
  const call = (outgoing: Outgoing & { endpoint: CallEndpoint }, callOptions: CallOptions): Promise<unknown> =>
    exchange(outgoing, callOptions, async (response, signal) =>
      replyOf(outgoing, response.status, await readText(outgoing.name, response, signal)),
    );

  const downloadMaxBytes = options.downloadMaxBytes ?? DOWNLOAD_MAX_BYTES;
  return { send, exchange, call, unreachable, unread, token, downloadMaxBytes };
}

const isProofRefused = ({ status, headers }: Response): boolean =>
  status === 401 && /^dpop\b.*\binvalid_dpop_proof\b/i.test(headers.get('www-authenticate') ?? '');

/** The gateway's clock at the time of a reply; null when it does not say. */
function timeOf({ headers }: Response): Date | null {
  const time = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(time) ? null : new Date(time);
}

/** Reads the JSON of a reply strictly: a truncated reply or an HTML page is a mismatch, not a string. */
function replyOf({ name, endpoint }: { name: string; endpoint: CallEndpoint }, status: number, text: string): unknown {
  let value: unknown = null;
  try {
    if (text !== '') value = JSON.parse(text);
  } catch {
    throw mismatch(name, 'it is not JSON', status);
  }
  const checked = check(endpoint.reply, value);
  if (checked.ok) return checked.value;
  if (text === '' && endpoint.method !== 'GET' && !bringsToken(endpoint)) return replyWithoutBody(endpoint);
  // Wiredoor answers 204 for a thing that does not exist.
  if (status === 204 && endpoint.method === 'GET') throw new ApiError('missing', 'Not found', { status });
  throw mismatch(name, differenceIn(checked.problems), status);
}

/** A write whose reply is the only place where a secret is told has not succeeded without it. */
const bringsToken = ({ reply }: CallEndpoint): boolean =>
  'shape' in reply && typeof reply.shape === 'object' && reply.shape !== null && 'token' in reply.shape;

/** A write that was answered with success and nothing else has succeeded; what became of the thing, a read tells. */
function replyWithoutBody({ reply }: CallEndpoint): unknown {
  const text = check(reply, '');
  return text.ok ? text.value : null;
}
