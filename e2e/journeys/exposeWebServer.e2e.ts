import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { curl } from '../support/curl.ts';
import { startGateway, type GatewayProcess } from '../support/gatewayProcess.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

// `SALLYPORT_SCREENS=docs/screens` renews the pictures that the documentation shows.
const SCREENS = process.env['SALLYPORT_SCREENS'] ?? 'test-results/screens';

let gateway: GatewayProcess;
let web: WebServer;

test.beforeAll(async () => {
  await mkdir(SCREENS, { recursive: true });
  gateway = await startGateway();
  web = await startWebServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end('<!doctype html><h1>Hello from the machine</h1>');
  });
});

test.afterAll(async () => {
  await web?.close();
  await gateway?.close();
});

test('an administrator exposes a web server and sees its requests', async ({ page }) => {
  await page.goto(gateway.consoleUrl);
  await expect(page).toHaveURL(/\/login$/);
  await page.getByLabel(/^Username/).fill(gateway.username);
  await page.getByLabel(/^Password/).fill('wrong password');
  await page.getByRole('button', { name: /sign in/i }).click();
  await expect(page.getByText('Invalid Credentials')).toBeVisible();
  await page.getByLabel(/^Password/).fill(gateway.password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await expect(page).toHaveURL(`${gateway.consoleUrl}/`);

  await page.goto(`${gateway.consoleUrl}/nodes`);
  await page.getByRole('link', { name: 'Local', exact: true }).click();
  await expect(page).toHaveURL(/\/nodes\/1$/);
  await expect(page.getByText('Sallyport console')).toBeVisible();

  await page
    .getByRole('button', { name: /add service/i })
    .first()
    .click();
  const dialog = page.getByRole('dialog', { name: 'Expose HTTP Service on Node' });
  await dialog.getByLabel('Service Name').fill('Hello');
  await dialog.getByLabel('Public Domain').fill('app.example.test');
  await dialog.getByLabel('Public HTTP Path').fill('/');
  await dialog.getByLabel('Backend Host').fill('127.0.0.1');
  await dialog.getByLabel('Backend Port').fill(String(web.port));
  await page.screenshot({ path: path.join(SCREENS, 'expose.png') });
  await dialog.getByRole('button', { name: 'Save' }).click();

  const info = page.getByRole('dialog', { name: 'Your Service is Now Publicly Available' });
  const address = `https://app.example.test:${gateway.ports.https}/`;
  await expect(info.getByRole('link', { name: address })).toBeVisible();
  await page.screenshot({ path: path.join(SCREENS, 'available.png') });

  // What the dialog promises is true the moment it says so.
  const reply = await curl(address);
  expect(reply).toEqual({ status: 200, body: '<!doctype html><h1>Hello from the machine</h1>' });
  // The server sees which host and scheme its visitor used.
  expect(web.requests[0]?.headers.host).toBe(`app.example.test:${gateway.ports.https}`);
  expect(web.requests[0]?.headers['x-forwarded-proto']).toBe('https');

  await page.keyboard.press('Escape');
  await expect(info).toBeHidden();
  await expect(page.getByText('Hello', { exact: true })).toBeVisible();
  await page.screenshot({ path: path.join(SCREENS, 'node.png') });

  await page
    .getByRole('row', { name: /Hello/ })
    .getByRole('button', { name: /actions/i })
    .click();
  await page.getByRole('menuitem', { name: 'Logs Monitor' }).click();
  await expect(page).toHaveURL(/\/nodes\/1\/http\/\d+\/logs$/);
  await expect(page.getByText('GET / HTTP').first()).toBeVisible();

  await curl(`${address}seen-at-once?token=do-not-show-me`);
  // The promise of the product: a request is on the screen within a second.
  await expect(page.getByText('/seen-at-once').first()).toBeVisible({ timeout: 1000 });
  await expect(page.getByText('do-not-show-me')).toHaveCount(0);
  for (const missing of ['a', 'b', 'c', 'd', 'e']) await curl(`${address}assets/${missing}.css`);
  await expect(page.getByText('/assets/e.css').first()).toBeVisible();
  await page.screenshot({ path: path.join(SCREENS, 'logs.png') });

  // The session and the service are still there after a reload.
  await page.reload();
  await expect(page.getByText('/seen-at-once').first()).toBeVisible();
});
