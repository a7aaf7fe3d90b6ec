import { createFetch } from 'ofetch';
import type { CallEndpoint, Endpoint } from '../contract/endpoint.ts';
import { type Problem, check } from '../contract/problem.ts';
import { ApiError } from './apiError.ts';
import { errorOfReply } from './errorReply.ts';
import { type AnyInput, baseUrlOf, requestUrl } from './requestUrl.ts';
import { untilAborted } from './untilAborted.ts';

/** How long a call may take unless the client or the call says otherwise; streams have no such limit. */
export const CALL_TIMEOUT_MS = 30_000;

/** The bearer token, or where to get it at the time of each request; null: none. */
export type TokenSource = string | null | (() => string | null);

/** Where the gateway is, and how requests get there. */
export type TransportOptions = {
  /** The gateway's address, e.g. `https://gateway.example:9443`; in a browser `''` is the page's own origin. */
  baseUrl: string;
  token?: TokenSource | undefined;
  /** What carries the requests: the platform's `fetch` unless given. A gateway in the same process can stand here. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** Milliseconds that one call may take, 30 000 unless given; null: no limit. */
  timeoutMs?: number | null | undefined;
};

/** What may be said about one call. */
export type CallOptions = {
  /** Ends the call at once; it then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Refuses the write (kind `conflict`) unless the thing still has this `version`. */
  ifMatch?: number | undefined;
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

/** Everything that goes over the wire passes here; this holds the only call of ofetch. */
export function createTransport(options: TransportOptions) {
  const base = baseUrlOf(options.baseUrl);
  const carrier = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  const request = createFetch({ fetch: (input, init) => carrier(new Request(input, init)) });

  const unreachable = (what: string, cause?: unknown) =>
    new ApiError('unreachable', `${what} (${base.origin})`, { cause });

  const token = () => (typeof options.token === 'function' ? options.token() : options.token) || null;

  function authorization(): Record<string, string> {
    const value = token();
    if (value === null) return {};
    // The platform would name the value in its own complaint about a header.
    if (!/^[\x21-\x7e]+$/.test(value)) {
      throw new ApiError('unauthorized', 'The token contains characters that no token has');
    }
    return { authorization: `Bearer ${value}` };
  }

  /** Sends a request and hands out the reply, its body unread; throws for every status but 2xx. */
  async function send({ name, endpoint, input, headers }: Outgoing, signal: AbortSignal): Promise<Response> {
    const url = requestUrl(base, endpoint, input);
    const init = {
      method: endpoint.method,
      headers: { accept: 'application/json', ...headers, ...authorization() },
      ...(input.body === undefined ? {} : { body: input.body as Record<string, unknown> }),
      signal,
      credentials: 'include',
      // The API never redirects. Following one would carry a password or a new token to wherever it points.
      redirect: 'manual',
      cache: 'no-store',
      retry: false,
      ignoreResponseError: true,
      responseType: 'stream',
    } as const;
    let response: Response;
    try {
      response = await untilAborted(request.raw(url.href, init), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      // ofetch's own error refers to the request and its headers; only what lies under it is kept.
      throw unreachable('The gateway cannot be reached', error instanceof Error ? error.cause : undefined);
    }
    if (response.ok) return response;
    if (response.status >= 400) {
      throw errorOfReply(response.status, response.headers, await readText(response, signal));
    }
    const target = response.headers.get('location') ?? '';
    const hint = URL.canParse(target, url.href) ? `; is ${new URL(target, url.href).origin} the right address?` : '';
    throw mismatch(name, `it redirects${hint}`, response.status || null);
  }

  /** The text of a reply's body. */
  async function readText(response: Response, signal: AbortSignal): Promise<string> {
    try {
      return await untilAborted(response.text(), signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw unreachable("The gateway's reply broke off", error);
    }
  }

  /** Sends a request, and reads its reply with `read`, within the time limit. */
  async function exchange<T>(
    outgoing: Outgoing,
    { signal: caller, ifMatch, timeoutMs = options.timeoutMs }: CallOptions,
    read: (response: Response, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const limitMs = timeoutMs === undefined ? CALL_TIMEOUT_MS : timeoutMs;
    const { signal, end } = deadline(caller, limitMs, () =>
      unreachable(`The gateway did not answer within ${seconds(limitMs ?? 0)}`),
    );
    const headers = ifMatch === undefined ? outgoing.headers : { ...outgoing.headers, 'if-match': `"${ifMatch}"` };
    try {
      return await read(await send({ ...outgoing, headers }, signal), signal);
    } finally {
      end();
    }
  }

  /** A call with a JSON reply, checked against the contract. */
  const call = (outgoing: Outgoing & { endpoint: CallEndpoint }, callOptions: CallOptions): Promise<unknown> =>
    exchange(outgoing, callOptions, async (response, signal) =>
      replyOf(outgoing, response.status, await readText(response, signal)),
    );

  return { send, exchange, call, unreachable, token };
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
  // Wiredoor answers 204 for a thing that does not exist.
  if (status === 204 && endpoint.method === 'GET') throw new ApiError('missing', 'Not found', { status });
  throw mismatch(name, differenceIn(checked.problems), status);
}
