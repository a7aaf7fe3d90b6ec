import { once } from 'node:events';
import { chmodSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { visit } from '../testing/reconcileTrial.ts';
import { createScriptedBrowser, type Page, type ScriptedBrowser } from '../testing/scriptedBrowser.ts';
import { openSignInTrial, originOf, SESSION, type SignInTrial } from '../testing/signInTrial.ts';

// A sign-in belongs to the browser that began it: no one can be signed in as another, nor lose their session to another.

const HOST = 'app.example.test';
const ORIGIN = originOf(HOST);
const FLOW = '__Host-sallyport_flow';
/** How many ask at once. */
const VISITORS = 48;

let scene: SignInTrial;
let ann: ScriptedBrowser;
let eve: ScriptedBrowser;

beforeAll(async () => {
  scene = await openSignInTrial([HOST]);
  await scene.provide();
  await scene.addDomain(HOST);
  await scene.expose(HOST, { requireAuth: true });
}, 60_000);
afterAll(() => scene?.close());
beforeEach(() => {
  ann = createScriptedBrowser(notBack);
  eve = createScriptedBrowser(notBack);
});

/** These browsers stop at the provider's answer, which the tests then give to one browser or the other. */
const notBack = (url: string): boolean => !url.startsWith(`${ORIGIN}/.sallyport/callback`);

/** The address at which a browser signs in at the provider; the flow belongs to the browser. */
const begin = async (browser: ScriptedBrowser, path = '/'): Promise<string> =>
  (await browser.ask(`${ORIGIN}${path}`)).headers.location ?? '';

/** Has someone sign in at that address; returns the address that the provider leads back to. */
const signInAt = async (url: string, browser: ScriptedBrowser, email: string): Promise<string> =>
  (await scene.signInAs(browser, email, url)).headers.location ?? '';

const flowsOf = (browser: ScriptedBrowser): string[] =>
  [...browser.cookies(HOST)].flatMap(([name, value]) => (name.startsWith(FLOW) ? [value] : []));

const refused = { status: 400, body: expect.stringContaining('Begin again') as string };
const isSignedIn = (browser: ScriptedBrowser): boolean => browser.cookies(HOST).has(SESSION);

it('signs in no one with an answer that is foreign, made up, or used before', async () => {
  const callback = await signInAt(await begin(ann), ann, 'ann@example.test');
  expect(await ann.ask(callback)).toMatchObject({ status: 302, headers: { location: `${ORIGIN}/` } });
  expect((await ann.ask(`${ORIGIN}/`)).status).toBe(200);
  // The secret of the flow is of no more use, and gone.
  expect(flowsOf(ann)).toEqual([]);

  ann.cookies(HOST).delete(SESSION);
  expect(await ann.ask(callback)).toMatchObject(refused);
  expect(await eve.ask(callback)).toMatchObject(refused);
  await begin(eve);
  expect(await eve.ask(callback)).toMatchObject(refused);
  expect(await eve.ask(`${ORIGIN}/.sallyport/callback?code=x&state=y`)).toMatchObject(refused);
  expect([isSignedIn(ann), isSignedIn(eve)]).toEqual([false, false]);
});

it('does not sign a visitor in as the attacker who began, also with a cookie that was planted in both browsers', async () => {
  const callback = await signInAt(await begin(eve), eve, 'eve@example.test');
  expect(await ann.ask(callback)).toMatchObject(refused);

  // What a page of the same name can do to a browser: set the cookie before the visitor comes.
  const [another, victim] = [createScriptedBrowser(notBack), createScriptedBrowser(notBack)];
  for (const browser of [another, victim]) {
    for (const slot of ['', '0', '1', '2', '3'])
      browser.cookies(HOST).set(`${FLOW}${slot}`, 'planted'.repeat(7).slice(6));
  }
  const planted = await signInAt(await begin(another), another, 'eve@example.test');
  await begin(victim);
  expect(await victim.ask(planted)).toMatchObject(refused);
  expect([isSignedIn(ann), isSignedIn(victim)]).toEqual([false, false]);
});

it('does not give an attacker who began the session of a visitor who was led to the provider', async () => {
  const led = await begin(eve);
  const callback = await signInAt(led, ann, 'ann@example.test');
  // It arrives in the visitor's browser, which did not begin it. From then on it is of use to no one.
  expect(await ann.ask(callback)).toMatchObject(refused);
  expect(await eve.ask(callback)).toMatchObject(refused);
  expect([isSignedIn(ann), isSignedIn(eve)]).toEqual([false, false]);
});

it('refuses a flow whose cookie is missing, changed, or another flow’s', async () => {
  const callback = await signInAt(await begin(ann), ann, 'ann@example.test');
  const [name = ''] = [...ann.cookies(HOST).keys()];
  ann.cookies(HOST).clear();
  expect(await ann.ask(callback)).toMatchObject(refused);

  for (const secret of ['x'.repeat(43), '']) {
    const browser = createScriptedBrowser(notBack);
    const answer = await signInAt(await begin(browser, '/deep?a=1'), browser, 'ann@example.test');
    const headers = { cookie: `${name}=${secret}` };
    const page = await browser.ask(answer, { headers });
    expect(page).toMatchObject(refused);
    // The link begins again, and leads where the visitor wanted to go.
    expect(page.body).toContain(`href="/.sallyport/sign-in?to=${encodeURIComponent('/deep?a=1')}"`);
  }
});

it('takes a new secret for each flow, so that several tabs can sign in at once, in any order', async () => {
  const paths = ['/one', '/two', '/three', '/four'];
  const urls: string[] = [];
  for (const path of paths) urls.push(await begin(ann, path));
  expect(new Set(flowsOf(ann)).size).toBe(paths.length);
  const [first = '', ...others] = urls;
  const callbacks = [await signInAt(first, ann, 'ann@example.test')];
  // The provider knows them by now, and leads straight back.
  for (const url of others) callbacks.push((await ann.open(url)).headers.location ?? '');
  const pages: Page[] = [];
  for (const callback of callbacks.toReversed()) pages.push(await ann.ask(callback));
  expect(pages.map(({ headers }) => headers.location)).toEqual(paths.toReversed().map((path) => `${ORIGIN}${path}`));
  expect(flowsOf(ann)).toEqual([]);
});

it('hides the secrets of all flows from the service', async () => {
  ann.cookies(HOST).set('theirs', '1');
  const url = await begin(ann);
  for (const path of ['/two', '/three', '/four']) await begin(ann, path);
  ann.cookies(HOST).set('last', '2');
  await ann.ask(await signInAt(url, ann, 'ann@example.test'));
  // Three tabs have not come back yet.
  expect(flowsOf(ann)).toHaveLength(3);
  const { headers } = JSON.parse((await ann.ask(`${ORIGIN}/`)).body) as { headers: Record<string, string> };
  expect(headers['cookie']).toBe('theirs=1; last=2');
});

it('gives a new session at each sign-in, and ends the one that the browser had', async () => {
  await ann.ask(await signInAt(await begin(ann), ann, 'ann@example.test'));
  const before = ann.cookies(HOST).get(SESSION) ?? '';
  // At the provider she is another person now.
  ann.cookies('127.0.0.1').clear();
  await ann.ask(await signInAt(`${ORIGIN}/.sallyport/sign-in?another=1`, ann, 'bob@example.test'));
  const after = ann.cookies(HOST).get(SESSION) ?? '';
  expect(after).not.toBe(before);
  const statusOf = async (session: string): Promise<number> =>
    (await eve.ask(`${ORIGIN}/`, { headers: { cookie: `${SESSION}=${session}` } })).status;
  expect([await statusOf(before), await statusOf(after)]).toEqual([302, 200]);
});

it('signs out for pages of this origin, and asks anyone else, who may have been sent by another site', async () => {
  await ann.ask(await signInAt(await begin(ann), ann, 'ann@example.test'));
  const session = ann.cookies(HOST).get(SESSION) ?? '';
  const signOut = (site: string, method = 'GET'): Promise<Page> =>
    ann.ask(`${ORIGIN}/.sallyport/sign-out`, { method, headers: { ...(site !== '' && { 'Sec-Fetch-Site': site }) } });
  for (const [site, method] of [['cross-site'], ['same-site'], ['same-site', 'POST'], ['none'], ['']] as const) {
    expect((await signOut(site, method)).status, site).toBe(400);
  }
  expect((await ann.ask(`${ORIGIN}/`)).status).toBe(200);
  expect(await signOut('same-origin')).toMatchObject({ status: 200, body: expect.stringContaining('signed out') });
  expect(isSignedIn(ann)).toBe(false);
  expect((await ann.ask(`${ORIGIN}/`, { headers: { cookie: `${SESSION}=${session}` } })).status).toBe(302);
});

it('lets no other site put out a sign-in under way, however often it begins one', async () => {
  const address = await begin(ann);
  const from = (site: string): Promise<Page> =>
    ann.ask(`${ORIGIN}/.sallyport/sign-in`, { headers: { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Site': site } });
  const statuses: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) statuses.push((await from(turn % 2 === 0 ? 'cross-site' : 'none')).status);
  expect(statuses).toEqual([302, 302, 302, 401, 401, 401]);
  expect(flowsOf(ann)).toHaveLength(4);
  expect((await ann.ask(await signInAt(address, ann, 'ann@example.test'))).status).toBe(302);
  expect(isSignedIn(ann)).toBe(true);

  ann.cookies(HOST).delete(SESSION);
  expect((await from('cross-site')).status).toBe(302);
  expect((await from('cross-site')).status).toBe(401);
  // Anyone who presses the link of that page comes from this origin, and begins.
  expect((await from('same-origin')).status).toBe(302);
});

it('lets no page frame its own pages', async () => {
  const page = await ann.ask(`${ORIGIN}/.sallyport/callback?code=x&state=y`);
  expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'");
});

it('asks about many visitors at once over connections that are kept', async () => {
  let opened = 0;
  let asking: ServerResponse[] = [];
  // Node would close a connection after five seconds, which a busy machine takes for a round.
  const gateway = createServer({ keepAliveTimeout: 120_000 }, (_question, answer) => {
    asking.push(answer);
    if (asking.length < VISITORS) return;
    for (const each of asking) each.writeHead(204, { 'x-auth-email': 'ann@example.test' }).end();
    asking = [];
  });
  gateway.on('connection', () => (opened += 1));
  await scene.closeSocket();
  const { gatewaySocket } = scene.trial.ingress.layout;
  await once(gateway.listen(gatewaySocket), 'listening');
  chmodSync(gatewaySocket, 0o666);
  try {
    for (let round = 0; round < 6; round += 1) {
      const pages = await Promise.all(Array.from({ length: VISITORS }, () => visit(scene.trial, HOST)));
      expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
    }
    // Each of two workers or more may have come to have as many as all of them once needed.
    expect(opened).toBeLessThanOrEqual(2.5 * VISITORS);
  } finally {
    gateway.closeAllConnections();
    gateway.close();
    await scene.openSocket();
  }
});
