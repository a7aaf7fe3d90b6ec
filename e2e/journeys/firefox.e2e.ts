import { expect, test } from '@playwright/test';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { type GatewayProcess, signedIn, startGateway } from '../support/gateway.ts';
import { curl } from '../support/visit.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

// The main ways through the console in Debian's Firefox, by WebDriver BiDi: Playwright drives a Firefox of its own only.

const PATIENCE_MS = 20_000;
/** Nothing listens there: what is not on loopback is asked of it, so that the browser reaches the gateway and nothing else. */
const NOWHERE = { host: '127.0.0.1', port: 1 };

let gateway: GatewayProcess;
let web: WebServer;
let browser: Browser;
let page: Page;

test.describe.configure({ mode: 'serial' });

test.beforeAll(async () => {
  gateway = await startGateway();
  web = await startWebServer((_request, response) => void response.end('seen'));
  browser = await launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    headless: true,
    acceptInsecureCerts: true,
    defaultViewport: { width: 1440, height: 900 },
    extraPrefsFirefox: {
      'network.proxy.type': 1,
      'network.proxy.http': NOWHERE.host,
      'network.proxy.http_port': NOWHERE.port,
      'network.proxy.ssl': NOWHERE.host,
      'network.proxy.ssl_port': NOWHERE.port,
      'network.proxy.no_proxies_on': 'localhost, 127.0.0.1',
    },
  });
  page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
});
test.afterAll(async () => {
  await browser?.close();
  await web?.close();
  await gateway?.close();
});

const field = (name: string) => page.locator(`input[name="${name}"]`);
const button = (text: string) => page.locator(`button::-p-text(${text})`);
/** Waits until the page says it. */
const says = (text: string) => page.locator(`::-p-text(${text})`).wait();

test('an administrator signs in, and is still signed in after a reload', async () => {
  await page.goto(`${gateway.consoleUrl}/login`);
  await field('username').fill(gateway.username);
  await field('password').fill(gateway.password);
  await button('Sign in').click();
  await says('Documentation');
  await page.reload();
  await says('Documentation');
  expect(new URL(page.url()).pathname).toBe('/');
});

test('a service is published, and its log follows its visitors', async () => {
  await page.goto(`${gateway.consoleUrl}/nodes/1`);
  await button('Add Service').click();
  await field('name').fill('Shop');
  await field('pathLocation').fill('/shop');
  await field('backendHost').fill('127.0.0.1');
  await field('backendPort').fill(String(web.port));
  await button('Save').click();
  await says('Your Service is Published');
  const { client } = await signedIn(gateway);
  const { data } = await client.httpService.list({ params: { nodeId: 1 } });
  const shop = data.find(({ name }) => name === 'Shop');
  await page.goto(`${gateway.consoleUrl}/nodes/1/http/${shop?.id}/logs`);
  await says('Live');
  await curl(`https://localhost:${gateway.ports.https}/shop/in-firefox`);
  await says('/shop/in-firefox');
});

test('a join key is shown with its code, and why there is no line by a loopback address', async () => {
  await page.goto(`${gateway.consoleUrl}/nodes`);
  await button('Add Join Key').click();
  await field('name').fill('rack');
  await button('Save').click();
  await says('New Join Key');
  await says('There is no line yet');
  const code = await page.locator('textarea[readonly]').waitHandle();
  expect(await code.evaluate(({ value }) => value)).toMatch(/^(\w{4}-){3}\w{4}$/);
  await page.locator('button[aria-label="Copy the code"]').click();
  await button('Close').click();
  await page.waitForSelector('[role=dialog]', { hidden: true });
});

test('a new node is shown with the token by which its host joins', async () => {
  await page.goto(`${gateway.consoleUrl}/nodes`);
  await button('Add Client').click();
  await field('name').fill('printer');
  await button('Save').click();
  await says('Your Node is Ready');
  const token = await page.locator('textarea[readonly]').waitHandle();
  expect(await token.evaluate(({ value }) => value)).toMatch(/^spn_/);
});
