import { once } from 'node:events';
import { chmodSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  certificateFile,
  expose,
  openReconcileTrial,
  PORTS,
  type ReconcileTrial,
  save,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';

let trial: ReconcileTrial;
const stops: (() => Promise<void>)[] = [];

/** Answers with its own name and what it was asked. */
const backend = async (name: string): Promise<number> => {
  const { port, stop } = await startBackend((request, response) => {
    if (request.url === '/own-error') response.statusCode = 503;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, url: request.url, headers: request.headers }));
  });
  stops.push(stop);
  return port;
};

beforeAll(async () => {
  trial = await openReconcileTrial();
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

describe('the console', () => {
  it('has its own port, no cookie and its own lists', async () => {
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
    expect(JSON.parse(body)).toMatchObject({ 'x-real-ip': '127.0.0.1' });
    expect(JSON.parse(body)).not.toHaveProperty('cookie');
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
    });
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
