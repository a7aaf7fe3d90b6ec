import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { clientOf } from '../testing/client.ts';
import { createClient } from './createClient.ts';
import { newIdempotencyKey, RETRY_DELAYS_MS } from './lostReply.ts';
import { sendRaw } from './sendRaw.ts';

// The platform's own fetch over real sockets, to see what a test in process cannot show: cuts, and what is sent again.

type Answer = (request: IncomingMessage, response: ServerResponse) => void;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const DELAYS_MS = [1, 1, 1];
const DOMAIN = { id: 1, domain: 'app.example.test', ssl: 'self-signed', skipValidation: true, authentication: false };
const cut: Answer = (request) => request.socket.destroy();
const half: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
  response.write('{"id":1,', () => response.destroy());
};
const answer =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(status < 400 ? JSON.stringify(DOMAIN) : '{}');
const done = answer(200);

/** A gateway that gives these answers, one after the other, and a client of it. */
async function serve(...answers: Answer[]) {
  const requests: { method: string; key: string | undefined; body: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { 'idempotency-key': key, authorization } = request.headers;
      requests.push({ method: request.method ?? '', key: key as string | undefined, body, authorization });
      (answers.shift() ?? done)(request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { requests, baseUrl, client: createClient({ baseUrl, token: 'secret', retryDelaysMs: DELAYS_MS }) };
}

const body = { domain: 'app.example.test' };

describe('a write whose reply is lost', () => {
  test.each([
    ['before it began', cut],
    ['within its body', half],
    ['behind a proxy that says 502', answer(502)],
    ['behind a proxy that says 504', answer(504)],
  ])('%s is sent again, as it was and under the same key', async (_, lost) => {
    const { client, requests } = await serve(lost, lost);
    expect(await client.domain.create({ body })).toMatchObject({ id: 1 });
    expect(requests).toHaveLength(3);
    expect(new Set(requests.map((request) => JSON.stringify(request))).size).toBe(1);
    expect(requests[0]).toMatchObject({ method: 'POST', body: JSON.stringify(body), authorization: 'Bearer secret' });
    expect(requests[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('is given up after a few times', async () => {
    const { client, requests } = await serve(cut, cut, cut, cut, done);
    await expect(client.domain.create({ body })).rejects.toMatchObject({ kind: 'unreachable' });
    expect(requests).toHaveLength(DELAYS_MS.length + 1);
    // A person who waits for it is told within seconds.
    expect(RETRY_DELAYS_MS.reduce((sum, delay) => sum + delay, 0)).toBeLessThan(5000);
  });

  test.each([400, 409, 412, 422, 500, 502, 503, 507])('is not sent again after an answer of %i', async (status) => {
    const { client, requests } = await serve(answer(status, { 'x-request-id': 'r-1' }));
    await expect(client.domain.create({ body })).rejects.toMatchObject({ status });
    expect(requests).toHaveLength(1);
  });

  test('is not sent again when the caller gives up while it waits', async () => {
    const { requests, baseUrl } = await serve(cut);
    const client = createClient({ baseUrl, token: 'secret', retryDelaysMs: [60_000] });
    const caller = new AbortController();
    const reason = new Error('the screen is gone');
    const work = client.domain.create({ body }, { signal: caller.signal });
    await expect.poll(() => requests.length).toBe(1);
    setTimeout(() => caller.abort(reason), 20);
    await expect(work).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });

  test('is not sent again where no gateway listens: nothing was lost', async () => {
    const { baseUrl } = await serve();
    await Promise.all(closers.splice(0).map((close) => close()));
    const client = createClient({ baseUrl, token: 'secret', retryDelaysMs: [60_000] });
    await expect(client.domain.create({ body })).rejects.toMatchObject({ kind: 'unreachable' });
  });

  test('is sent again also when the gateway was not there yet at the second try', async () => {
    const failed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
    const { client, requests } = clientOf(
      (_, count) => {
        if (count < 3) throw failed(count === 1 ? 'ECONNRESET' : 'ECONNREFUSED');
        return Response.json(DOMAIN);
      },
      { retryDelaysMs: DELAYS_MS },
    );
    expect(await client.domain.create({ body })).toMatchObject({ id: 1 });
    expect(requests).toHaveLength(3);
  });

  test('is sent again with the key that the caller gives', async () => {
    const { client, requests } = await serve(cut);
    await client.domain.create({ body }, { idempotencyKey: 'mine' });
    expect(requests.map(({ key }) => key)).toEqual(['mine', 'mine']);
  });

  test('of a path that no method knows is sent again as well', async () => {
    const { baseUrl, requests } = await serve(cut);
    const options = { baseUrl, token: 'secret', retryDelaysMs: DELAYS_MS };
    const text = await sendRaw(options, { method: 'POST', path: '/api/domains', body }, (reply) => reply.text());
    expect(JSON.parse(text)).toEqual(DOMAIN);
    expect(requests.map(({ key }) => key)).toEqual([requests[0]?.key, requests[0]?.key]);
    expect(requests[0]?.key).toBeDefined();
  });
});

test('a reply to a path that no method knows, which never ends, is waited for no longer than one to a call', async () => {
  const { baseUrl } = await serve((_, response) => void response.writeHead(200).write('{'));
  const read = (reply: Response) => reply.text();
  const asked = sendRaw({ baseUrl }, { method: 'GET', path: '/api/domains' }, read, { timeoutMs: 100 });
  await expect(asked).rejects.toMatchObject({ kind: 'unreachable', message: expect.stringContaining('within 0.1 s') });
});

describe('a read', () => {
  test.each([
    ['whose connection breaks', cut],
    ['whose reply breaks off', half],
    ['behind a proxy that says 503', answer(503)],
  ])('%s is sent a second time, without a key', async (_, lost) => {
    const { client, requests } = await serve(lost);
    expect(await client.domain.get({ params: { id: 1 } })).toMatchObject({ id: 1 });
    expect(requests.map(({ key }) => key)).toEqual([undefined, undefined]);
  });

  test('is not sent a third time', async () => {
    const { client, requests } = await serve(cut, cut, done);
    await expect(client.domain.get({ params: { id: 1 } })).rejects.toMatchObject({ kind: 'unreachable' });
    expect(requests).toHaveLength(2);
  });

  test.each([500, 503])('is not sent again after an answer of %i of the gateway itself', async (status) => {
    const { client, requests } = await serve(answer(status, { 'x-request-id': 'r-1' }));
    await expect(client.domain.get({ params: { id: 1 } })).rejects.toMatchObject({ status });
    expect(requests).toHaveLength(1);
  });
});

test('the call that signs in has no key and is tried once', async () => {
  const { client, requests } = await serve(cut);
  const login = client.session.login({ body: { username: 'admin', password: 'secret' } });
  await expect(login).rejects.toMatchObject({ kind: 'unreachable' });
  expect(requests.map(({ key }) => key)).toEqual([undefined]);
});

test('a time limit is for all tries together', async () => {
  const { baseUrl, requests } = await serve(cut, () => undefined, done);
  const client = createClient({ baseUrl, token: 'secret', retryDelaysMs: DELAYS_MS, timeoutMs: 3000 });
  // Long enough for the second try to begin on a busy machine.
  await expect(client.domain.create({ body })).rejects.toThrow('did not answer within 3 s');
  expect(requests).toHaveLength(2);
});

test('two writes have two keys, also where the platform makes no UUIDs', () => {
  expect(newIdempotencyKey()).not.toBe(newIdempotencyKey());
  const { randomUUID } = crypto;
  Object.defineProperty(crypto, 'randomUUID', { value: undefined, configurable: true });
  const keys = [newIdempotencyKey(), newIdempotencyKey()];
  Object.defineProperty(crypto, 'randomUUID', { value: randomUUID, configurable: true });
  expect(keys[0]).toMatch(/^[0-9a-f]{32}$/);
  expect(keys[0]).not.toBe(keys[1]);
});

test('a stream goes on after a connection that is cut within a line and within a character', async () => {
  const whole = Buffer.from('id: 2\ndata: ["a €"]\n\n');
  const asked: (string | undefined)[] = [];
  const open: Answer = ({ headers, url, socket }, response) => {
    expect(url).not.toContain('secret');
    asked.push(headers['last-event-id'] as string | undefined);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (asked.length > 1) response.write(whole);
    else {
      response.write('id: 1\ndata: ["first"]\n\n');
      response.write(whole.subarray(0, -6), () => socket.destroy());
    }
  };
  const { client, requests } = await serve(open, open);
  const events = client.log.watch({ query: { domain: 'app.example.test' } });
  expect((await events.next()).value).toEqual(['first']);
  expect((await events.next()).value).toEqual(['a €']);
  expect(asked).toEqual([undefined, '1']);
  expect(requests.map(({ authorization }) => authorization)).toEqual(['Bearer secret', 'Bearer secret']);
  await events.return();
});

test('a call that is aborted hangs up', async () => {
  const caller = new AbortController();
  const reason = new Error('the screen is gone');
  const closed = Promise.withResolvers<void>();
  const { client } = await serve((_, response) => {
    response.once('close', () => closed.resolve());
    caller.abort(reason);
  });
  await expect(client.node.list({}, { signal: caller.signal })).rejects.toBe(reason);
  await closed.promise;
});

test('a redirect is given neither token nor password, and says where the gateway may be', async () => {
  const other = await serve();
  const { client } = await serve((_, response) => void response.writeHead(307, { location: other.baseUrl }).end());
  const login = client.session.login({ body: { username: 'admin', password: 'secret' } });
  const message = expect.stringContaining(`is ${other.baseUrl} the right address?`);
  await expect(login).rejects.toMatchObject({ kind: 'mismatch', status: 307, message });
  expect(other.requests).toEqual([]);
});
