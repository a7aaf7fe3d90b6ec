import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, get, type IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  certificateFile,
  expose,
  openReconcileTrial,
  openVisit,
  PORTS,
  type ReconcileTrial,
  save,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';

let trial: ReconcileTrial;
const stops: (() => Promise<void>)[] = [];
let sent: PassThrough | null = null;

/** Answers with its own name and what it was asked. */
const backend = async (name: string): Promise<number> => {
  const { port, stop } = await startBackend((request, response) => {
    if (request.url === '/own-error') response.statusCode = 503;
    if (request.url === '/stream') {
      sent = new PassThrough();
      response.setHeader('content-type', 'text/event-stream');
      response.flushHeaders();
      sent.pipe(response);
      return;
    }
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, url: request.url, headers: request.headers }));
  });
  stops.push(stop);
  return port;
};

beforeAll(async () => {
  trial = await openReconcileTrial();
  const { problem } = await trial.reconciler.start();
  if (problem !== null) throw new Error(problem);
});
afterAll(async () => {
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

const seen = async (host: string, path = '/', headers: Record<string, string | string[]> = {}) =>
  JSON.parse((await visit(trial, host, { path, headers })).body) as {
    name: string;
    url: string;
    headers: Record<string, string | undefined>;
  };

describe('an exposed service', () => {
  it('is reached over HTTPS under its name, with a certificate for it, over HTTP/1.1 and HTTP/2', async () => {
    const { rejected } = await expose(trial, 'first.example.test', await backend('first'));
    expect(rejected).toBeNull();
    expect((await seen('first.example.test')).name).toBe('first');
    const ca = readFileSync(certificateFile(trial, 'first.example.test'));
    const session = connectHttp2(`https://first.example.test:${PORTS.https}`, {
      ca,
      createConnection: () =>
        connect({ host: '127.0.0.1', port: PORTS.https, servername: 'first.example.test', ca, ALPNProtocols: ['h2'] }),
    });
    const stream = session.request({ ':path': '/two', cookie: 'a=1; sallyport_session=s' });
    const answer = JSON.parse(await text(stream)) as { url: string; headers: Record<string, string> };
    session.close();
    expect(answer).toMatchObject({
      url: '/two',
      headers: { host: `first.example.test:${PORTS.https}`, cookie: 'a=1' },
    });
  });

  it('has the longest path that fits, ending where a segment ends, and sees the path as it was asked', async () => {
    const host = 'paths.example.test';
    await expose(trial, host, await backend('root'));
    await expose(trial, host, await backend('app'), { pathLocation: '/app' });
    await expose(trial, host, await backend('deep'), { pathLocation: '/app/deep/' });
    const asked = ['/', '/apple', '/app', '/app/', '/app?x=1', '/app/deeper', '/app/deep', '/app/deep/a%20b//c'];
    const names = await Promise.all(asked.map(async (path) => [path, await seen(host, path)] as const));
    expect(names.map(([, { name }]) => name)).toEqual(['root', 'root', 'app', 'app', 'app', 'app', 'deep', 'deep']);
    for (const [path, { url }] of names) expect(url).toBe(path);
  });

  it('says 404 when it is disabled and is back when it is enabled', async () => {
    const host = 'switch.example.test';
    const { value } = await expose(trial, host, await backend('switch'));
    await save(trial, (tx) => tx.httpServices.update(value.id, { enabled: false }));
    const closed = await visit(trial, host);
    expect(closed).toMatchObject({
      status: 404,
      headers: { 'content-type': 'text/html', 'cache-control': 'no-store' },
    });
    expect(closed.body).toContain('Nothing here');
    await save(trial, (tx) => tx.httpServices.update(value.id, { enabled: true }));
    expect((await seen(host)).name).toBe('switch');
  });

  it('turns away who is blocked or not on its list', async () => {
    const host = 'lists.example.test';
    const { value } = await expose(trial, host, await backend('lists'), { blockedIps: ['127.0.0.0/8'] });
    const status = async (): Promise<number> => (await visit(trial, host)).status;
    expect(await status()).toBe(403);
    await save(trial, (tx) =>
      tx.httpServices.update(value.id, { blockedIps: null, allowedIps: ['192.0.2.0/24', '2001:db8::/32'] }),
    );
    expect(await status()).toBe(403);
    await save(trial, (tx) => tx.httpServices.update(value.id, { allowedIps: ['127.0.0.1'] }));
    expect(await status()).toBe(200);
    await save(trial, (tx) => tx.httpServices.update(value.id, { blockedIps: ['127.0.0.1'] }));
    expect(await status()).toBe(403);
  });

  it('shows nothing while it asks for a sign-in that does not exist', async () => {
    const host = 'signin.example.test';
    const { value } = await expose(trial, host, await backend('secret'), { requireAuth: true });
    const { status, body } = await visit(trial, host);
    expect({ status, secret: body.includes('secret') }).toEqual({ status: 503, secret: false });
    expect(trial.reconciler.problem('httpService', value.id)).toContain('sign in');
  });

  it('keeps its own errors, and nginx says it when nobody answers', async () => {
    const host = 'errors.example.test';
    const { port, stop } = await startBackend((_, response) => response.end());
    await stop();
    await expose(trial, host, await backend('errors'));
    await expose(trial, host, port, { pathLocation: '/dead' });
    expect(await visit(trial, host, { path: '/own-error' })).toMatchObject({
      status: 503,
      body: expect.stringContaining('"errors"'),
    });
    expect(await visit(trial, host, { path: '/dead?token=s3cret' })).toMatchObject({
      status: 502,
      body: expect.stringContaining('does not answer'),
    });
  });
});

describe('what a backend gets to see', () => {
  const host = 'headers.example.test';
  beforeAll(async () => {
    await expose(trial, host, await backend('headers'));
  });

  it('is the truth about the visitor, whatever the request claims', async () => {
    const { headers } = await seen(host, '/', {
      'x-forwarded-for': '198.51.100.1',
      'x-real-ip': '198.51.100.1',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'evil.test',
      'x-forwarded-port': '1',
      forwarded: 'for=198.51.100.1',
      'true-client-ip': '198.51.100.1',
      'x-custom': 'kept',
    });
    expect(headers).toMatchObject({
      host: `${host}:${PORTS.https}`,
      'x-forwarded-for': '127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': `${host}:${PORTS.https}`,
      'x-forwarded-port': String(PORTS.https),
      'x-custom': 'kept',
    });
    expect(headers).not.toHaveProperty('forwarded');
    expect(headers).not.toHaveProperty('true-client-ip');
  });

  it('never is the console’s cookie', async () => {
    const own = 'sallyport_session=s3cret';
    const cases: [string, string | undefined][] = [
      ['a=1', 'a=1'],
      [own, undefined],
      [`${own}; a=1`, 'a=1'],
      [`a=1; ${own}`, 'a=1'],
      [`a=1; ${own}; b=2`, 'a=1; b=2'],
      [`${own}; a=1; ${own}`, 'a=1'],
      [`a=1; ${own}; ${own}; ${own}`, undefined],
      ['my_sallyport_session=x; a=1', 'my_sallyport_session=x; a=1'],
    ];
    for (const [cookie, passed] of cases) expect((await seen(host, '/', { cookie })).headers['cookie']).toBe(passed);
  });

  it('is no offer to speak h2c, which would pass by the rules of paths', async () => {
    const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
    const { headers } = await seen(host, '/', offer);
    expect(headers).not.toHaveProperty('upgrade');
    expect(headers).not.toHaveProperty('http2-settings');
  });
});

describe('streams', () => {
  const host = 'streams.example.test';

  it('carry a WebSocket both ways', async () => {
    const { port, stop } = await startBackend(
      () => undefined,
      (request, socket) => {
        socket.write(
          `HTTP/1.1 101 Switching Protocols\r\nUpgrade: ${request.headers.upgrade}\r\nConnection: Upgrade\r\n\r\n`,
        );
        socket.pipe(socket);
      },
    );
    stops.push(stop);
    await expose(trial, host, port, { pathLocation: '/socket' });
    const ca = readFileSync(certificateFile(trial, host));
    const socket = connect({ host: '127.0.0.1', port: PORTS.https, servername: host, ca });
    socket.write(`GET /socket HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n`);
    expect(String((await once(socket, 'data'))[0])).toContain('101 Switching Protocols');
    socket.write('first');
    expect(String((await once(socket, 'data'))[0])).toBe('first');
    // Another service's change, and with it a reload, does not cut it.
    const { generation } = trial.reconciler.state();
    await expose(trial, 'other.example.test', port);
    expect(trial.reconciler.state().generation).toBeGreaterThan(generation);
    socket.write('second');
    expect(String((await once(socket, 'data'))[0])).toBe('second');
    socket.destroy();
  });

  it('bring each event when it is sent', async () => {
    await expose(trial, host, await backend('events'));
    const response = await openVisit(trial, host, { path: '/stream' });
    for (const event of ['data: one\n\n', 'data: two\n\n']) {
      sent?.write(event);
      expect(String((await once(response, 'data'))[0])).toBe(event);
    }
    response.destroy();
  });

  it('bring an upload to the backend while it is sent', async () => {
    const arrived = Promise.withResolvers<string>();
    const { port, stop } = await startBackend((request, response) => {
      request.once('data', (chunk: Buffer) => arrived.resolve(chunk.toString()));
      request.on('end', () => response.end('done'));
    });
    stops.push(stop);
    await expose(trial, host, port, { pathLocation: '/upload' });
    const body = new PassThrough();
    const answer = visit(trial, host, { path: '/upload', method: 'POST', body });
    body.write('the first part');
    expect(await arrived.promise).toBe('the first part');
    body.end();
    expect((await answer).body).toBe('done');
  });
});

describe('plain HTTP', () => {
  const ask = async (path: string, host: string): Promise<IncomingMessage> => {
    const [response] = (await once(
      get({ host: '127.0.0.1', port: PORTS.http, path, headers: { host }, agent: false }),
      'response',
    )) as [IncomingMessage];
    return response;
  };

  it('leads to HTTPS on its port, and nowhere else', async () => {
    const moved = await ask('/a?b=1', `first.example.test:${PORTS.http}`);
    expect(moved.statusCode).toBe(308);
    expect(moved.headers.location).toBe(`https://first.example.test:${PORTS.https}/a?b=1`);
    const absolute = await ask('http://first.example.test/x', 'evil.test');
    expect(absolute.headers.location).toBe(`https://first.example.test:${PORTS.https}/x`);
    expect((await ask('/', 'user@evil.test')).headers.location).toBeUndefined();
  });

  it('answers the challenges of certificate authorities', async () => {
    const challenges = join(trial.ingress.layout.acme, '.well-known', 'acme-challenge');
    mkdirSync(challenges, { recursive: true });
    writeFileSync(join(challenges, 'token'), 'proof');
    expect(await text(await ask('/.well-known/acme-challenge/token', 'first.example.test'))).toBe('proof');
    expect((await ask('/.well-known/acme-challenge/none', 'first.example.test')).statusCode).toBe(404);
  });
});

describe('the console', () => {
  it('has its own port, its cookie and its own lists', async () => {
    const server = createServer((request, response) => response.end(JSON.stringify(request.headers)));
    const socket = trial.ingress.layout.gatewaySocket;
    server.listen(socket);
    await once(server, 'listening');
    chmodSync(socket, 0o666);
    stops.push(async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    });
    const toConsole = { port: PORTS.console, headers: { cookie: 'sallyport_session=s', 'x-real-ip': '198.51.100.1' } };
    const { status, body } = await visit(trial, 'gateway.test', toConsole);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ cookie: 'sallyport_session=s', 'x-real-ip': '127.0.0.1' });
    expect((await visit(trial, 'gateway.test')).status).toBe(404);
    const [console] = await trial.store.httpServices.all({ builtin: true });
    const id = console?.id ?? 0;
    await save(trial, (tx) => tx.httpServices.update(id, { blockedIps: ['127.0.0.1'] }));
    expect((await visit(trial, 'gateway.test', toConsole)).status).toBe(403);
    await save(trial, (tx) => tx.httpServices.update(id, { blockedIps: null }));
  });
});

describe('the access log', () => {
  it('has one line a request, with its ids and without secrets', async () => {
    const host = 'logged.example.test';
    const { value } = await expose(trial, host, await backend('logged'));
    const [domain] = await trial.store.domains.all({ domain: host });
    for (const path of [
      '/plain?page=2',
      '/in?x=1&access_token=s3cret',
      '/in?%74oken=s3cret',
      '/in?next=/a?token=s3cret',
      '/in;v=1;jsessionid=s3cret/more?page=2',
      '/in;v=1/more',
      `/"quoted"\u00e9`.replace('\u00e9', '%C3%A9'),
    ]) {
      await visit(trial, host, { path });
    }
    const lines = await vi.waitFor(() => {
      const found = readFileSync(trial.ingress.layout.accessLog, 'utf8')
        .split('\n')
        .flatMap((line) => (line.includes(`"s":"${value.id}"`) ? [JSON.parse(line) as Record<string, string>] : []));
      expect(found).toHaveLength(7);
      return found;
    }, 2000);
    const requests = lines.map(({ r = '' }) => r);
    // Two workers write independently of each other.
    expect(requests.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'GET /"quoted"%C3%A9 HTTP/1.1',
      'GET /in;[redacted]?page=2 HTTP/1.1',
      'GET /in;v=1/more HTTP/1.1',
      'GET /in?[redacted] HTTP/1.1',
      'GET /in?[redacted] HTTP/1.1',
      'GET /in?[redacted] HTTP/1.1',
      'GET /plain?page=2 HTTP/1.1',
    ]);
    expect(lines[requests.indexOf('GET /plain?page=2 HTTP/1.1')]).toMatchObject({
      d: String(domain?.id),
      k: 'http',
      c: '127.0.0.1',
      st: '200',
      u: `127.0.0.1:${value.backendPort}`,
    });
    for (const file of [trial.ingress.layout.accessLog, trial.ingress.layout.errorLog]) {
      expect(readFileSync(file, 'utf8')).not.toContain('s3cret');
    }
  });
});
