import { EventEmitter, once } from 'node:events';
import type { RequestListener } from 'node:http';
import { Agent } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aNode } from '../testing/storedRows.ts';
import { createNodeKeys } from '../vault/keyVault.ts';
import {
  domainRow,
  expose,
  openReconcileTrial,
  type ReconcileTrial,
  save,
  serviceRow,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { openSocket, rawHttp2 } from '../testing/wire.ts';

// What a service may say for the whole name that it is reached by, when others are reached by it too.

const OF_A_WHOLE_NAME = {
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'clear-site-data': '"*"',
  'service-worker-allowed': '/',
  'alt-svc': 'h3=":443"',
  nel: '{"report_to":"x","max_age":86400,"include_subdomains":true}',
  'report-to': '{"group":"x","max_age":86400,"endpoints":[{"url":"https://evil.test"}]}',
  'reporting-endpoints': 'x="https://evil.test"',
  'accept-ch': 'Sec-CH-UA-Model',
  'critical-ch': 'Sec-CH-UA-Model',
  'public-key-pins': 'pin-sha256="AAAA"; max-age=31536000',
  'public-key-pins-report-only': 'pin-sha256="AAAA"; report-uri="https://evil.test"',
  'expect-ct': 'max-age=31536000, enforce, report-uri="https://evil.test"',
  'cdn-cache-control': 'max-age=600',
  'surrogate-control': 'max-age=600',
  'netlify-cdn-cache-control': 'max-age=600',
  'vercel-cdn-cache-control': 'max-age=600',
  'akamai-cache-control': 'max-age=600',
  'attribution-reporting-register-source': '{"destination":"https://evil.test"}',
  'attribution-reporting-register-trigger': '{}',
  'shared-storage-write': 'set;key="visitor";value="7"',
  'origin-agent-cluster': '?1',
  'origin-trial': 'token',
  'set-login': 'logged-out',
  'use-as-dictionary': 'match="/*"',
  'access-control-max-age': '86400',
  'secure-session-registration': '(ES256);path="/register"',
  'secure-session-challenge': '"challenge";id="session"',
} as const;

const FOR_LONG = 'max-age=31536000, immutable';

let trial: ReconcileTrial;
let backendPort: number;
/** A service of the remote node, wherever it is put. */
let remote: { nodeId: number; backendPort: number };
const NODE_ADDRESS = '127.0.0.2';

/** The services of each name by their paths: of the gateway's own machine, and of a remote node. */
const NAMES = {
  'own.example.test': { own: ['/', '/team'], remote: [] },
  'node.example.test': { own: [], remote: ['/', '/.well-known/pki-validation/ours'] },
  'several.example.test': { own: ['/team/app', '/.well-known/matrix'], remote: ['/', '/team'] },
  'rooted.example.test': { own: ['/'], remote: ['/team'] },
} as const;
type Name = keyof typeof NAMES | 'gateway.test';

beforeAll(async () => {
  trial = await openReconcileTrial({ tunnel: true });
  const answer: RequestListener = ({ url, headers }, response) => {
    const { 'x-clears': clears, 'x-reports': reports, 'x-caches': caches } = headers;
    for (const [name, value] of Object.entries(OF_A_WHOLE_NAME)) response.setHeader(name, value);
    if (clears !== undefined) response.setHeader('clear-site-data', clears);
    if (reports !== undefined) response.setHeader('nel', reports);
    if (url?.endsWith('/reset') === true) response.statusCode = 205;
    const caching = typeof caches === 'string' ? ['max-age=60', caches] : FOR_LONG;
    response.setHeader('X-Kept', 'yes').setHeader('Cache-Control', caching).end(url);
  };
  const own = await startBackend(answer);
  const upgrade = (_: unknown, socket: Duplex): void =>
    void socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
  const far = await startBackend(answer, upgrade, NODE_ADDRESS);
  backendPort = own.port;
  ({ value: remote } = await save(trial, async (tx) => {
    const { id } = await tx.nodes.create({ ...aNode, address: NODE_ADDRESS });
    const there = { nodeId: id, backendPort: far.port };
    await tx.httpServices.create(serviceRow(backendPort, { pathLocation: '/team/app' }));
    for (const pathLocation of ['/', '/team']) {
      await tx.httpServices.create(serviceRow(far.port, { ...there, pathLocation }));
    }
    return there;
  }));
  for (const [domain, paths] of Object.entries(NAMES)) {
    for (const pathLocation of paths.own) await expose(trial, domain, backendPort, { pathLocation });
    for (const pathLocation of paths.remote) await expose(trial, domain, 0, { ...remote, pathLocation });
  }
});
afterAll(() => trial.close());

const statusAt = async (name: Name, path: string, headers: Record<string, string> = {}): Promise<number> =>
  (await visit(trial, name, { path, headers })).status;
const SCRIPT = { 'service-worker': 'script' };
const cachingAt = async (name: Name, path: string, headers: Record<string, string> = {}) =>
  (await visit(trial, name, { path, headers })).headers['cache-control'];

it.each(['gateway.test', ...Object.keys(NAMES)] as Name[])(
  'no service of %s answers for the gateway: a browser could keep that until visitors sign in there',
  async (name) => {
    for (const path of ['/.sallyport/sign-out', '/.sallyport/sign-in?to=%2F', '/.sallyport/']) {
      const { status, headers } = await visit(trial, name, { path });
      expect([status, headers['x-kept'], headers['cache-control']]).toEqual([404, undefined, 'no-store']);
    }
    expect(await statusAt(name, '/.sallyporter')).toBe(200);
  },
);

describe.each(['gateway.test', 'several.example.test'] as const)('on %s, which several nodes share', (name) => {
  it('no answer says anything for the whole name', async () => {
    for (const path of ['/', '/team', '/team/app']) {
      const { status, headers } = await visit(trial, name, { path });
      const kept = Object.keys(OF_A_WHOLE_NAME).filter((header) => header in headers);
      expect([path, status, headers['x-kept'], kept]).toEqual([path, 200, 'yes', []]);
    }
  });

  it('browsers keep nothing of a node: another one may be at that path next', async () => {
    const all = await Promise.all(['/', '/team', '/team/app'].map((path) => cachingAt(name, path)));
    expect(all).toEqual(['no-store', 'no-store', FOR_LONG]);
    // Firefox joins lines, and reads a quote that is open to its end: the gateway's word stands alone.
    const quote = { 'x-caches': 'private="' };
    expect(await cachingAt(name, '/team', quote)).toBe('no-store');
    expect(await cachingAt(name, '/team/app', quote)).toBe('max-age=60, private="');
  });

  it('no script becomes a service worker, also when a browser has it already', async () => {
    for (const path of ['/', '/worker.js', '/team', '/te%61m', '/team/worker.js', '/team/app/worker.js']) {
      expect([path, await statusAt(name, path, SCRIPT), await statusAt(name, path)]).toEqual([path, 403, 200]);
    }
    expect((await visit(trial, name, { path: '/worker.js' })).headers['vary']).toBe('Service-Worker');
  });

  // What a backend sends there could answer what is asked of another service next.
  it('no connection outlasts an answer that has no body for clients', async () => {
    const agent = new Agent({ keepAlive: true });
    const connectionAt = async (path: string): Promise<string | undefined> =>
      (await visit(trial, name, { path, agent })).headers.connection;
    expect(await connectionAt('/team')).toBe('keep-alive');
    expect(await connectionAt('/team/reset')).toBe('keep-alive, close');
    agent.destroy();
  });

  it('an upgrade that a visitor asked for is made', async () => {
    const socket = await openSocket(trial, name);
    socket.write(`GET /team/upgrade HTTP/1.1\r\nHost: ${name}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`);
    const [head] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    expect(String(head)).toMatch(/^HTTP\/1\.1 101 /);
    expect(String(head)).not.toMatch(/close/i);
  });

  // nginx would write what a backend says after a 101 between the frames of the client, also where it was not asked for that.
  it('no upgrade is asked for over HTTP/2', async () => {
    expect(await rawHttp2(trial, name, ['upgrade', 'websocket'], 'Not allowed')).toContain('Not allowed');
  });

  it('a node’s service at the root gives no proof of whose the name is', async () => {
    for (const path of ['pki-validation/x.txt', 'acme-challenge/x', 'webauthn', 'assetlinks.json']) {
      expect([path, await statusAt(name, `/.well-known/${path}`)]).toEqual([path, 404]);
      expect([path, await statusAt(name, `/./%2ewell-known//${path}`)]).toEqual([path, 404]);
    }
    expect(await statusAt(name, '/.well-knownx')).toBe(200);
  });
});

// A proxy in front may pass on what is no question for another protocol to it, and take the answer for a whole one: the next
// visitor's request on its connection would be the backend's.
describe.each(['several.example.test', 'node.example.test'] as const)(
  'on %s an upgrade is asked for in full',
  (name) => {
    const agreeing = new EventEmitter<{ next: [] }>();
    let taken = 0;
    beforeAll(async () => {
      const backend = createServer((socket) => {
        socket.on('error', () => undefined);
        // As much as nginx passes on at once.
        const words = `HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\n\r\n${'x'.repeat(30_000)}`;
        socket.once('data', () => {
          socket.write(words);
          socket.on('data', () => {
            taken += 1;
            agreeing.emit('next');
          });
        });
      }).listen(0, NODE_ADDRESS);
      await once(backend, 'listening');
      const { port } = backend.address() as AddressInfo;
      await expose(trial, name, 0, { ...remote, backendPort: port, pathLocation: '/agreeing' });
      return () => backend.close();
    });

    const ask = async (headers: string): Promise<Socket> => {
      const socket = await openSocket(trial, name);
      const requestOf = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nHost: ${name}\r\n${more}\r\n`;
      socket.write(requestOf('/agreeing', `${headers}\r\n`) + requestOf('/next'));
      return socket.on('error', () => undefined);
    };

    it.each([
      'Upgrade: echo',
      'Connection: keep-alive upgrade\r\nUpgrade: echo',
      'Connection: upgraded\r\nUpgrade: echo',
    ])('%j is refused', async (headers) => {
      const socket = await ask(headers);
      const [head] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(String(head)).toMatch(/^HTTP\/1\.1 400 /);
    });

    it.each(['Upgrade:', 'Upgrade:\r\nUpgrade: echo', 'Connection: upgrade', 'Connection: upgrade\r\nUpgrade:'])(
      'after %j the backend gets nothing of the next request',
      async (headers) => {
        const before = taken;
        const socket = await ask(headers);
        await once(socket, 'data');
        // What was sent on with the answer has come by then.
        expect(await statusAt(name, '/')).toBe(200);
        socket.destroy();
        expect(taken).toBe(before);
      },
    );

    it.each(['Connection: keep-alive, Upgrade', 'connection: UPGRADE ,x'])('%j asks for it', async (connection) => {
      const next = once(agreeing, 'next');
      const socket = await ask(`${connection}\r\nUpgrade: echo`);
      await next;
      expect(taken).toBeGreaterThan(0);
      socket.destroy();
    });
  },
);

it('on the gateway’s own name no service is at or below /.well-known', async () => {
  const row = serviceRow(backendPort, { pathLocation: '/.well-known/matrix' });
  const { rejected } = await save(trial, (tx) => tx.httpServices.create(row));
  expect(rejected).toMatch(/^Paths below \/\.well-known speak for/);
});

it('on a domain the administrator decides who answers below /.well-known', async () => {
  expect(await statusAt('several.example.test', '/.well-known/matrix/server')).toBe(200);
  for (const path of ['/.well-known/webauthn', '/.well-known/pki-validation/x.txt']) {
    expect([path, await statusAt('rooted.example.test', path)]).toEqual([path, 200]);
  }
});

describe('on a domain of one node', () => {
  const name = 'node.example.test';

  it('a service speaks for the name, but cannot delete cookies: they may be of the domains next to it', async () => {
    const { headers } = await visit(trial, name, {});
    const { 'clear-site-data': cleared, 'strict-transport-security': hsts, nel, ...others } = OF_A_WHOLE_NAME;
    const { 'secure-session-registration': bound, ...rest } = others;
    expect(headers).toMatchObject(rest);
    // A session that is bound to a device may be of all names below, and what it is asked first is this service.
    expect([bound, headers['secure-session-registration']]).toEqual([expect.stringContaining('ES256'), undefined]);
    expect([cleared, headers['clear-site-data']]).toEqual(['"*"', undefined]);
    // A name below it may be another node's.
    expect([hsts, headers['strict-transport-security']]).toEqual([
      expect.stringMatching(/; includeSubDomains$/),
      'max-age=31536000',
    ]);
    expect([nel, headers['nel']]).toEqual([expect.stringContaining('"include_subdomains":true'), undefined]);
    const escaped = String.raw`{"report_to":"x","max_age":9,"include\u005fsubdomains":true}`;
    const plain = '{"report_to":"x","max_age":9}';
    for (const [sent, passed] of [
      [plain, plain],
      [escaped, undefined],
    ] as const) {
      expect((await visit(trial, name, { headers: { 'x-reports': sent } })).headers['nel']).toBe(passed);
    }
    for (const [sent, passed] of [
      ['"cache", "storage"', '"cache", "storage"'],
      ['"cache", "cookies"', undefined],
    ] as const) {
      const answer = await visit(trial, name, { headers: { 'x-clears': sent } });
      expect(answer.headers['clear-site-data']).toBe(passed);
    }
  });

  it('browsers keep what they may', async () => {
    expect(await cachingAt(name, '/')).toBe(FOR_LONG);
  });

  it('a service may have a service worker', async () => {
    expect(await statusAt(name, '/worker.js', SCRIPT)).toBe(200);
  });

  it('a service proves nothing to certificate authorities, unless it stands at that very path', async () => {
    expect(await statusAt(name, '/.well-known/pki-validation/x.txt')).toBe(404);
    expect(await statusAt(name, '/.well-known/acme-challenge/x')).toBe(404);
    expect(await statusAt(name, '/.well-known/acme-challenge')).toBe(404);
    expect(await statusAt(name, '/.well-known/pki-validation/ours/x.txt')).toBe(200);
    expect(await statusAt(name, '/.well-known/webfinger')).toBe(200);
  });
});

it('what has a list tells no cache in front to give it to others', async () => {
  const name = 'listed.example.test';
  await expose(trial, name, backendPort, { allowedIps: ['127.0.0.0/8'] });
  const { headers } = await visit(trial, name, {});
  expect(headers).toMatchObject({ 'x-kept': 'yes', 'cache-control': `${FOR_LONG}, private` });
  expect(Object.keys(headers)).not.toContain('cdn-cache-control');
  expect(Object.keys(headers)).not.toContain('surrogate-control');
});

it('on a domain of the gateway’s own machine a service may say everything', async () => {
  const { headers } = await visit(trial, 'own.example.test', { path: '/team', headers: SCRIPT });
  expect(headers).toMatchObject(OF_A_WHOLE_NAME);
  expect(await statusAt('own.example.test', '/.well-known/pki-validation/x.txt')).toBe(200);
});

it('a domain is shared as soon as a second node may use it', async () => {
  const row = serviceRow(backendPort, { domain: 'node.example.test', pathLocation: '/ours' });
  const { value } = await save(trial, (tx) => tx.httpServices.create({ ...row, enabled: false }));
  expect(await statusAt('node.example.test', '/worker.js', SCRIPT)).toBe(403);
  await save(trial, (tx) => tx.httpServices.remove(value.id));
  expect(await statusAt('node.example.test', '/worker.js', SCRIPT)).toBe(200);
  await save(trial, async (tx) => {
    const [domain] = await tx.domains.all({ domain: 'own.example.test' });
    return tx.domains.update(domain?.id ?? 0, { allowedNodes: [remote.nodeId] });
  });
  expect(await statusAt('own.example.test', '/worker.js', SCRIPT)).toBe(403);
});

// An older gateway may have left one: what stands on that name is served all the same.
describe('a domain that is the gateway’s own name', () => {
  const seen = async (path: string) => {
    const { status, body } = await visit(trial, 'gateway.test', { path });
    return status === 200 ? body : status;
  };

  it('keeps its services, and all others on that name', async () => {
    const other = await startBackend((_request, response) => response.end('without a domain'));
    await save(trial, async (tx) => {
      for (const { id } of await tx.httpServices.all({ domain: null, builtin: false }))
        await tx.httpServices.remove(id);
      await tx.httpServices.create(serviceRow(other.port, { pathLocation: '/plain' }));
    });
    const { value: ids } = await trial.store.write(async (tx) => {
      const { id: domain } = await tx.domains.create(domainRow('gateway.test'));
      const named = { domain: 'gateway.test' };
      const { id: root } = await tx.httpServices.create(serviceRow(backendPort, named));
      const { id: taken } = await tx.httpServices.create(serviceRow(backendPort, { ...named, pathLocation: '/plain' }));
      const secret = { ...named, pathLocation: '/secret', requireAuth: true };
      const { id: members } = await tx.httpServices.create(serviceRow(backendPort, secret));
      return { domain, root, taken, members };
    });
    await trial.reconciler.publish([]);
    for (const at of ['now', 'after a restart']) {
      expect(await seen('/plain/x'), at).toBe('without a domain');
      expect(await seen('/other'), at).toBe('/other');
      expect(await seen('/secret'), at).toBe(503);
      expect(trial.reconciler.problem('domain', ids.domain)).toMatch(/^This is a name of the gateway itself/);
      expect(trial.reconciler.problem('httpService', ids.root)).toBeNull();
      expect(trial.reconciler.problem('httpService', ids.taken)).toMatch(/^Another service is already reached/);
      expect(trial.reconciler.problem('httpService', ids.members)).toMatch(/asks visitors to sign in/);
      await trial.restart();
    }
    await save(trial, async (tx) => {
      for (const id of [ids.root, ids.taken, ids.members]) await tx.httpServices.remove(id);
    });
    expect(await seen('/plain/x')).toBe('without a domain');
    expect(await seen('/other')).toBe(404);
    await save(trial, (tx) => tx.domains.remove(ids.domain));
  });

  it('hands no path of a node to another node’s service above it, nor the other way round', async () => {
    const another = async (name: string, address: string) => {
      const { publicKey } = createNodeKeys();
      const { value } = await save(trial, (tx) => tx.nodes.create({ ...aNode, name, address, publicKey }));
      const backend = await startBackend((_request, response) => response.end(name), undefined, address);
      return { nodeId: value.id, backendPort: backend.port };
    };
    const [crm, root] = [await another('crm', '127.0.0.21'), await another('root', '127.0.0.22')];
    const service = ({ nodeId, backendPort: at }: typeof crm, more: object) => serviceRow(at, { nodeId, ...more });
    const { value } = await save(trial, async (tx) => {
      await tx.domains.create(domainRow('gateway.test'));
      return tx.httpServices.create(service(crm, { domain: 'gateway.test', pathLocation: '/crm' }));
    });
    expect(await seen('/crm/login')).toBe('crm');
    await save(trial, (tx) => tx.httpServices.create(service(root, { domain: null, pathLocation: '/' })));
    expect([await seen('/crm/login'), await seen('/other')]).toEqual([503, 'root']);
    expect(trial.reconciler.problem('httpService', value.id)).toMatch(/^Its domain is a name of the gateway by now/);
  });
});
