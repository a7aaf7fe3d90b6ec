import { ApiError } from './apiError.ts';
import { CALL_TIMEOUT_MS, type CallOptions, type TransportOptions, createTransport } from './transport.ts';
import { untilAborted } from './body.ts';

/** A request that no method of the client makes: its method, its path below the gateway's address, and a JSON body. */
export type RawRequest = { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: string; body?: unknown };

/**
 * Sends a request that no method of the client makes, signed in like them, and has `read` read the reply.
 *
 * @throws ApiError as every call does, when the status is not 2xx and when the path would lead to another server.
 */
export async function sendRaw<T>(
  options: TransportOptions,
  { method, path, body }: RawRequest,
  read: (reply: Response) => Promise<T>,
  callOptions: CallOptions = {},
): Promise<T> {
  // `//host` is another server, and so is whatever a backslash is taken for.
  if (!/^\/(?![/\\])[^\s\\{}]*$/.test(path)) {
    throw new ApiError('invalid', 'A path begins with one slash and holds neither blanks nor braces');
  }
  const endpoint = { kind: 'call', method, path: path as `/${string}` } as const;
  const headers = { accept: '*/*' };
  const input = body === undefined ? {} : { body };
  const outgoing = { name: `${method} ${path}`, endpoint, input, headers };
  const { exchange, unreachable } = createTransport(options);
  const { signal: caller, timeoutMs = options.timeoutMs } = callOptions;
  const limitMs = timeoutMs === undefined ? CALL_TIMEOUT_MS : timeoutMs;
  if (limitMs === null) return read(await exchange(outgoing, callOptions));
  // `read` takes the body as it comes, so the time limit goes on until that is over.
  const late = new AbortController();
  const stop = () => late.abort(unreachable(`The gateway did not answer within ${limitMs / 1000} s`));
  const timer = setTimeout(stop, limitMs);
  const signal = caller === undefined ? late.signal : AbortSignal.any([caller, late.signal]);
  try {
    const reply = await exchange(outgoing, { ...callOptions, signal, timeoutMs: null });
    return await untilAborted(read(reply), signal);
  } finally {
    clearTimeout(timer);
  }
}
