import { createFetch, type FetchContext, FetchError, type FetchResponse } from 'ofetch';
import { type CallEndpoint, type Endpoint, IDEMPOTENCY_HEADER, isRepeatable } from '../contract/endpoint.ts';
import { check, type Problem } from '../contract/problem.ts';
import { ApiError, errorOfReply, jsonOf, NOT_JSON } from './apiError.ts';
import { boundedBytes, TooLargeError, untilAborted } from './body.ts';
import { mayRepeat, newIdempotencyKey, RETRY_DELAYS_MS } from './lostReply.ts';
import { type AnyInput, baseUrlOf, requestUrl } from './requestUrl.ts';

/** How long a call may take unless the client or the call says otherwise; streams have no such limit. */
export const CALL_TIMEOUT_MS = 30_000;

/** The largest reply to a call that is read, and the largest file, unless the client says otherwise. */
export const REPLY_MAX_BYTES = 64_000_000;
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
  /**
   * The largest reply to a call that is read, 64 MB unless given. A larger one is a `mismatch`. Null: there is no bound,
   * for a page that comes from the gateway itself.
   */
  replyMaxBytes?: number | null | undefined;
  /** The largest file that is downloaded, 64 MB unless given. */
  downloadMaxBytes?: number | undefined;
  /**
   * After how many milliseconds a write is sent again whose reply was lost, once for each figure; 300, 900 and 2700
   * unless given. It is not carried out twice: each write has an idempotency key. A read takes the first figure alone.
   */
  retryDelaysMs?: readonly number[] | undefined;
  /** How often a call is sent again whose reply was lost: a write three times and a read once, unless given; 0: never. */
  maxRetries?: number | undefined;
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
  /** How often this call is sent again when its reply is lost; 0: never. */
  maxRetries?: number | undefined;
};

/** What came with the reply to a call. */
export interface CallResponse<T> {
  /** The reply itself. */
  data: T;
  /** HTTP status. */
  status: number;
  /** Headers of the reply, as far as a browser shows them to a page of another origin. */
  headers: Headers;
  /** Number of the request in the gateway's log, when the gateway gave one. */
  requestId: string | null;
}

/** A call that was sent: a promise of its reply. */
export interface Call<T> extends Promise<T> {
  /** The reply together with its status, its headers and the number of the request. The request is not sent again. */
  withResponse(): Promise<CallResponse<T>>;
}

/** The promise of a reply, from that of a whole answer. */
export function callOf<T>(response: Promise<CallResponse<T>>): Call<T> {
  const data = response.then((whole) => whole.data);
  return Object.assign(data, {
    withResponse() {
      // One of the two promises has a reader, who hears of a failure.
      data.catch(() => undefined);
      return response;
    },
  });
}

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

/** How a request is sent, and its reply read. */
type Sending = {
  /** Milliseconds for all tries together, and for reading the reply. */
  timeoutMs?: number | null;
  /** How long to wait before each further try. */
  retryDelaysMs?: readonly number[];
  /** The reply is read before it is handed out, and is never larger than this; without it, its body is left to the caller. */
  maxBytes?: number | null;
  parseResponse?: (text: string) => unknown;
};

/** 401 asks for another proof; ofetch counts as 500 what had no reply. What is sent again of these, `mayRepeat` says. */
const RETRIED = [401, 500, 502, 503, 504];

/** What a failed connection means, where the platform says more than that it failed; null: nothing more. */
type Diagnosis = (origin: string, error: unknown) => ApiError | null;

/** Everything that goes over the wire passes here; this holds the only call of ofetch. */
export function createTransport(options: TransportOptions, diagnose?: Diagnosis) {
  const base = baseUrlOf(options.baseUrl);
  const carrier = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  const refusalMaxBytes = options.replyMaxBytes === null ? null : REFUSAL_MAX_BYTES;

  const unreachable = (what: string, cause?: unknown) =>
    new ApiError('unreachable', `${what} (${base.origin})`, { cause });

  const token = () => (typeof options.token === 'function' ? options.token() : options.token) || null;

  /** What says who is calling. */
  async function authorization(method: string, url: string, gatewayTime: Date | null): Promise<Record<string, string>> {
    const value = token();
    if (value === null) return {};
    // The platform would name the value in its own complaint about a header.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw new ApiError('unauthorized', 'The token contains characters that no token has', { tokenRefused: true });
    }
    const proof = (await options.proof?.({ method, url, token: value, gatewayTime })) ?? null;
    return { authorization: `Bearer ${value}`, ...(proof !== null && { dpop: proof }) };
  }

  /** A reply whose body has been read, so that ofetch's time limit and tries are for all of it. A refusal's status says enough. */
  async function whole(
    name: string,
    response: Response,
    maxBytes: number | null,
    signal: AbortSignal,
  ): Promise<Response> {
    if (response.body === null) return response;
    try {
      const bytes = await boundedBytes(response, maxBytes, signal);
      return new Response(bytes, response);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof TooLargeError)) throw unreachable("The gateway's reply broke off", error);
      if (response.ok) throw mismatch(name, error.message, response.status);
      return new Response('', response);
    }
  }

  /** Sends a request and hands out the reply; throws for every status but 2xx. */
  async function send(
    { name, endpoint, input, headers }: Outgoing,
    caller?: AbortSignal,
    { timeoutMs = null, retryDelaysMs = [], maxBytes, parseResponse }: Sending = {},
  ): Promise<FetchResponse<unknown>> {
    const { href } = requestUrl(base, endpoint, input);
    const endsAt = timeoutMs === null ? null : performance.now() + timeoutMs;
    let gatewayTime: Date | null | undefined;

    const request = createFetch({
      fetch: async (address, init) => {
        const signals = [caller, init?.signal].filter((given) => given !== undefined && given !== null);
        const signal = AbortSignal.any(signals);
        const response = await untilAborted(carrier(new Request(address, { ...init, signal })), signal);
        const limit = response.ok ? maxBytes : refusalMaxBytes;
        return limit === undefined ? response : whole(name, response, limit, signal);
      },
    });

    const fail = (context: FetchContext, error: ApiError) => {
      context.error = error;
      const isOver = caller?.aborted || context.options.signal?.aborted;
      const isFirst = context.options.retry === retryDelaysMs.length;
      if (isOver || !mayRepeat(error, endpoint.method, isFirst)) context.options.retry = false;
    };

    const work = request.raw(href, {
      method: endpoint.method,
      headers: { accept: 'application/json', ...headers },
      // ofetch would send a string or a number bare, and null not at all.
      ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
      credentials: 'include',
      // The API never redirects. Following one would carry a password or a new token to wherever it points.
      redirect: 'manual',
      cache: 'no-store',
      responseType: 'stream',
      ...(parseResponse && { parseResponse }),
      retry: retryDelaysMs.length,
      retryStatusCodes: RETRIED,
      retryDelay: ({ response, options: { retry } }) =>
        response?.status === 401 ? 0 : (retryDelaysMs.at(-Number(retry)) ?? 0),
      async onRequest({ options: attempt }) {
        caller?.throwIfAborted();
        // Of the try before, whose time ofetch has stopped.
        attempt.signal = null;
        if (endsAt !== null) attempt.timeout = Math.max(1, endsAt - performance.now());
        const own = await authorization(endpoint.method, href, gatewayTime ?? null);
        for (const [header, value] of Object.entries(own)) attempt.headers.set(header, value);
      },
      onRequestError(context) {
        const { error } = context;
        const isLate = context.options.signal?.aborted;
        if (isLate) fail(context, unreachable(`The gateway did not answer within ${(timeoutMs ?? 0) / 1000} s`));
        else if (error instanceof ApiError) fail(context, error);
        else fail(context, diagnose?.(base.origin, error) ?? unreachable('The gateway cannot be reached', error));
      },
      onResponse({ response: { ok, status, headers: said } }) {
        if (ok || status >= 400) return;
        const target = said.get('location') ?? '';
        const hint = URL.canParse(target, href) ? `; is ${new URL(target, href).origin} the right address?` : '';
        throw mismatch(name, `it redirects${hint}`, status || null);
      },
      async onResponseError(context) {
        const { response } = context;
        if (options.proof && gatewayTime === undefined && isProofRefused(response)) {
          // The gateway has done nothing yet; a wrong clock, or a browser that sent the request twice, is no reason to fail.
          gatewayTime = timeOf(response);
          context.options.retry = Number(context.options.retry) + 1;
          return;
        }
        const refusal = response.bodyUsed ? response._data : jsonOf(await response.text());
        fail(context, errorOfReply(response.status, response.headers, refusal, token() !== null));
      },
    });
    return untilAborted(work, caller).catch((error: unknown) => {
      // ofetch's own error refers to the request and its headers; only what lies under it is kept.
      throw error instanceof FetchError ? error.cause : error;
    });
  }

  /** Sends a request that ends, again where it may be. */
  function exchange(
    outgoing: Outgoing,
    { signal, ifMatch, idempotencyKey, timeoutMs = options.timeoutMs, maxRetries = options.maxRetries }: CallOptions,
    reading: Pick<Sending, 'maxBytes' | 'parseResponse'> = {},
  ): Promise<FetchResponse<unknown>> {
    const isWrite = isRepeatable({ access: 'any', ...outgoing.endpoint });
    const headers = {
      ...outgoing.headers,
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      ...(isWrite && { [IDEMPOTENCY_HEADER]: idempotencyKey ?? newIdempotencyKey() }),
    };
    const delaysMs = options.retryDelaysMs ?? RETRY_DELAYS_MS;
    const isRead = outgoing.endpoint.method === 'GET';
    const tries = isWrite || isRead ? (maxRetries ?? (isWrite ? delaysMs.length : 1)) : 0;
    const retryDelaysMs = Array.from({ length: tries }, (_, index) => delaysMs[index] ?? delaysMs.at(-1) ?? 0);
    const limitMs = timeoutMs === undefined ? CALL_TIMEOUT_MS : timeoutMs;
    return send({ ...outgoing, headers }, signal, { ...reading, timeoutMs: limitMs, retryDelaysMs });
  }

  /** A call with a JSON reply, checked against the contract. */
  async function call(
    outgoing: Outgoing & { endpoint: CallEndpoint },
    callOptions: CallOptions,
  ): Promise<CallResponse<unknown>> {
    const { replyMaxBytes: maxBytes = REPLY_MAX_BYTES } = options;
    const reading = { maxBytes, parseResponse: jsonOf };
    const { status, headers, _data } = await exchange(outgoing, callOptions, reading);
    return { data: replyOf(outgoing, status, _data), status, headers, requestId: headers.get('x-request-id') };
  }

  const downloadMaxBytes = options.downloadMaxBytes ?? REPLY_MAX_BYTES;
  return { send, exchange, call, unreachable, token, downloadMaxBytes };
}

const isProofRefused = ({ status, headers }: Response): boolean =>
  status === 401 && /^dpop\b.*\binvalid_dpop_proof\b/i.test(headers.get('www-authenticate') ?? '');

/** The gateway's clock at the time of a reply; null when it does not say. */
function timeOf({ headers }: Response): Date | null {
  const time = Date.parse(headers.get('date') ?? '');
  return Number.isNaN(time) ? null : new Date(time);
}

/** Checks a reply strictly: a truncated one or an HTML page is a mismatch, not a string. `value` is undefined without a body. */
function replyOf(
  { name, endpoint }: { name: string; endpoint: CallEndpoint },
  status: number,
  value: unknown,
): unknown {
  if (value === NOT_JSON) throw mismatch(name, 'it is not JSON', status);
  const checked = check(endpoint.reply, value ?? null);
  if (checked.ok) return checked.value;
  const isEmpty = value === undefined;
  if (isEmpty && endpoint.method !== 'GET' && !bringsToken(endpoint)) return replyWithoutBody(endpoint);
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
