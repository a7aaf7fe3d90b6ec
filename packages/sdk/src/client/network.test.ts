import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createClient } from './createClient.ts';

// The platform's own fetch over real sockets, to see what a test in process cannot show: cuts, and who hangs up when.

type Visit = { request: IncomingMessage; response: ServerResponse; closed: Promise<unknown> };
const closers: (() => Promise<void>)[] = [];

/** A server on loopback that hands each visit to the test. */
async function serve(answer: (visit: Visit, number: number) => void) {
  const visits: Visit[] = [];
  const server = createServer((request, response) => {
    const visit = { request, response, closed: once(response, 'close') };
    answer(visit, visits.push(visit));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  });
  return { visits, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const open = ({ response }: Visit, ...parts: (string | Uint8Array)[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const part of parts) response.write(part);
};
const watch = (baseUrl: string, options = {}) =>
  createClient({ baseUrl, token: 'secret' }).log.watch({ query: { type: 'http', id: 7 } }, options);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(closers.splice(0).map((close) => close()));
});

/** Reads on across a reconnection: the second that it waits passes as soon as it waits. */
const passing = { onState: (state: string) => void (state === 'waiting' && vi.advanceTimersByTimeAsync(1000)) };

describe('a stream over a network', () => {
  test('goes on after a connection that is cut within a line and within a character', async () => {
    const whole = Buffer.from('id: 2\ndata: ["a €"]\n\n');
    const { baseUrl, visits } = await serve((visit, number) => {
      if (number === 1) {
        open(visit, 'id: 1\ndata: ["first"]\n\n', whole.subarray(0, -6));
        visit.response.write('', () => visit.request.socket.destroy());
      } else open(visit, whole);
    });
    const events = watch(baseUrl, passing);
    expect((await events.next()).value).toEqual(['first']);
    expect((await events.next()).value).toEqual(['a €']);
    expect(visits.map(({ request }) => request.headers['last-event-id'])).toEqual([undefined, '1']);
    expect(visits.map(({ request }) => request.headers.authorization)).toEqual(['Bearer secret', 'Bearer secret']);
    expect(visits.map(({ request }) => request.url)).not.toContainEqual(expect.stringContaining('secret'));
    await events.return?.();
    await visits[1]?.closed;
  });

  test('ends when the token is refused midway', async () => {
    const { baseUrl } = await serve((visit, number) => {
      if (number === 1) {
        open(visit, 'data: ["a"]\n\n');
        visit.response.end();
      } else visit.response.writeHead(401).end('{"status":"error","message":"Signed out","requestId":"r-1"}');
    });
    const events = watch(baseUrl, passing);
    await events.next();
    await expect(events.next()).rejects.toMatchObject({
      kind: 'unauthorized',
      message: 'Signed out',
      requestId: 'r-1',
    });
  });

  test('leaves a connection that is half open', async () => {
    const { baseUrl, visits } = await serve((visit, number) => {
      if (number === 1) open(visit, 'data: ["a"]\n\n');
      else open(visit, 'data: ["b"]\n\n');
    });
    const events = watch(baseUrl, passing);
    await events.next();
    const next = events.next();
    await vi.advanceTimersByTimeAsync(45_000);
    expect((await next).value).toEqual(['b']);
    await visits[0]?.closed;
    await events.return?.();
  });

  test('hangs up when its loop is left', async () => {
    const { baseUrl, visits } = await serve((visit) => open(visit, 'data: ["a"]\n\n'));
    for await (const lines of watch(baseUrl)) {
      expect(lines).toEqual(['a']);
      break;
    }
    await visits[0]?.closed;
    expect(visits).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('hangs up when its signal is aborted while it reads', async () => {
    const { baseUrl, visits } = await serve((visit) => open(visit, 'data: ["a"]\n\n'));
    const caller = new AbortController();
    const events = watch(baseUrl, { signal: caller.signal });
    await events.next();
    const next = events.next();
    caller.abort();
    expect((await next).done).toBe(true);
    await visits[0]?.closed;
  });
});

describe('a call over a network', () => {
  test('hangs up when it is aborted', async () => {
    const caller = new AbortController();
    const reason = new Error('the screen is gone');
    const { baseUrl, visits } = await serve(() => caller.abort(reason));
    const call = createClient({ baseUrl }).node.list({}, { signal: caller.signal });
    await expect(call).rejects.toBe(reason);
    await visits[0]?.closed;
  });

  test('carries neither token nor password to where a redirect points', async () => {
    const other = await serve(({ response }) => response.end('{"token":"theirs"}'));
    const { baseUrl } = await serve(({ response }) => response.writeHead(307, { location: other.baseUrl }).end());
    const client = createClient({ baseUrl, token: 'secret' });
    const login = client.session.login({ body: { username: 'admin', password: 'secret' } });
    await expect(login).rejects.toMatchObject({ kind: 'mismatch', status: 307 });
    expect(other.visits).toEqual([]);
  });

  test('to a port where nobody listens says so, with its cause', async () => {
    const { baseUrl } = await serve(({ response }) => response.end());
    await Promise.all(closers.splice(0).map((close) => close()));
    await expect(createClient({ baseUrl }).node.list()).rejects.toMatchObject({
      kind: 'unreachable',
      message: `The gateway cannot be reached (${baseUrl})`,
      cause: { cause: { code: 'ECONNREFUSED' } },
    });
  });
});
