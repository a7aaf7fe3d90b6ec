import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../start/system.ts';
import { freePorts } from '../testing/freePorts.ts';
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../testing/identityProvider.ts';
import { createScriptedBrowser, type ScriptedBrowser } from '../testing/scriptedBrowser.ts';
import { openSignInTrial, originOf, type SignInTrial } from '../testing/signInTrial.ts';
import { createOpenIdProvider } from './openIdProvider.ts';

// An administrator sets up the identity provider in the console: it counts without a restart.

const HOST = 'app.example.test';
const PAGE = `${originOf(HOST)}/`;

let scene: SignInTrial;
let browser: ScriptedBrowser;
let other: IdentityProvider;
let otherIssuer: string;

const set = async (issuer: string | null): Promise<void> => {
  const { status } = await scene.trial.api('PATCH /api/settings/identity-provider', { ...CLIENT, issuer });
  expect(status).toBe(200);
};

beforeAll(async () => {
  scene = await openSignInTrial([HOST], {
    async openProvider({ issuer, clientId, clientSecret }) {
      if (issuer === null || clientId === null || clientSecret === null) return null;
      return createOpenIdProvider({ issuer, clientId, clientSecret }, systemClock.now);
    },
  });
  await scene.provide();
  const [port = 0] = await freePorts(1);
  otherIssuer = `http://127.0.0.1:${port}`;
  other = await startIdentityProvider([`${originOf(HOST)}/.sallyport/callback`], port);
  browser = createScriptedBrowser();
}, 60_000);
afterAll(async () => {
  await scene?.close();
  await other?.stop();
});

it('opens the services that ask for a sign-in as soon as it is there', async () => {
  const { api } = scene.trial;
  const refused = await api('POST /api/domains', { domain: HOST, skipValidation: true, authentication: true });
  expect([refused.status, refused.body['message']]).toEqual([400, expect.stringContaining('under Settings')]);
  await set(scene.issuer);
  await scene.addDomain(HOST);
  await scene.expose(HOST, { requireAuth: true });
  const page = await scene.signInAs(browser, 'ann@example.test', PAGE);
  expect([page.url, page.status]).toEqual([PAGE, 200]);
});

it('goes on with it after a restart', async () => {
  await scene.closeSocket();
  await scene.trial.stopGateway();
  await scene.trial.startGateway();
  await scene.openSocket();
  expect((await browser.ask(PAGE)).status).toBe(200);
  expect((await createScriptedBrowser().open(PAGE)).url).toContain(scene.issuer);
});

it('asks a visitor of the former one to sign in at the other one, also who is on the way to it', async () => {
  const late = createScriptedBrowser();
  const login = await late.open(PAGE);
  await set(otherIssuer);
  expect((await browser.open(PAGE)).url).toContain(otherIssuer);
  const consent = await late.submit(login, { login: 'late@example.test', password: 'any' });
  expect(await late.submit(consent, {})).toMatchObject({ status: 400, body: expect.stringContaining('Not signed in') });
});

it('closes what asks for a sign-in when it is taken away', async () => {
  await set(null);
  expect((await browser.ask(PAGE)).status).toBe(503);
  const { body } = await scene.trial.api('GET /api/services', undefined);
  expect(JSON.stringify(body)).toContain('It asks visitors to sign in, so it is closed.');
});
