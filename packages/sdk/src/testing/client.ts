import { afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { type ApiError, isApiError } from '../client/apiError.ts';
import { type ClientOptions, createClient } from '../client/createClient.ts';
import type { StreamState, StreamStateDetails, WatchOptions } from '../client/stream.ts';

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

/** Gives each test of a file a clock that stands still, on which no timer may be left. */
export function holdClock(): void {
  // It is loaded with the first stream, which no clock of a test can hurry.
  beforeAll(() => import('../client/reconnecting.ts'));
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
    const timers = vi.getTimerCount();
    vi.useRealTimers();
    if (timers > 0) throw new Error(`${timers} timers are left`);
  });
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

/** A log stream whose connections are answered one after the other; the last answer is given again and again. */
export function logOf(
  replies: (() => Response | Promise<Response>)[],
  options: WatchOptions = {},
  client: Partial<ClientOptions> = {},
) {
  const states: [StreamState, StreamStateDetails][] = [];
  const { client: api, requests } = clientOf((_, count) => {
    const reply = replies[Math.min(count, replies.length) - 1];
    if (!reply) throw new TypeError('fetch failed');
    return reply();
  }, client);
  const events = api.log.watch(
    { query: { domain: 'app.test' } },
    { ...options, onState: (state, details) => states.push([state, details]) },
  );
  return { requests, states, events, names: () => states.map(([state]) => state) };
}
