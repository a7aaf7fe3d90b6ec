import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { domainRow, openReconcileTrial, PORTS, type ReconcileTrial, save, visit } from '../testing/reconcileTrial.ts';

// What visitors get on the gateway's own ports: plain HTTP, and the console.

let trial: ReconcileTrial;
const domain = 'plain.example.test';

beforeAll(async () => {
  trial = await openReconcileTrial();
});
afterAll(() => trial.close());

describe('plain HTTP', () => {
  async function ask(
    path: string,
    host: string,
    how: { method?: string; port?: number } = {},
  ): Promise<IncomingMessage> {
    const { method = 'GET', port = PORTS.http } = how;
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { host }, agent: false }).end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return response;
  }

  /** Where it leads. 308: a browser repeats the method and the body there. */
  async function target(path: string, host: string, how: { method?: string; port?: number } = {}): Promise<string> {
    const { statusCode, headers } = await ask(path, host, how);
    expect(statusCode).toBe(308);
    return headers.location ?? '';
  }
  const https = `https://${domain}:${PORTS.https}`;

  it.each([
    ['/', domain, `${https}/`],
    ['/a?b=1&c=%2F%20;d', `${domain}:${PORTS.http}`, `${https}/a?b=1&c=%2F%20;d`],
    ['/a%2Fb//c/../d', domain, `${https}/a%2Fb//c/../d`],
    ['//evil.test/x', domain, `${https}//evil.test/x`],
    ['/', `${domain.toUpperCase()}.`, `${https}/`],
    ['/', '[::1]:80', `https://[::1]:${PORTS.https}/`],
    [`http://${domain}/x`, 'evil.test', `${https}/x`],
    ['/.well-known/acme-challengex', domain, `${https}/.well-known/acme-challengex`],
  ])('leads %s of %s to HTTPS on its port, with the path and the query as they were', async (path, host, to) => {
    expect(await target(path, host)).toBe(to);
  });

  it.each(['POST', 'PUT', 'DELETE', 'HEAD'])('lets %s stay what it is', async (method) => {
    expect(await target('/api/x?y=1', domain, { method })).toBe(`${https}/api/x?y=1`);
  });

  it.each(['user@evil.test', 'evil.test/..', 'a b'])('leads nowhere for the host %s', async (host) => {
    expect((await ask('/', host)).headers.location).toBeUndefined();
  });

  it('is led to HTTPS also on the port of HTTPS', async () => {
    const how = { port: PORTS.https, method: 'POST' };
    expect(await target('/a?b=1', `${domain}:${PORTS.https}`, how)).toBe(`${https}/a?b=1`);
  });

  it('answers the challenges of certificate authorities itself', async () => {
    const challenges = join(trial.ingress.layout.acme, '.well-known', 'acme-challenge');
    mkdirSync(challenges, { recursive: true });
    writeFileSync(join(challenges, 'token'), 'proof');
    const proof = await ask('/.well-known/acme-challenge/token', domain);
    expect([proof.statusCode, await text(proof)]).toEqual([200, 'proof']);
    expect((await ask('/.well-known/acme-challenge/none', domain)).statusCode).toBe(404);
    expect((await ask('/.well-known/acme-challenge/../../../secrets/vault.key', domain)).statusCode).toBe(400);
  });
});

describe('the console', () => {
  let id: number;
  const server = createServer((incoming, response) => response.end(JSON.stringify(incoming.headers)));

  beforeAll(async () => {
    const socket = trial.ingress.layout.gatewaySocket;
    await once(server.listen(socket), 'listening');
    chmodSync(socket, 0o666);
    const [console] = await trial.store.httpServices.all({ builtin: true });
    id = console?.id ?? 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  it('has its own port, no cookie and its own lists', async () => {
    const toConsole = { port: PORTS.console, headers: { cookie: 'sallyport_session=s', 'x-real-ip': '198.51.100.1' } };
    const { status, body } = await visit(trial, 'gateway.test', toConsole);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ 'x-real-ip': '127.0.0.1' });
    expect(JSON.parse(body)).not.toHaveProperty('cookie');
    expect((await visit(trial, 'gateway.test')).status).toBe(404);
    await save(trial, (tx) => tx.httpServices.update(id, { blockedIps: ['127.0.0.1'] }));
    expect((await visit(trial, 'gateway.test', toConsole)).status).toBe(403);
    await save(trial, (tx) => tx.httpServices.update(id, { blockedIps: null }));
  });

  // Cookies know no ports: any page on the gateway's name can fill the browser's cookies for the console. The most that
  // browsers keep for a site are 180 cookies of 4096 characters.
  const MOST = Array.from({ length: 180 }, (_, index) => `c${index}=`.padEnd(4096, 'x'));

  /** As browsers send them over HTTP/2: each cookie in a field of its own. */
  async function statusWith(cookies: readonly string[], host: string, port: number): Promise<number> {
    const session = connectHttp2(`https://${host}:${port}`, {
      createConnection: () =>
        connect({ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false, ALPNProtocols: ['h2'] }),
      // Node would send no more than 64 kB.
      maxSendHeaderBlockLength: 2_000_000,
    });
    // The stream says so, too.
    session.on('error', () => undefined);
    const stream = session.request({ ':path': '/api/openapi.json', cookie: [...cookies] });
    const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
    session.destroy();
    return headers[':status'];
  }

  it('is reached with as many cookies as a browser keeps', async () => {
    for (const cookies of [MOST.slice(0, 6), MOST]) {
      expect(await statusWith(cookies, 'gateway.test', PORTS.console)).toBe(200);
      // All in one line.
      const sent = { port: PORTS.console, path: '/api/openapi.json', headers: { cookie: cookies.join('; ') } };
      expect((await visit(trial, 'gateway.test', sent)).status).toBe(200);
    }
  });

  it('is reached with as many also on a domain', async () => {
    const host = 'console.example.test';
    await save(trial, async (tx) => {
      await tx.domains.create(domainRow(host));
      await tx.httpServices.update(id, { domain: host });
    });
    expect(await statusWith(MOST, host, PORTS.https)).toBe(200);
  });

  // Hosts that trust the key send their tokens where it is.
  it('keeps its key from one domain to the next, and leaves it on none', async () => {
    const [one, next] = ['one.console.example.test', 'next.console.example.test'];
    const shownKey = async (servername: string): Promise<string> => {
      const socket = connect({ host: '127.0.0.1', port: PORTS.https, servername, rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { subjectaltname, pubkey } = socket.getPeerCertificate();
      socket.destroy();
      expect(subjectaltname).toContain(`DNS:${servername}`);
      return String(pubkey?.toString('hex'));
    };
    const keysWithConsoleOn = async (host: string): Promise<string[]> => {
      await save(trial, (tx) => tx.httpServices.update(id, { domain: host }));
      return [await shownKey(one), await shownKey(next)];
    };
    await save(trial, async (tx) => {
      for (const host of [one, next]) await tx.domains.create(domainRow(host));
    });
    const before = await keysWithConsoleOn(one);
    const after = await keysWithConsoleOn(next);
    expect(after[1]).toBe(before[0]);
    expect(new Set([...before, ...after]).size).toBe(3);
  });
});
