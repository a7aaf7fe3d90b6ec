import { vi } from 'vitest';
import { type ApiError, isApiError } from '../client/apiError.ts';
import { type ClientOptions, createClient } from '../client/createClient.ts';

/** A node as a gateway answers it. */
export const node = {
  id: 2,
  name: 'edge',
  address: '192.0.2.2',
  allowInternet: false,
  isGateway: false,
  isLocal: false,
  enabled: true,
};

/** A client whose requests are answered by `reply`, which is told how many there were, and the requests that it made. */
export function clientOf(
  reply: (request: Request, count: number) => Response | Promise<Response>,
  options: Partial<ClientOptions> = {},
) {
  const requests: Request[] = [];
  const fetch = async (request: Request) => reply(request, requests.push(request));
  return { client: createClient({ baseUrl: 'https://gateway.test', fetch, ...options }), requests };
}

/** The `ApiError` by which a call fails. */
export async function errorOf(work: Promise<unknown>): Promise<ApiError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isApiError(error)) throw new TypeError('no ApiError was thrown', { cause: error });
  return error;
}

export const EVENT_HEADERS = { 'content-type': 'text/event-stream' };

/** One connection of a gateway in process: the test writes what comes over it, and sees when it was let go. */
export function connection() {
  const cancelled = vi.fn<() => void>();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>({
    start: (given) => {
      controller = given;
    },
    cancel: cancelled,
  });
  return {
    cancelled,
    reply: () => new Response(body, { headers: EVENT_HEADERS }),
    write: (...parts: (string | Uint8Array)[]) => {
      for (const part of parts) controller?.enqueue(typeof part === 'string' ? new TextEncoder().encode(part) : part);
    },
    end: () => controller?.close(),
    fail: () => controller?.error(new TypeError('terminated')),
  };
}
