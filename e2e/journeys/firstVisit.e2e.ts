import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { expect as promptly, test, type Locator, type Page } from '@playwright/test';
import { curl } from '../support/curl.ts';
import { freePorts } from '../../packages/gateway/src/testing/freePorts.ts';
import { startGateway, type GatewayProcess } from '../support/gatewayProcess.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

// `SALLYPORT_STEPS=folder` keeps a picture of each step.
const STEPS = process.env['SALLYPORT_STEPS'];
// The way is what counts here, not how fast a busy machine goes it.
const expect = promptly.configure({ timeout: 30_000 });
const DOMAIN = 'app.example.test';

let gateway: GatewayProcess;
let web: WebServer;
let step = 0;

test.beforeAll(async () => {
  const [port = 0] = await freePorts(1);
  gateway = await startGateway({ env: { SALLYPORT_TCP_PORTS: `${port}-${port}` } });
  web = await startWebServer((_request, response) => {
    response.end('hello');
  });
});

test.afterAll(async () => {
  await web?.close();
  await gateway?.close();
});

const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name });

async function see(page: Page, name: string): Promise<void> {
  if (STEPS === undefined) return;
  step += 1;
  await page.screenshot({ path: path.join(STEPS, `${String(step).padStart(2, '0')}-${name}.png`) });
}

async function closed(dialog: Locator): Promise<void> {
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(dialog).toBeHidden();
}

async function choose(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${row}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** What a person who has never seen the console comes for, by nothing but what the screens themselves offer. */
test('a newcomer finds the way through everything, and all of it again after a reload', async ({ page }) => {
  test.setTimeout(120_000);
  await page.goto(gateway.consoleUrl);
  await see(page, 'login');
  await page.getByLabel(/^Username/).fill(gateway.username);
  await page.getByLabel(/^Password/).fill(gateway.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Welcome to Sallyport' })).toBeVisible();
  await see(page, 'home');

  // A node, whose token is there once.
  await page.getByRole('button', { name: 'Create Node' }).click();
  const nodeForm = dialogOf(page, 'Client / Node Configuration');
  await nodeForm.getByLabel('Name').fill('printer');
  await see(page, 'node-form');
  await nodeForm.getByRole('button', { name: 'Save' }).click();
  const ready = dialogOf(page, 'Your Node is Ready');
  const secret = await ready.getByLabel('Token', { exact: true }).inputValue();
  expect(secret.length).toBeGreaterThan(20);
  await see(page, 'node-ready');
  await closed(ready);
  await expect(page).toHaveURL(/\/nodes$/);
  await expect(page.getByRole('link', { name: 'printer' })).toBeVisible();
  await see(page, 'nodes');

  // An access token, and its end.
  await page.getByRole('link', { name: 'printer' }).click();
  await page.getByRole('button', { name: 'Add Token' }).click();
  await dialogOf(page, 'Access Token Configuration').getByLabel('Name').fill('laptop');
  await see(page, 'token-form');
  await dialogOf(page, 'Access Token Configuration').getByRole('button', { name: 'Save' }).click();
  const generated = dialogOf(page, 'New Access Token Generated');
  const accessToken = await generated.getByLabel('Token', { exact: true }).inputValue();
  await see(page, 'token-result');
  await closed(generated);
  await choose(page, 'laptop', 'Revoke');
  await see(page, 'token-revoke');
  await page.getByRole('button', { name: 'Yes, revoke token!' }).click();
  await expect(page.getByRole('row', { name: /laptop/ }).getByText('Revoked')).toBeVisible();
  await see(page, 'token-revoked');

  // A domain.
  await page.getByRole('link', { name: 'Domain Names' }).click();
  await page.getByRole('button', { name: 'Add Domain' }).first().click();
  const domainForm = dialogOf(page, 'Domain & SSL Settings');
  await domainForm.getByLabel('Domain', { exact: false }).first().fill(DOMAIN);
  await domainForm.getByRole('button', { name: 'Save' }).click();
  const skip = domainForm.getByLabel('Skip Domain Validation');
  const row = page.getByRole('button', { name: `Services of ${DOMAIN}` });
  await expect(skip.or(row)).toBeVisible();
  await see(page, 'domain-form');
  // The name leads to this machine here and there, and nowhere elsewhere: then its validation is skipped.
  if (await skip.isVisible()) {
    await skip.check();
    await domainForm.getByRole('button', { name: 'Save' }).click();
  }
  await expect(row).toBeVisible();
  await see(page, 'domains');

  // A web server and a port of the gateway's own machine.
  await page.getByRole('link', { name: 'Client / Nodes' }).first().click();
  await choose(page, 'Local', 'Expose HTTP');
  const httpForm = dialogOf(page, 'Expose HTTP Service on Node');
  await httpForm.getByLabel('Service Name').fill('Shop');
  await httpForm.getByLabel('Public Domain').fill('app');
  await page.getByRole('option', { name: new RegExp(DOMAIN) }).click();
  await httpForm.getByLabel('Backend Host').fill('127.0.0.1');
  await httpForm.getByLabel('Backend Port').fill(String(web.port));
  await see(page, 'http-form');
  await httpForm.getByRole('button', { name: 'Save' }).click();
  const available = dialogOf(page, 'Your Service is Now Publicly Available');
  const address = `https://${DOMAIN}:${gateway.ports.https}/`;
  await expect(available.getByRole('link', { name: address })).toBeVisible();
  await see(page, 'http-available');
  await closed(available);
  await choose(page, 'Local', 'Expose TCP');
  const tcpForm = dialogOf(page, 'Expose TCP Service on Node');
  await tcpForm.getByLabel('Service Name').fill('Broker');
  await tcpForm.getByLabel('Backend Host').fill('127.0.0.1');
  await tcpForm.getByLabel('Backend Port').fill(String(web.port));
  await see(page, 'tcp-form');
  await tcpForm.getByRole('button', { name: 'Save' }).click();
  const tcpAddress = await available.getByText(/^tcp:\/\/localhost:\d+$/).textContent();
  await see(page, 'tcp-available');
  await closed(available);

  // Both work, and the log tells of it.
  await page.getByRole('link', { name: 'Local', exact: true }).click();
  const socket = connect(Number(tcpAddress?.split(':').at(-1)), '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
  await expect(page.getByRole('row', { name: /Shop/ }).getByText('Backend Up')).toBeVisible();
  await see(page, 'local-node');
  await choose(page, 'Shop', 'Logs Monitor');
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await see(page, 'log-empty');
  expect((await curl(`${address}welcome`)).body).toBe('hello');
  await expect(page.getByText('/welcome')).toBeVisible();
  await see(page, 'log');

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
  await see(page, 'domain-unfolded');
  await page.getByRole('link', { name: 'Client / Nodes' }).first().click();
  await page.getByRole('link', { name: 'printer' }).click();
  await expect(page.getByRole('row', { name: /laptop/ }).getByText('Revoked')).toBeVisible();
  const shown = await page.content();
  expect(shown).not.toContain(secret);
  expect(shown).not.toContain(accessToken);
  await see(page, 'node-again');
});
