import { once } from 'node:events';
import { connect } from 'node:net';
import { expect as promptly, test, type Locator, type Page } from '@playwright/test';
import { choose, closeUncopied } from '../support/console.ts';
import { startGateway, type GatewayProcess } from '../support/gateway.ts';
import { curl } from '../support/visit.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

// The way is what counts here, not how fast a busy machine goes it.
const expect = promptly.configure({ timeout: 30_000 });
const DOMAIN = 'app.example.test';
const PAGE = '<!doctype html><h1>Hello from the machine</h1>';

let gateway: GatewayProcess;
let web: WebServer;

test.beforeAll(async () => {
  gateway = await startGateway();
  web = await startWebServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(PAGE);
  });
});

test.afterAll(async () => {
  await web?.close();
  await gateway?.close();
});

const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

async function closed(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(dialog).toBeHidden();
}

/** What a person who has never seen the console comes for, by nothing but what the screens themselves offer. */
test('a newcomer finds the way through everything, and all of it again after a reload', async ({ page }) => {
  await page.goto(gateway.consoleUrl);
  await page.getByLabel(/^Username/).fill(gateway.username);
  await page.getByLabel(/^Password/).fill(gateway.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Welcome to Sallyport' })).toBeVisible();

  // A node, whose token is there once.
  await page.getByRole('button', { name: 'Create Node' }).click();
  const nodeForm = dialogOf(page, 'Client / Node Configuration');
  await nodeForm.getByLabel('Name').fill('printer');
  await nodeForm.getByRole('button', { name: 'Save' }).click();
  const ready = dialogOf(page, 'Your Node is Ready');
  const secret = await ready.getByLabel('Token', { exact: true }).inputValue();
  expect(secret.length).toBeGreaterThan(20);
  await closeUncopied(page, ready);
  await expect(page).toHaveURL(/\/nodes$/);
  await expect(page.getByRole('link', { name: 'printer' })).toBeVisible();

  // An access token, and its end.
  await page.getByRole('link', { name: 'printer' }).click();
  await page.getByRole('button', { name: 'Add Token' }).click();
  await dialogOf(page, 'Access Token Configuration').getByLabel('Name').fill('laptop');
  await dialogOf(page, 'Access Token Configuration').getByRole('button', { name: 'Save' }).click();
  const generated = dialogOf(page, 'New Access Token Generated');
  const accessToken = await generated.getByLabel('Token', { exact: true }).inputValue();
  await closeUncopied(page, generated);
  await choose(page, 'laptop', 'Revoke');
  await page.getByRole('button', { name: 'Yes, revoke token!' }).click();
  await expect(page.getByRole('row', { name: /laptop/ }).getByText('Revoked')).toBeVisible();

  // A domain.
  await page.getByRole('link', { name: 'Domain Names' }).click();
  await page.getByRole('button', { name: 'Add Domain' }).first().click();
  const domainForm = dialogOf(page, 'Domain & SSL Settings');
  await domainForm.getByLabel('Domain', { exact: false }).first().fill(DOMAIN);
  await domainForm.getByRole('button', { name: 'Save' }).click();
  const dns = dialogOf(page, 'DNS');
  await expect(dns.getByText('The name leads to this gateway.')).toBeVisible();
  await closed(dns);
  const row = page.getByRole('button', { name: `Services of ${DOMAIN}` });
  await expect(row).toBeVisible();
  await expect(page.getByRole('button', { name: `DNS of ${DOMAIN}: Leads here` })).toBeVisible();

  // A web server and a port of the gateway's own machine.
  await page.getByRole('link', { name: 'Client / Nodes' }).first().click();
  await choose(page, 'Local', 'Expose HTTP');
  const httpForm = dialogOf(page, 'Expose HTTP Service on Node');
  await httpForm.getByLabel('Service Name').fill('Shop');
  await httpForm.getByLabel('Public Domain').fill('app');
  await page.getByRole('option', { name: new RegExp(DOMAIN) }).click();
  await httpForm.getByLabel('Backend Host').fill('127.0.0.1');
  await httpForm.getByLabel('Backend Port').fill(String(web.port));
  await httpForm.getByRole('button', { name: 'Save' }).click();
  const available = dialogOf(page, 'Your Service is Published');
  const address = `https://${DOMAIN}:${gateway.ports.https}/`;
  await expect(available.getByRole('link', { name: address })).toBeVisible();
  // What the dialog promises is true the moment it says so.
  expect(await curl(address)).toEqual({ status: 200, body: PAGE });
  // The server sees which host and scheme its visitor used.
  const { host, 'x-forwarded-proto': scheme } = web.requests[0]?.headers ?? {};
  expect({ host, scheme }).toEqual({ host: `${DOMAIN}:${gateway.ports.https}`, scheme: 'https' });
  await closed(available);
  await choose(page, 'Local', 'Expose TCP');
  const tcpForm = dialogOf(page, 'Expose TCP Service on Node');
  await tcpForm.getByLabel('Service Name').fill('Broker');
  await tcpForm.getByLabel('Backend Host').fill('127.0.0.1');
  await tcpForm.getByLabel('Backend Port').fill(String(web.port));
  await tcpForm.getByRole('button', { name: 'Save' }).click();
  const tcpAddress = await available.getByText(/^tcp:\/\/localhost:\d+$/).textContent();
  await closed(available);

  // Both work, and the log tells of it.
  await page.getByRole('link', { name: 'Local', exact: true }).click();
  const socket = connect(Number(tcpAddress?.split(':').at(-1)), '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  await expect(page.getByRole('row', { name: /Shop/ }).getByText('Up', { exact: true })).toBeVisible();
  await choose(page, 'Shop', 'Logs Monitor');
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await curl(`${address}assets/[a-e].css`);
  await expect(page.getByText('/assets/e.css').first()).toBeVisible();
  await curl(`${address}welcome?token=do-not-show-me`);
  await expect(page.getByText('/welcome')).toBeVisible();
  await expect(page.getByText('do-not-show-me')).toHaveCount(0);

  // All of it is found again, and the secrets are not.
  await page.reload();
  await expect(page.getByText('/welcome')).toBeVisible();
  await page.getByRole('link', { name: 'HTTP Services' }).click();
  await expect(page.getByRole('link', { name: address })).toBeVisible();
  await expect(page.getByText(tcpAddress ?? '')).toBeVisible();
  await page.getByRole('link', { name: 'Domain Names' }).click();
  await expect(page.getByRole('link', { name: DOMAIN, exact: true })).toHaveAttribute('href', address);
  await row.click();
  await expect(page.getByRole('link', { name: address })).toBeVisible();
  await page.getByRole('link', { name: 'Client / Nodes' }).first().click();
  await page.getByRole('link', { name: 'printer' }).click();
  await expect(page.getByRole('row', { name: /laptop/ }).getByText('Revoked')).toBeVisible();
  const shown = await page.content();
  expect(shown).not.toContain(secret);
  expect(shown).not.toContain(accessToken);
});
