import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createScriptedBrowser, type Page, type ScriptedBrowser } from '../testing/scriptedBrowser.ts';
import { openSignInTrial, originOf, SESSION, type SignInTrial } from '../testing/signInTrial.ts';
import { openSocket } from '../testing/wire.ts';

const HOST = 'app.example.test';
const OTHER_HOST = 'other.example.test';
const ORIGIN = originOf(HOST);
const OTHER_ORIGIN = originOf(OTHER_HOST);

let scene: SignInTrial;
let trial: SignInTrial['trial'];
let ids: { domain: number; service: number };
let browser: ScriptedBrowser;

beforeAll(async () => {
  scene = await openSignInTrial([HOST, OTHER_HOST]);
  trial = scene.trial;
  await scene.provide();
  const domain = await scene.addDomain(HOST);
  await scene.addDomain(OTHER_HOST);
  const service = await scene.expose(HOST, { requireAuth: true, skipAuthRoutes: '/public\n^/assets/.*\\.css$' });
  ids = { domain, service };
  await scene.expose(HOST, { name: 'Open', pathLocation: '/open' });
  await scene.expose(OTHER_HOST, { requireAuth: true });
}, 60_000);
afterAll(() => scene?.close());
beforeEach(async () => {
  browser = createScriptedBrowser();
  await trial.api(`PATCH /api/domains/${ids.domain}`, { authentication: true, allowedEmails: [] });
});

const signInAs = (email: string, url = `${ORIGIN}/`, at = browser): Promise<Page> => scene.signInAs(at, email, url);
const seen = (page: Page) => JSON.parse(page.body) as { url: string; headers: Record<string, string> };

it('leads a visitor through the provider back to the page first asked for, and tells the service who it is', async () => {
  const page = await signInAs('Ann@example.test', `${ORIGIN}/deep/page?a=1&b=%2Fx`);
  expect(page.url).toBe(`${ORIGIN}/deep/page?a=1&b=%2Fx`);
  const { url, headers } = seen(page);
  expect(url).toBe('/deep/page?a=1&b=%2Fx');
  expect(headers['x-auth-email']).toBe('ann@example.test');
  expect(headers['x-auth-user']).toBe('Ann@example.test');
  expect(headers['cookie']).toBeUndefined();

  // The cookie is enough from now on; the service sees only its own.
  browser.cookies(HOST).set('theirs', '1');
  const again = await browser.ask(`${ORIGIN}/again`, { headers: { 'X-Auth-Email': 'boss@example.test' } });
  expect(again.status).toBe(200);
  expect(seen(again).headers).toMatchObject({ 'x-auth-email': 'ann@example.test', cookie: 'theirs=1' });
  // Nor does a service of the domain that is open to all learn the session.
  expect(seen(await browser.ask(`${ORIGIN}/open/`)).headers['cookie']).toBe('theirs=1');
  const posted = await browser.ask(`${ORIGIN}/form`, { method: 'POST', body: 'x'.repeat(100_000) });
  expect(posted.status).toBe(200);
});

// nginx finds the service by the path without its dots, and patterns are asked about the path as it was sent.
it.each(['/assets/../secret/x.css', '/assets/./x.css', '/x/../public', '/public/../x'])(
  'patterns open no path with segments of dots: %s',
  async (path) => {
    expect([302, 400]).toContain((await createScriptedBrowser().ask(ORIGIN + path)).status);
  },
);

it('lets no one in without a session of this domain that it gave itself', async () => {
  const stranger = createScriptedBrowser();
  const forged = { 'X-Auth-Email': 'boss@example.test', 'X-Auth-User': 'boss', 'X-Sallyport-Domain': '1' };
  expect((await stranger.ask(`${ORIGIN}/`, { headers: forged })).status).toBe(302);
  expect(seen(await stranger.ask(`${ORIGIN}/open/`, { headers: forged })).headers).not.toHaveProperty('x-auth-email');

  await signInAs('ann@example.test');
  const token = browser.cookies(HOST).get(SESSION) ?? '';
  for (const cookie of [
    `${SESSION}=${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`,
    `${SESSION}=`,
    `x${SESSION}=${token}`,
  ]) {
    expect((await stranger.ask(`${ORIGIN}/`, { headers: { cookie } })).status).toBe(302);
  }
  expect((await stranger.ask(`${OTHER_ORIGIN}/`, { headers: { cookie: `${SESSION}=${token}` } })).status).toBe(302);
  for (const path of ['check', 'ask', 'none']) {
    const page = await stranger.ask(`${ORIGIN}/.sallyport/${path}`, { headers: { cookie: `${SESSION}=${token}` } });
    expect(page).toMatchObject({ status: 404, body: expect.stringContaining('no service is open at this address') });
  }
  // A cookie that is longer than the gateway would take does not matter.
  const long = { cookie: `x=${'y'.repeat(20_000)}; ${SESSION}=${token}` };
  expect((await stranger.ask(`${ORIGIN}/`, { headers: long })).status).not.toBe(302);
});

// nginx would write it to the disk: what asks the gateway has no use for it.
it.each([
  ['a service', '/upload', 'Content-Length: 100000000'],
  ['a service, in chunks', '/upload', 'Transfer-Encoding: chunked'],
  ['the sign-in', '/.sallyport/callback', 'Content-Length: 100000000'],
  ['the sign-in, in chunks', '/.sallyport/callback', 'Transfer-Encoding: chunked'],
])('waits for no large body of a visitor who has not signed in: to %s', async (_, path, length) => {
  const socket = await openSocket(trial, HOST);
  const answer = once(socket, 'data');
  socket.write(`POST ${path} HTTP/1.1\r\nHost: ${HOST}\r\nConnection: close\r\n${length}\r\n\r\n`);
  if (length.includes('chunked')) socket.write('f4240\r\n');
  socket.on('error', () => undefined).write(Buffer.alloc(1_000_000));
  expect(String(await answer)).toMatch(path === '/upload' ? /^HTTP\/1\.1 401 [^]*Sign in first/ : /^HTTP\/1\.1 413 /);
  socket.destroy();
});

it('answers a visitor who has not signed in and sends a short form', async () => {
  const page = await browser.ask(`${ORIGIN}/form`, { method: 'POST', body: 'x'.repeat(10_000) });
  expect(page.status).toBe(401);
  expect(page.body).toContain('Sign in');
});

it('sends no script, form or WebSocket to the provider, and checks handshakes too', async () => {
  const script = await browser.ask(`${ORIGIN}/api`, { headers: { 'Sec-Fetch-Mode': 'cors' } });
  expect(script).toMatchObject({ status: 401, body: expect.stringContaining('Sign in') });
  // A page that frames it would else have the browser forget the sign-in that a visitor is at.
  const framed = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' };
  for (const path of ['/', '/.sallyport/sign-in']) {
    const frame = await browser.ask(`${ORIGIN}${path}`, { headers: framed });
    expect(frame).toMatchObject({ status: 401, body: expect.stringContaining('Sign in') });
    expect(frame.headers['set-cookie']).toBeUndefined();
  }
  const page = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };
  expect((await browser.ask(`${ORIGIN}/`, { headers: page })).status).toBe(302);
  const chunked = { 'transfer-encoding': 'chunked' };
  expect(
    (await browser.ask(`${ORIGIN}/form`, { method: 'POST', body: 'x'.repeat(50_000), headers: chunked })).status,
  ).toBe(401);
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'Sec-Fetch-Mode': 'websocket' };
  expect((await browser.ask(`${ORIGIN}/socket`, { headers: upgrade })).status).toBe(401);
  await signInAs('ann@example.test');
  expect((await browser.ask(`${ORIGIN}/socket`, { headers: upgrade })).status).toBe(101);
});

// Below the same parent a page of another name has the browser send the visitor's cookie, and reads what a WebSocket answers.
it('takes a request of another page for no visitor’s own, unless it leads the visitor here', async () => {
  await signInAs('ann@example.test');
  const as = async (headers: Record<string, string>, method = 'GET') =>
    (await browser.ask(`${ORIGIN}/api`, { method, headers })).status;
  const socket = { connection: 'upgrade', upgrade: 'websocket' };
  const foreign = originOf('page.example.test');
  for (const site of ['same-site', 'cross-site']) {
    expect(await as({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'no-cors' })).toBe(401);
    expect(await as({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'websocket', ...socket })).toBe(401);
    expect(await as({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'navigate' }, 'POST')).toBe(401);
    expect(await as({ 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'navigate' })).toBe(200);
  }
  // A script can have a browser ask as if an address was typed (Background Fetch), but not without the script's origin.
  for (const site of ['none', 'same-site', 'cross-site']) {
    for (const method of ['GET', 'HEAD', 'POST']) {
      const led = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'empty' };
      for (const origin of [foreign, 'null']) expect(await as({ ...led, origin }, method)).toBe(401);
    }
  }
  for (const mode of ['navigate', 'cors']) {
    const typed = { 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Mode': mode };
    for (const method of ['GET', 'HEAD']) expect(await as(typed, method)).toBe(200);
    expect(await as(typed, 'POST')).toBe(401);
  }
  // Browsers that say nothing of the site: they are led to the sign-in.
  for (const origin of [foreign, 'null', `${ORIGIN}0`, `http://${HOST}`]) {
    expect(await as({ origin })).toBe(302);
    expect(await as({ origin, ...socket })).toBe(302);
    expect(await as({ origin }, 'POST')).toBe(401);
  }
  expect(await as({ origin: ORIGIN, ...socket })).toBe(101);
  expect(await as({ origin: ORIGIN }, 'POST')).toBe(200);
  for (const site of ['same-origin', 'none']) {
    const own = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': 'cors', origin: ORIGIN };
    expect(await as(own, 'POST')).toBe(200);
    expect(await as({ ...own, ...socket })).toBe(101);
  }
  // What strangers may see, pages of others may, too.
  const { status } = await browser.ask(`${ORIGIN}/public`, { headers: { origin: foreign } });
  expect(status).toBe(200);
});

it('refuses an e-mail that is not allowed or not verified, and says how to be someone else', async () => {
  await trial.api(`PATCH /api/domains/${ids.domain}`, { allowedEmails: ['Ann@Example.test'] });
  const refused = await signInAs('eve@example.test');
  expect(refused).toMatchObject({ status: 403, body: expect.stringContaining('eve@example.test may not visit') });
  expect(refused.body).toContain('Sign in as someone else');
  expect(browser.cookies(HOST).has(SESSION)).toBe(false);
  const unverified = await signInAs('ann@unverified.test', `${ORIGIN}/`, createScriptedBrowser());
  expect(unverified).toMatchObject({ status: 403, body: expect.stringContaining('verified') });
  // In lower case a Kelvin sign is a k, and this is another person.
  await trial.api(`PATCH /api/domains/${ids.domain}`, { allowedEmails: ['ann@example.test', 'kim@example.test'] });
  const similar = await signInAs('\u212Aim@example.test', `${ORIGIN}/`, createScriptedBrowser());
  expect(similar).toMatchObject({ status: 403 });
  expect((await signInAs('ann@example.test', `${ORIGIN}/`, createScriptedBrowser())).status).toBe(200);
});

it('ends sessions when an e-mail is taken off the list, and when authentication was off', async () => {
  await signInAs('ann@example.test');
  const patch = (body: object) => trial.api(`PATCH /api/domains/${ids.domain}`, body);
  await patch({ allowedEmails: ['bob@example.test'] });
  expect((await browser.ask(`${ORIGIN}/`)).status).toBe(302);
  await patch({ allowedEmails: ['ann@example.test'] });
  expect((await browser.ask(`${ORIGIN}/`)).status).toBe(302);

  // The provider still knows who it is.
  expect((await browser.open(`${ORIGIN}/`)).status).toBe(200);
  await patch({ authentication: false });
  const closed = await browser.ask(`${ORIGIN}/`);
  expect(closed).toMatchObject({ status: 503, body: expect.stringContaining('Closed for now') });
  const { body } = await trial.api(`GET /api/services/1/http/${ids.service}`);
  expect(body['problem']).toContain('authentication is not enabled');
  await patch({ authentication: true });
  expect((await browser.ask(`${ORIGIN}/`)).status).toBe(302);
});

it('opens the routes that need no sign-in, and no more', async () => {
  const open = async (path: string): Promise<number> => (await createScriptedBrowser().ask(`${ORIGIN}${path}`)).status;
  expect(await open('/public')).toBe(200);
  expect(await open('/public?x=1')).toBe(200);
  expect(await open('/assets/a/site.css')).toBe(200);
  for (const path of ['/public/', '/public/x', '/publicx', '/assets/site.js', '/x/assets/site.css', '/PUBLIC']) {
    expect(await open(path), path).toBe(302);
  }
  const tricks = [
    '/public/..;/x',
    '/public/%252e%252e/x',
    '/public/..%5cx',
    '/open/..;/x',
    '/open/..%5cx',
    '/open/%252e%252e%252fx',
    '/open/%2e%2e%5cx',
    '/assets/..%2f..%2fassets/secret;.css',
    '/assets/secret;.css',
    '/assets/secret%3b.css',
    '/assets/secret%3f.css',
    '/assets/secret%23.css',
    '/assets/a%2fb.css',
    '/assets//site.css',
    '/x/..%2fpublic',
    '//public',
    '/public/%c0%ae%c0%ae/x',
  ];
  for (const path of tricks) expect([400, 302], path).toContain(await open(path));
  expect(await open('/open/fine%20name;v=1/a%2Fb')).toBe(200);
});

it('keeps caches in front from giving strangers what a visitor may see, and nothing else', async () => {
  await signInAs('ann@example.test');
  const cachingAt = async (path: string) => (await browser.ask(`${ORIGIN}${path}`)).headers['cache-control'];
  for (const path of ['/', '/report.pdf', '/assets/a/site.css'])
    expect([path, await cachingAt(path)]).toEqual([path, 'private']);
  for (const path of ['/public', '/open/']) expect([path, await cachingAt(path)]).toEqual([path, undefined]);
});

it('matches patterns in the gateway, without going back, and follows a change at once', async () => {
  const service = `PATCH /api/services/1/http/${ids.service}` as const;
  const ask = async (path: string): Promise<number> => (await createScriptedBrowser().ask(`${ORIGIN}${path}`)).status;
  const routes = (skipAuthRoutes: string) => trial.api(service, { skipAuthRoutes });
  expect((await routes('/public\n^/(a+)+$')).status).toBe(200);
  // Neither nginx nor the gateway may go back in it: that would be 2 ** 900 steps.
  const hostile = `/${'a'.repeat(900)}-`;
  expect(await ask(hostile)).toBe(302);
  expect(await ask('/aaa')).toBe(200);
  expect(await ask('/aaa?x=-')).toBe(200);
  expect(await ask(`/${'a'.repeat(5000)}`)).toBe(302);
  expect((await routes('/public\n^/ä.b$')).status).toBe(200);
  expect(await ask('/aaa')).toBe(302);
  expect(await ask('/%C3%A4xb')).toBe(200);
  expect(await ask('/%E4xb')).toBe(302);

  // What a visitor claims to be asking about is not heard.
  const lies = { 'x-sallyport-path': '/%C3%A4xb', 'x-sallyport-service': String(ids.service) };
  expect((await createScriptedBrowser().ask(`${ORIGIN}/other`, { headers: lies })).status).toBe(302);

  // While the gateway is gone no one can say whether a pattern matches; a plain path needs no asking.
  await scene.closeSocket();
  expect([await ask('/%C3%A4xb'), await ask('/public')]).toEqual([503, 200]);
  await scene.openSocket();

  // Written by an earlier version, or by hand: it opens nothing, and keeps nothing from being served.
  await trial.store.write((tx) =>
    tx.httpServices.update(ids.service, { skipAuthRoutes: '/public\n^/(?!admin)\n^/fine' }),
  );
  const { body } = await trial.api(`PATCH /api/domains/${ids.domain}`, { allowedEmails: ['ann@example.test'] });
  expect(body['problem']).toBeNull();
  expect([await ask('/x'), await ask('/fine'), await ask('/public')]).toEqual([302, 200, 200]);
  const shown = await trial.api(`GET /api/services/1/http/${ids.service}`);
  expect(shown.body['problem']).toMatch(/\^\/\(\?!admin\) cannot be used/);
  await routes('/public\n^/assets/.*\\.css$');
});

it('lets no one in while the gateway is gone, and keeps the errors of the service otherwise', async () => {
  await signInAs('ann@example.test');
  expect(await browser.ask(`${ORIGIN}/fails`)).toMatchObject({
    status: 500,
    body: expect.stringContaining('"/fails"'),
  });
  await scene.closeSocket();
  expect(await browser.ask(`${ORIGIN}/`)).toMatchObject({
    status: 503,
    body: expect.stringContaining('not available'),
  });
  expect((await browser.ask(`${ORIGIN}/open/`)).status).toBe(200);
  expect((await browser.ask(`${ORIGIN}/public`)).status).toBe(200);
  await scene.openSocket();
  expect((await browser.ask(`${ORIGIN}/`)).status).toBe(200);
});
