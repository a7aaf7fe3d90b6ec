import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  expose,
  openReconcileTrial,
  PORTS,
  type ReconcileTrial,
  startBackend,
  visit,
} from '../testing/reconcileTrial.ts';
import { openHttp2, rawRequest } from '../testing/wire.ts';

// What a backend gets to see of its visitor.

let trial: ReconcileTrial;
let backendPort: number;
const stops: (() => Promise<void>)[] = [];
const host = 'headers.example.test';

type Headers = Record<string, string | undefined>;
const headersIn = (answer: string): Headers =>
  JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1)) as Headers;

beforeAll(async () => {
  trial = await openReconcileTrial();
  const backend = await startBackend(({ rawHeaders }, response) => {
    const names = rawHeaders.flatMap((name, index) =>
      index % 2 === 0 ? [[name.toLowerCase(), rawHeaders[index + 1]] as const] : [],
    );
    // A header that came twice is a list, so that a test can tell.
    const all = Map.groupBy(names, ([name]) => name);
    response.end(
      JSON.stringify(
        Object.fromEntries([...all].map(([name, found]) => [name, found.length === 1 ? found[0]?.[1] : found])),
      ),
    );
  });
  stops.push(backend.stop);
  backendPort = backend.port;
  await expose(trial, host, backendPort);
});
afterAll(async () => {
  await trial.close();
  await Promise.all(stops.map((stop) => stop()));
});

const seen = async (headers: Record<string, string | string[]>): Promise<Headers> =>
  headersIn((await visit(trial, host, { headers })).body);

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
  'X-Client-IP': '198.51.100.1',
  'X-Cluster-Client-IP': '198.51.100.1',
  'True-Client-IP': '198.51.100.1',
  'CF-Connecting-IP': '198.51.100.1',
  'Fastly-Client-IP': '198.51.100.1',
  Proxy: 'http://evil.test',
};
const leftOf = (headers: Headers): string[] =>
  Object.keys(headers).filter((name) => !['x-custom', 'accept', 'connection'].includes(name));
const expected = Object.keys(truth).toSorted();

it('is the truth about the visitor, whatever the request claims', async () => {
  const headers = await seen({ ...FORGED, 'x-custom': 'kept' });
  expect(headers).toMatchObject({ ...truth, 'x-custom': 'kept' });
  expect(leftOf(headers).toSorted()).toEqual(expected);
});

it('never is a visitor’s word for who they are, as other proxies would say it', async () => {
  const names = [
    'X-Forwarded-User',
    'X-Forwarded-Email',
    'X-Forwarded-Groups',
    'X-Forwarded-Preferred-Username',
    'X-Forwarded-Access-Token',
    'Remote-User',
    'Remote-Groups',
    'Remote-Email',
    'Remote-Name',
    'X-Remote-User',
    'X-Remote-Group',
    'X-WEBAUTH-USER',
    'X-Auth-Request-User',
    'X-Auth-Request-Email',
    'X-Auth-Request-Groups',
    'X-Auth-User',
    'X-Auth-Email',
    'X-SSL-Client-Verify',
    'X-SSL-Client-CN',
    'X-SSL-Client-S-DN',
    'SSL-Client-Cert',
    'SSL-Client-Verify',
    'X-Client-Cert',
    'X-Forwarded-Client-Cert',
    'X-Forwarded-Tls-Client-Cert',
    'Client-Cert',
    'Client-IP',
    'True-Client-IP',
    'CF-Connecting-IP',
    'X-authentik-username',
    'X-authentik-groups',
    'Tailscale-User-Login',
    'Tailscale-User-Name',
    'Cf-Access-Jwt-Assertion',
    'Cf-Access-Authenticated-User-Email',
    'X-Goog-Authenticated-User-Email',
    'X-Goog-IAP-JWT-Assertion',
    'X-Amzn-Oidc-Data',
    'X-Amzn-Oidc-Identity',
    'X-MS-CLIENT-PRINCIPAL-NAME',
    'Impersonate-User',
    'X-Pomerium-Jwt-Assertion',
    'Teleport-Jwt-Assertion',
  ];
  const spellings = names.flatMap((name) => [name, name.toLowerCase(), name.replaceAll('-', '_')]);
  const answer = await rawRequest(trial, host, [
    'GET / HTTP/1.1',
    `Host: ${host}:${PORTS.https}`,
    ...spellings.map((name) => `${name}: forged`),
  ]);
  expect(answer).not.toContain('forged');
  expect(leftOf(headersIn(answer)).toSorted()).toEqual(expected);
});

it('is the truth also over HTTP/2', async () => {
  const session = await openHttp2(trial, host);
  const stream = session.request({
    ':path': '/',
    ...Object.fromEntries(Object.entries(FORGED).map(([name, value]) => [name.toLowerCase(), value])),
  });
  const headers = headersIn(await text(stream));
  session.close();
  expect(headers).toMatchObject(truth);
  expect(leftOf(headers).toSorted()).toEqual(expected);
});

it('is the truth in whatever spelling it is claimed', async () => {
  const answer = await rawRequest(trial, host, [
    'GET / HTTP/1.1',
    `Host: ${host}:${PORTS.https}`,
    ...['X_Forwarded_For', 'x-forwarded-for', 'X-FORWARDED-FOR', 'X_Real_IP', 'X-Forwarded_For', 'X-Real-Ip'].map(
      (name) => `${name}: 198.51.100.1`,
    ),
    'X-Forwarded-For.: 198.51.100.1',
    'X-Forwarded-Proto: http',
    'X-Forwarded-Proto: gopher',
  ]);
  const headers = headersIn(answer);
  expect(headers).toMatchObject(truth);
  expect(answer).not.toContain('198.51.100.1');
  expect(leftOf(headers).toSorted()).toEqual(expected);
});

it.each(['X-Forwarded-For : 198.51.100.1', ' X-Forwarded-For: 198.51.100.1', 'X-Forwarded-For\0: 198.51.100.1'])(
  'never is the line %j',
  async (line) => {
    const answer = await rawRequest(trial, host, ['GET / HTTP/1.1', `Host: ${host}`, line]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  },
);

it('cannot be taken away by naming it in Connection', async () => {
  const answer = await rawRequest(trial, host, [
    'GET / HTTP/1.1',
    `Host: ${host}:${PORTS.https}`,
    'Connection: X-Forwarded-For, X-Real-IP, Host',
  ]);
  expect(headersIn(answer)).toMatchObject(truth);
});

it.each([
  [`Host: ${host}`, host],
  [`Host: ${host}:8443`, `${host}:8443`],
  [`Host: ${host}.:`, host],
  [`Host: ${host.toUpperCase()}:8443`, `${host}:8443`],
])('names the host as it was visited, and the port at which it arrived: %s', async (line, name) => {
  const port = String(PORTS.https);
  const headers = headersIn(await rawRequest(trial, host, ['GET / HTTP/1.1', line]));
  expect(headers).toMatchObject({ host: name, 'x-forwarded-host': name, 'x-forwarded-port': port });
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
  for (const [cookie, passed] of cases) expect((await seen({ cookie }))['cookie']).toBe(passed);
});

it('never is the console’s cookie, also not in two headers of which one alone would pass', async () => {
  const lines = ['Cookie: a=1; sallyport_session=s3cret', 'Cookie: sallyport_session=s3cret; b=2'];
  const answer = await rawRequest(trial, host, ['GET / HTTP/1.1', `Host: ${host}`, ...lines]);
  expect(headersIn(answer)['cookie']).toBe('a=1; b=2');
});

it('is no offer to speak h2c, which would pass by the rules of paths', async () => {
  const offer = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAMAAABkAAQAAP__' };
  const headers = await seen(offer);
  expect(headers).not.toHaveProperty('upgrade');
  expect(headers).not.toHaveProperty('http2-settings');
});
