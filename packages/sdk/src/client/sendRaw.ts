import { ApiError } from './apiError.ts';
import { type CallOptions, type TransportOptions, createTransport } from './transport.ts';

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
  return read(await createTransport(options).exchange(outgoing, callOptions));
}
