import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  expose,
  openReconcileTrial,
  PORTS,
  type ReconcileTrial,
  save,
  serviceRow,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { openHttp2, rawHttp2, rawRequest } from '../testing/wire.ts';

// Which service a request reaches, and what its backend gets to see of it.

let trial: ReconcileTrial;
const host = 'paths.example.test';
/** With so many that nginx has one location for each, and a pattern for what is outside all of them. */
const crowded = 'crowded.example.test';
const CROWD = ['/app-2', '/app.x', '/apple/pie', '/a', '/ap_', '/other/deep', '/z', '/zz', '/~me'];
const CROWD_SIZE = 33;
const REST = Array.from({ length: CROWD_SIZE - CROWD.length }, (_, index) => `/rest/${index}`);

type Seen = { name: string; url: string; headers: Record<string, string | string[] | undefined> };
const seenIn = (answer: string): Seen =>
  JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) as Seen;

/** Answers with its own name and what it was asked; a header that came twice is a list. */
const backend = async (name: string): Promise<number> => {
  const { port } = await startBackend(({ url, rawHeaders }, response) => {
    const headers: Record<string, string | string[]> = {};
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const [key = '', value = ''] = [rawHeaders[index]?.toLowerCase(), rawHeaders[index + 1]];
      headers[key] = key in headers ? [headers[key] ?? '', value].flat() : value;
    }
    response.end(JSON.stringify({ name, url, headers }));
  });
  return port;
};

beforeAll(async () => {
  trial = await openReconcileTrial();
  const [root, app, deep] = [await backend('root'), await backend('app'), await backend('deep')];
  for (const domain of [host, crowded]) {
    await expose(trial, domain, root);
    await expose(trial, domain, app, { pathLocation: '/app' });
    await expose(trial, domain, deep, { pathLocation: '/app/deep/' });
  }
  await exposeCrowd(crowded);
});
afterAll(() => trial.close());

async function exposeCrowd(domain: string) {
  const port = await backend('rest');
  const ofRest = REST.map((path) => expose(trial, domain, port, { pathLocation: path }));
  const saved = CROWD.map(async (path) => expose(trial, domain, await backend(path), { pathLocation: path }));
  await Promise.all(ofRest);
  return Promise.all(saved);
}

/** A client of Node would tidy some paths up. */
const ask = (path: string, ...lines: string[]): Promise<string> =>
  rawRequest(trial, host, [`GET ${path} HTTP/1.1`, ...lines]);
const visited = async (domain: string, path = '/'): Promise<Seen> =>
  seenIn((await visit(trial, domain, { path })).body);

const LONGEST = [
  ['/', 'root'],
  ['/apple', 'root'],
  ['/APP', 'root'],
  ['/ap', 'root'],
  ['/other/app', 'root'],
  ['/app', 'app'],
  ['/app/', 'app'],
  ['/app?x=1', 'app'],
  ['/app/deeper', 'app'],
  ['/app/deep', 'deep'],
  ['/app/deep/', 'deep'],
  ['/app/deep/a%20b//c', 'deep'],
  // As a backend would understand it, so that no spelling leads past the lists of a longer path.
  ['//app', 'app'],
  ['/app//deep/x', 'deep'],
  ['/%61pp/x', 'app'],
  ['/app%2Fdeep', 'deep'],
  ['/app/./deep', 'deep'],
  // Decoded once, as backends do.
  ['/%2561pp', 'root'],
  ['/app%0A', 'root'],
  ['/app/%0A', 'app'],
];

describe('the path of a service', () => {
  it.each(LONGEST)('fits %s to the longest one, and passes it on as it was asked', async (path = '', name) => {
    expect(seenIn(await ask(path, `Host: ${host}`))).toMatchObject({ name, url: path });
  });

  it.each([
    ...LONGEST,
    ...CROWD.flatMap((path) => [path, `${path}/`, `${path}/x?y`].map((below) => [below, path])),
    ...CROWD.flatMap((path) => [`${path}!`, `${path}%0A`, `${path}x/`].map((neighbour) => [neighbour, 'root'])),
    ['/app_x', 'root'],
  ])('fits %s to the longest of many, too', async (path = '', name) => {
    expect(seenIn(await ask(path, `Host: ${crowded}`))).toMatchObject({ name, url: path });
  });

  it('goes on fitting when some of many go, and nothing is there where no service is', async () => {
    const domain = 'going.example.test';
    const saved = await exposeCrowd(domain);
    for (const path of ['/', '/zzz']) expect((await visit(trial, domain, { path })).status).toBe(404);
    await save(trial, async (tx) => {
      for (const { value } of saved.slice(0, 2)) await tx.httpServices.remove(value.id);
    });
    for (const path of [...CROWD.slice(0, 2), '/zzz']) expect((await visit(trial, domain, { path })).status).toBe(404);
    for (const path of CROWD.slice(2)) expect((await visited(domain, `${path}/x`)).name).toBe(path);
  });

  it.each([
    '/../etc/passwd',
    '/app/../../x',
    '/app%00',
    '/%',
    '/%zz',
    // From one service into another.
    '/x/..%2Fapp/deep',
    '/x/%2e%2e/app',
    '/app/deep/../../up',
  ])('never is %s', async (path) => {
    const answer = await ask(path, `Host: ${host}`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).not.toContain('"name"');
  });

  it('keeps a path with a last slash and the same without one service', async () => {
    const { rejected } = await expose(trial, host, await backend('again'), { pathLocation: '/app/' });
    expect(rejected).toMatch(/already reached by the same domain and path/);
    expect((await visited(host, '/app/')).name).toBe('app');
  });
});

describe('the host of a request', () => {
  it.each([host, `${host}:${PORTS.https}`, `${host}:1`, `${host}.`, host.toUpperCase(), `Paths.Example.Test.:443`])(
    'is the domain when it is written %s',
    async (written) => {
      const { name, url, headers } = seenIn(await ask('/who', `Host: ${written}`));
      expect([name, url]).toEqual(['root', '/who']);
      expect(headers['host']).toMatch(new RegExp(`^${host}(:\\d+)?$`));
    },
  );

  it.each([
    ['two of them', [`Host: ${host}`, 'Host: evil.test']],
    ['none', []],
    ['one that is no host', ['Host: a b']],
    ['one with a path', [`Host: ${host}/app`]],
  ])('is refused when there are %s', async (_, lines) => {
    expect(await ask('/app', ...lines)).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('of an absolute request line counts more than the header', async () => {
    const { name, url, headers } = seenIn(await ask(`https://${host}/app`, 'Host: evil.test'));
    expect([name, url, headers['host']]).toEqual(['app', '/app', host]);
  });

  describe('that is no domain', () => {
    let id: number;
    beforeAll(async () => {
      const { value } = await save(trial, async (tx) => tx.httpServices.create(serviceRow(await backend('bare'))));
      id = value.id;
    });
    afterAll(() => save(trial, (tx) => tx.httpServices.remove(id)));

    it.each([
      'gateway.test',
      'gateway.test.',
      'Alias.Example.Test',
      'machine.test',
      'localhost',
      'sub.localhost',
      'localhost.localdomain',
      '127.0.0.1',
      '203.0.113.9',
      '[::1]',
      `[2001:db8::1]:${PORTS.https}`,
    ])('is the gateway itself when it is %s, and reaches the services without a domain', async (written) => {
      expect(seenIn(await ask('/bare/x', `Host: ${written}`))).toMatchObject({ name: 'bare', url: '/bare/x' });
      // The services of a domain stay with it.
      expect((await visited(host, '/bare')).name).toBe('root');
    });

    it.each([
      ['gateway.test', 'gateway.test'],
      [`gateway.test:${PORTS.https}`, `gateway.test:${PORTS.https}`],
      ['gateway.test:20005', 'gateway.test'],
      ['localhost', 'localhost'],
      // The address at which it arrived.
      ['127.0.0.1', '127.0.0.1'],
      ['203.0.113.9', 'gateway.test'],
      ['203.0.113.9:8443', 'gateway.test'],
      ['[2001:db8::bad]', 'gateway.test'],
      ['999.999.999.999', 'gateway.test'],
      ['evil.localhost', 'gateway.test'],
    ])('asked for as %s, tells a backend %s, to which a link may lead', async (written, told) => {
      const { headers } = seenIn(await ask('/bare/x', `Host: ${written}`));
      expect([headers['host'], headers['x-forwarded-host']]).toEqual([told, told]);
    });

    it.each(['unknown.example.test', `sub.${host}`, 'example.test', 'gateway.test.evil.test', '127.0.0.1.evil.test'])(
      'is unknown when it is %s, and reaches nothing',
      async (written) => {
        for (const path of ['/', '/.well-known/x']) {
          const answer = await ask(path, `Host: ${written}`);
          expect(answer).toMatch(/^HTTP\/1\.1 421 /);
          // It tells nothing of what is here, nor of what was asked for.
          expect(answer).not.toMatch(/bare|evil|gateway\.test/);
        }
      },
    );

    it('may be left out in HTTP/1.0', async () => {
      expect(seenIn(await rawRequest(trial, 'gateway.test', ['GET /x HTTP/1.0']))).toMatchObject({ name: 'bare' });
    });
  });
});

describe('what a backend sees of its visitor', () => {
  const truth = {
    host: `${host}:${PORTS.https}`,
    'x-forwarded-for': '127.0.0.1',
    'x-real-ip': '127.0.0.1',
    'x-forwarded-proto': 'https',
    'x-forwarded-host': `${host}:${PORTS.https}`,
    'x-forwarded-port': String(PORTS.https),
  };
  const FORGED = {
    'X-Forwarded-For': '198.51.100.1',
    'X-Real-IP': '198.51.100.1',
    'X-Forwarded-Proto': 'http',
    'X-Forwarded-Host': 'evil.test',
    'X-Forwarded-Port': '1',
    Forwarded: 'for=198.51.100.1',
    'X-Forwarded': 'for=198.51.100.1',
    'X-Forwarded-Server': 'evil.test',
    'X-Forwarded-Scheme': 'http',
    'X-Forwarded-Protocol': 'http',
    'X-Forwarded-Ssl': 'off',
    'X-Forwarded-Prefix': '/evil',
    'X-Url-Scheme': 'http',
    'Front-End-Https': 'off',
    'X-Original-For': '198.51.100.1',
    'X-Original-Host': 'evil.test',
    'X-Original-URL': '/admin',
    'X-Rewrite-URL': '/admin',
    Proxy: 'http://evil.test',
  };
  /** By which other proxies name the visitor, and their address. */
  const IDENTITIES =
    'X-Forwarded-User X-Forwarded-Email X-Forwarded-Groups X-Forwarded-Preferred-Username X-Forwarded-Access-Token ' +
    'Remote-User Remote-Groups Remote-Email Remote-Name X-Remote-User X-Remote-Group X-WEBAUTH-USER X-Auth-User ' +
    'X-Auth-Email X-Auth-Request-User X-Auth-Request-Email X-Auth-Request-Groups X-SSL-Client-Verify X-SSL-Client-CN ' +
    'X-SSL-Client-S-DN SSL-Client-Cert SSL-Client-Verify X-Client-Cert X-Forwarded-Client-Cert Client-Cert ' +
    'X-Forwarded-Tls-Client-Cert Client-IP X-Client-IP X-Cluster-Client-IP True-Client-IP CF-Connecting-IP ' +
    'Fastly-Client-IP X-authentik-username X-authentik-groups Tailscale-User-Login Tailscale-User-Name ' +
    'Cf-Access-Jwt-Assertion Cf-Access-Authenticated-User-Email X-Goog-Authenticated-User-Email ' +
    'X-Goog-IAP-JWT-Assertion X-Amzn-Oidc-Data X-Amzn-Oidc-Identity X-MS-CLIENT-PRINCIPAL-NAME Impersonate-User ' +
    'X-Pomerium-Jwt-Assertion Teleport-Jwt-Assertion X-Consumer-Username X-Consumer-Groups X-Authenticated-Userid ' +
    'X-Credential-Identifier X-Userinfo X-Auth-Subject X-Auth-Roles X-Token-Subject X-Token-User-Roles iv-user ' +
    'iv-groups X-Forwarded-Login X-Remote-User-Id Remote-Role Remote-User-First-Name';
  const leftOf = ({ headers }: Seen): string[] =>
    Object.keys(headers)
      .filter((name) => !['x-custom', 'accept', 'connection'].includes(name))
      .toSorted();
  const expected = Object.keys(truth).toSorted();
  const seen = async (headers: Record<string, string | string[]>): Promise<Seen> =>
    seenIn((await visit(trial, host, { headers })).body);

  it('is the truth, whatever the request claims', async () => {
    const found = await seen({ ...FORGED, 'x-custom': 'kept' });
    expect(found.headers).toMatchObject({ ...truth, 'x-custom': 'kept' });
    expect(leftOf(found)).toEqual(expected);
  });

  it('is the truth also over HTTP/2', async () => {
    const session = await openHttp2(trial, host);
    const forged = Object.entries(FORGED).map(([name, value]) => [name.toLowerCase(), value]);
    const found = seenIn(await text(session.request({ ':path': '/', ...Object.fromEntries(forged) })));
    session.close();
    expect(found.headers).toMatchObject(truth);
    expect(leftOf(found)).toEqual(expected);
  });

  it('has what visitors send for themselves', async () => {
    const sent = { authorization: 'Bearer own', 'x-auth-token': 'own', 'x-api-key': 'own' };
    expect((await seen(sent)).headers).toMatchObject(sent);
  });

  it('never is a visitor’s word for who they are, as other proxies would say it', async () => {
    const names = IDENTITIES.split(' ');
    const spellings = names.flatMap((name) => [name, name.toLowerCase(), name.replaceAll('-', '_')]);
    const answer = await ask('/', `Host: ${host}:${PORTS.https}`, ...spellings.map((name) => `${name}: forged`));
    expect(answer).not.toContain('forged');
    expect(leftOf(seenIn(answer))).toEqual(expected);
  });

  it('is the truth in whatever spelling it is claimed, and cannot be taken away by naming it in Connection', async () => {
    const spellings =
      'X_Forwarded_For x-forwarded-for X-FORWARDED-FOR X_Real_IP X-Forwarded_For X-Real-Ip X-Forwarded-For.';
    const answer = await ask(
      '/',
      `Host: ${host}:${PORTS.https}`,
      ...spellings.split(' ').map((name) => `${name}: 198.51.100.1`),
      'X-Forwarded-Proto: http',
      'X-Forwarded-Proto: gopher',
      'Connection: X-Forwarded-For, X-Real-IP, Host',
    );
    expect(seenIn(answer).headers).toMatchObject(truth);
    expect(answer).not.toContain('198.51.100.1');
    expect(leftOf(seenIn(answer))).toEqual(expected);
  });

  it.each(['X-Forwarded-For : 198.51.100.1', ' X-Forwarded-For: 198.51.100.1', 'X-Forwarded-For\0: 198.51.100.1'])(
    'never is the line %j',
    async (line) => {
      expect(await ask('/', `Host: ${host}`, line)).toMatch(/^HTTP\/1\.1 400 /);
    },
  );

  it.each([
    [`Host: ${host}`, host],
    [`Host: ${host}:${PORTS.https}`, `${host}:${PORTS.https}`],
    [`Host: ${host.toUpperCase()}:${PORTS.https}`, `${host}:${PORTS.https}`],
    [`Host: ${host}.:`, host],
    // A node may have a service at that port: a link to it would lead there.
    [`Host: ${host}:8443`, host],
    [`Host: ${host}:1${PORTS.https}`, host],
  ])('names the host as it was visited, and no port but the one at which it arrived: %s', async (line, name) => {
    const { headers } = seenIn(await ask('/', line));
    const port = String(PORTS.https);
    expect(headers).toMatchObject({ host: name, 'x-forwarded-host': name, 'x-forwarded-port': port });
  });

  it('is no offer to speak h2c, which would pass by the rules of paths', async () => {
    const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
    const { headers } = await seen(offer);
    expect(headers).not.toHaveProperty('upgrade');
    expect(headers).not.toHaveProperty('http2-settings');
  });

  // nginx would write what follows the backend's 101 between the frames of the client.
  it('is no upgrade over HTTP/2, which knows none', async () => {
    const { headers } = seenIn(await rawHttp2(trial, host, ['upgrade', 'websocket'], '}}'));
    expect(headers).toMatchObject({ host });
    expect(headers).not.toHaveProperty('upgrade');
  });
});
