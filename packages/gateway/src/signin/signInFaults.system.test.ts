import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { hasNetworkRights } from '../machine/ownProcess.ts';
import { createScriptedBrowser, type ScriptedBrowser } from '../testing/scriptedBrowser.ts';
import { openSignInTrial, originOf, SESSION, type SignInTrial } from '../testing/signInTrial.ts';
import { openWebSocket } from '../testing/wire.ts';

const HOST = 'app.example.test';
const PASSING_HOST = 'passing.example.test';
const ORIGIN = originOf(HOST);

let scene: SignInTrial;
let ids: { domain: number; service: number; open: number };
let browser: ScriptedBrowser;

beforeAll(async () => {
  scene = await openSignInTrial([HOST, PASSING_HOST]);
  const domain = await scene.addDomain(HOST);
  const service = await scene.expose(HOST, { requireAuth: true });
  const open = await scene.expose(HOST, { name: 'Open', pathLocation: '/open' });
  ids = { domain, service, open };
}, 60_000);
afterAll(() => scene?.close());
beforeEach(async () => {
  browser = createScriptedBrowser();
  await patchDomain({ authentication: true, allowedEmails: [] });
});

const patchDomain = async (body: object): Promise<void> => {
  const reply = await scene.trial.api(`PATCH /api/domains/${ids.domain}`, body);
  expect(reply.status).toBe(200);
};

it('says that the identity provider is down, and goes on when it is there', async () => {
  const down = await browser.open(`${ORIGIN}/deep`);
  expect(down).toMatchObject({ status: 503, body: expect.stringContaining('Try again') });
  expect(down.url).toBe(`${ORIGIN}/deep`);
  expect(scene.failures).toMatchObject([{ name: 'ProviderError', kind: 'unreachable' }]);
  const crowd = Array.from({ length: 5 }, () => createScriptedBrowser().open(`${ORIGIN}/deep`));
  expect((await Promise.all(crowd)).map(({ status }) => status)).toEqual([503, 503, 503, 503, 503]);
  await scene.provide();
  const [, again = ''] = /<a href="([^"]+)"/.exec(down.body) ?? [];
  const page = await scene.signInAs(browser, 'ann@example.test', `${ORIGIN}${again.replaceAll('&amp;', '&')}`);
  expect(page).toMatchObject({ url: `${ORIGIN}/deep`, status: 200 });
  expect(scene.failures).toMatchObject(Array.from({ length: 6 }, () => ({ name: 'ProviderError' })));
});

it('lets who is signed in go on while the provider is gone, and sends others there in vain', async () => {
  await scene.provide();
  await scene.signInAs(browser, 'ann@example.test', `${ORIGIN}/`);
  const late = createScriptedBrowser();
  const sent = await late.ask(`${ORIGIN}/deep`);
  await scene.withdraw();
  expect((await browser.ask(`${ORIGIN}/`)).status).toBe(200);
  // Where the provider is was asked less than an hour ago: the browser is led there, and says itself that no one answers.
  const other = await createScriptedBrowser().ask(`${ORIGIN}/deep`);
  expect([other.status, other.headers.location?.startsWith(`${scene.issuer}/`)]).toEqual([302, true]);
  // Who was there in time comes back with an answer that cannot be looked into.
  const { searchParams } = new URL(sent.headers.location ?? '');
  const state = encodeURIComponent(searchParams.get('state') ?? '');
  const back = await late.ask(
    `${ORIGIN}/.sallyport/callback?code=any&state=${state}&iss=${encodeURIComponent(scene.issuer)}`,
  );
  expect(back.status).toBe(503);
  expect(back.body).toContain('The identity provider does not answer. Try again in a moment.');
  expect(scene.failures.at(-1)).toMatchObject({ name: 'ProviderError', kind: 'unreachable' });
  await scene.provide();
});

it('does not know the visitors of a domain that was deleted and made again', async () => {
  await scene.provide();
  const make = async (): Promise<number> => {
    const id = await scene.addDomain(PASSING_HOST);
    await scene.expose(PASSING_HOST, { requireAuth: true });
    return id;
  };
  const id = await make();
  const url = `${originOf(PASSING_HOST)}/`;
  await scene.signInAs(browser, 'ann@example.test', url);
  expect((await browser.ask(url)).status).toBe(200);
  await scene.trial.api(`DELETE /api/domains/${id}`);
  await make();
  expect(browser.cookies(PASSING_HOST).has(SESSION)).toBe(true);
  expect((await browser.ask(url)).status).toBe(302);
});

it.for([
  ['an e-mail is taken off the list', () => patchDomain({ allowedEmails: ['bob@example.test'] })],
  ['authentication is turned off', () => patchDomain({ authentication: false })],
] as const)('ends an open WebSocket within a second when %s', async ([, narrow], { skip }) => {
  skip(!hasNetworkRights(), 'only root may end connections, and not in every container');
  await scene.provide();
  await patchDomain({ allowedEmails: ['ann@example.test', 'bob@example.test'] });
  await scene.signInAs(browser, 'ann@example.test', `${ORIGIN}/`);
  const socket = await openEcho();
  await narrow();
  // Workers that are not told to end what is open keep it for half an hour.
  expect(await socket.ended).toBeGreaterThan(0);
});

it('leaves an open WebSocket alone when more visitors may come in', async () => {
  await scene.provide();
  await patchDomain({ allowedEmails: ['ann@example.test'] });
  await scene.signInAs(browser, 'ann@example.test', `${ORIGIN}/`);
  const socket = await openEcho();
  await patchDomain({ allowedEmails: ['bob@example.test', 'ann@example.test'] });
  await patchDomain({ allowedEmails: [] });
  expect(await socket.say('still here')).toBe('still here');
  socket.socket.destroy();
});

it('names domain and service in the log, and no secret', async () => {
  await scene.provide();
  const marks = { d: String(ids.domain), s: String(ids.service) };
  await scene.signInAs(browser, 'ann@example.test', `${ORIGIN}/logged-page`);
  await browser.ask(`${ORIGIN}/logged-script`, { headers: { 'Sec-Fetch-Mode': 'cors', cookie: 'none=1' } });
  await browser.ask(`${ORIGIN}/open/logged`);
  await browser.ask(`${ORIGIN}/.sallyport/sign-out`);
  // Each worker of nginx writes its lines a moment after the answer, and they do not wait for each other.
  const counts = (): number[] =>
    ['/logged-page', '/logged-script', '/open/logged', 'sign-out'].map((path) => logged(path).length);
  await expect.poll(counts).toEqual([2, 1, 1, 1]);
  // On the way to the provider, and back from it.
  expect(logged('/logged-page')).toMatchObject([
    { ...marks, st: '302' },
    { ...marks, st: '200' },
  ]);
  expect(logged('/logged-script')).toMatchObject([{ ...marks, st: '401' }]);
  expect(logged('/open/logged')).toMatchObject([{ ...marks, s: String(ids.open), st: '200' }]);
  // Pages of the sign-in belong to the whole domain.
  const callbacks = logged('/.sallyport/callback');
  expect(callbacks.at(-1)).toMatchObject({ ...marks, s: '', st: '302' });
  for (const { r } of callbacks) expect(r).toContain('?[redacted] ');
  expect(logged('/check')).toEqual([]);
});

/** The lines of the access log that name a path. */
const logged = (path: string): Record<string, string>[] =>
  readFileSync(scene.trial.ingress.layout.accessLog, 'utf8')
    .split('\n')
    .filter((line) => line.includes(path))
    .map((line) => JSON.parse(line) as Record<string, string>);

/** A WebSocket of the browser's visitor to the protected service, which says everything again. */
async function openEcho() {
  const headers = [`Cookie: ${SESSION}=${browser.cookies(HOST).get(SESSION)}`];
  const socket = await openWebSocket(scene.trial, HOST, { path: '/echo', headers });
  expect(await socket.say('hello')).toBe('hello');
  return socket;
}
