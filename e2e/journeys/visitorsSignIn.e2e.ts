import { expect, test, type Browser, type Page } from '@playwright/test';
import {
  CLIENT,
  startIdentityProvider,
  type IdentityProvider,
} from '../../packages/gateway/src/testing/identityProvider.ts';
import { freePorts } from '../../packages/gateway/src/testing/freePorts.ts';
import { type GatewayProcess, signedIn, startGateway } from '../support/gateway.ts';
import { expectGoodAppearance } from '../support/appearance.ts';
import { choose, signIn } from '../support/console.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

const DOMAIN = 'app.example.test';
const SERVICE = `<!doctype html><html lang="en"><title>Reports</title><h1>Reports</h1>
<form method="post" action="/save"><button>Save</button></form></html>`;

// The second journey needs what the first one set up.
test.describe.configure({ mode: 'serial' });

let gateway: GatewayProcess;
let web: WebServer;
let provider: IdentityProvider | undefined;
let startProvider: () => Promise<IdentityProvider>;
let origin: string;

test.beforeAll(async () => {
  // Each has to know where the other will be.
  const [issuerPort = 0, https = 0] = await freePorts(2);
  origin = `https://${DOMAIN}:${https}`;
  startProvider = () => startIdentityProvider([`${origin}/.sallyport/callback`], issuerPort);
  gateway = await startGateway({
    env: {
      SALLYPORT_HTTPS_PORT: String(https),
      SALLYPORT_OIDC_ISSUER: `http://127.0.0.1:${issuerPort}`,
      SALLYPORT_OIDC_CLIENT_ID: CLIENT.clientId,
      SALLYPORT_OIDC_CLIENT_SECRET: CLIENT.clientSecret,
    },
  });
  web = await startWebServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(SERVICE);
  });
});

test.afterAll(async () => {
  await provider?.stop();
  await web?.close();
  await gateway?.close();
});

test('an administrator has visitors sign in, and says who may', async ({ page: administrator, browser }) => {
  await signIn(administrator, gateway);
  const { client } = await signedIn(gateway);
  const body = { name: 'Reports', domain: DOMAIN, backendHost: '127.0.0.1', backendPort: web.port };
  await client.httpService.create({ params: { nodeId: 1 }, body });
  await editDomain(administrator, async (dialog) => {
    await dialog.getByLabel('Enable OAuth2 authentication').click();
    await dialog.getByRole('textbox', { name: 'Allowed e-mail 1' }).fill('ann@example.test');
  });
  await requireAuthentication(administrator);

  const visitor = await newVisitor(browser);
  const asked = `${origin}/reports?month=11&sort=%2Fname`;
  // The identity provider is down at first.
  expect((await visitor.goto(asked))?.status()).toBe(503);
  await expect(visitor.getByRole('heading')).toHaveText('Sign-in is not possible');
  await expectGoodAppearance(visitor, 'signIn-providerDown');
  provider = await startProvider();
  await visitor.getByRole('link', { name: 'Try again' }).click();
  await answerProvider(visitor, 'ann@example.test');
  await expect(visitor).toHaveURL(asked);
  await expect(visitor.getByRole('heading')).toHaveText('Reports');
  expect(web.requests.at(-1)?.headers['x-auth-email']).toBe('ann@example.test');

  // Anyone who is not on the list is told so, and may be someone else.
  const guest = await newVisitor(browser);
  await guest.goto(asked);
  await answerProvider(guest, 'eve@example.test');
  await expect(guest.getByText('eve@example.test may not visit this service.')).toBeVisible();
  await expectGoodAppearance(guest, 'signIn-notAllowed');
  await guest.getByRole('link', { name: 'Sign in as someone else' }).click();
  await answerProvider(guest, 'ann@example.test');
  await expect(guest).toHaveURL(asked);
  await expect(guest.getByRole('heading')).toHaveText('Reports');
  expect(web.requests.at(-1)?.headers['x-auth-email']).toBe('ann@example.test');

  // Taken off the list, a visitor is out at once: with the next click, whatever it is.
  await editDomain(administrator, (dialog) =>
    dialog.getByRole('textbox', { name: 'Allowed e-mail 1' }).fill('bob@example.test'),
  );
  const reached = web.requests.length;
  await guest.getByRole('button', { name: 'Save' }).click();
  await expect(guest.getByRole('heading')).toHaveText('Sign in first');
  await expectGoodAppearance(guest, 'signIn-first');
  await visitor.reload();
  await expect(visitor.getByText('ann@example.test may not visit this service.')).toBeVisible();
  expect(web.requests).toHaveLength(reached);

  await visitor.getByRole('link', { name: 'Sign in as someone else' }).click();
  await answerProvider(visitor, 'bob@example.test');
  await expect(visitor).toHaveURL(asked);
});

test('a visitor signs out, and is led on when a sign-in has gone stale', async ({ browser }) => {
  const visitor = await newVisitor(browser);
  const sessions = async () =>
    (await visitor.context().cookies(origin)).filter(({ name }) => name.endsWith('_visitor'));
  await visitor.goto(`${origin}/`);
  await answerProvider(visitor, 'bob@example.test');
  await expect(visitor.getByRole('heading')).toHaveText('Reports');
  // Out of reach of the page's own scripts.
  expect(await visitor.evaluate(() => document.cookie)).toBe('');
  expect(await sessions()).toHaveLength(1);

  await visitor.goto(`${origin}/.sallyport/sign-out`);
  await visitor.getByRole('link', { name: 'Sign out' }).click();
  await expect(visitor.getByRole('heading')).toHaveText('Signed out');
  expect(await sessions()).toEqual([]);
  await expectGoodAppearance(visitor, 'signIn-signedOut');
  // The provider still knows who it is.
  await visitor.getByRole('link', { name: 'Sign in again' }).click();
  await expect(visitor).toHaveURL(`${origin}/`);
  await expect(visitor.getByRole('heading')).toHaveText('Reports');

  await visitor.goto(`${origin}/.sallyport/callback?state=stale&code=stale`);
  await expectGoodAppearance(visitor, 'signIn-stale');
  await visitor.getByRole('link', { name: 'Begin again' }).click();
  await expect(visitor.getByRole('heading')).toHaveText('Reports');
});

async function newVisitor(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
  return context.newPage();
}

/** Plays the visitor at the provider, which asks who it is and, once, whether the gateway may know. */
async function answerProvider(page: Page, email: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(email);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  const consent = page.getByRole('button', { name: 'Continue' });
  await expect(consent.or(page.getByRole('heading', { name: 'Reports' }))).toBeVisible();
  if (await consent.isVisible()) await consent.click();
}

/** @param change what is said in the domain's dialog */
async function editDomain(page: Page, change: (dialog: ReturnType<Page['getByRole']>) => Promise<unknown>) {
  await page.goto(`${gateway.consoleUrl}/domains`);
  await choose(page, DOMAIN, 'Edit Domain');
  const dialog = page.getByRole('dialog', { name: 'Domain & SSL Settings' });
  await change(dialog);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog).toBeHidden();
}

async function requireAuthentication(page: Page): Promise<void> {
  await page.goto(`${gateway.consoleUrl}/nodes/1`);
  await choose(page, 'Reports', 'Edit Service');
  const dialog = page.getByRole('dialog', { name: 'Expose HTTP Service on Node' });
  await dialog.getByLabel('Require Authentication').click();
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog', { name: 'Your Service is Published' })).toBeVisible();
  await page.keyboard.press('Escape');
}
