import { readFile } from 'node:fs/promises';
import { expect, type Page } from '@playwright/test';
import type { Client } from '@sallyport/sdk';
import { signIn, test } from '../support/console.ts';
import { curl } from '../support/visit.ts';
import { signedIn } from '../support/gateway.ts';
import { startWebServer, type WebServer } from '../support/webServer.ts';

const DOMAIN = 'logs.example.test';

let web: WebServer;
let address: string;
let client: Client;
let serviceId: number;

test.beforeAll(async ({ gateway }) => {
  web = await startWebServer((request, response) => {
    response.writeHead(request.url?.startsWith('/broken') ? 500 : 200).end('seen');
  });
  address = `https://${DOMAIN}:${gateway.ports.https}`;
  ({ client } = await signedIn(gateway));
  const backend = { backendHost: '127.0.0.1', backendPort: web.port };
  const body = { name: 'Logged', domain: DOMAIN, pathLocation: '/', ...backend };
  ({ id: serviceId } = await client.httpService.create({ params: { nodeId: 1 }, body }));
});
test.afterAll(() => web?.close());

const lines = (page: Page) => page.locator('[data-line]');
/** Opens a log, and shows its lines as text. */
async function openLines(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('radio', { name: 'Lines' }).check();
}

test('an administrator follows a log, pauses it, searches it, and finds it again', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/nodes/1/http/${serviceId}/logs`);

  // Anyone who has nothing to see is told what to do about it.
  await expect(page.getByText('No lines yet')).toBeVisible();
  await expect(page.getByRole('link', { name: `${address}/` })).toBeVisible();

  await openLines(page, `${gateway.consoleUrl}/domains/${DOMAIN}/logs`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await curl(`${address}/first`);
  await curl(`${address}/broken`);
  await expect(lines(page).filter({ hasText: 'GET /broken' })).toHaveAttribute('data-level', 'error');

  await page.getByRole('button', { name: 'Pause' }).click();
  await curl(`${address}/while-paused`);
  await curl(`${address}/<img/src=x/onerror=alert(1)>`, ['--path-as-is', '--globoff']);
  const resume = page.getByRole('button', { name: /Resume/ });
  await expect(resume).toContainText('2 waiting');
  await expect(page.getByText('/while-paused')).toHaveCount(0);
  await resume.click();
  await expect(page.getByText('/while-paused')).toBeVisible();
  await expect(page.locator('[data-line] img')).toHaveCount(0);

  await page.getByRole('region', { name: `Real time logs of ${DOMAIN}` }).focus();
  await page.keyboard.press('/');
  await page.keyboard.type('BROKEN');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1 of 1')).toBeVisible();
  await expect(page.locator('mark')).toHaveText('broken');
  await page.getByRole('checkbox', { name: '5xx' }).check();
  await expect(lines(page)).toHaveCount(1);
  await page.getByRole('button', { name: 'Show all' }).click();

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download the lines' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^logs-logs\.example\.test-.+\.txt$/);
  const saved = await readFile(await download.path(), 'utf8');
  expect(saved.split('\n')).toHaveLength(5);
  expect(saved).toContain('GET /while-paused HTTP/');

  // What was kept is there again after a reload, and so is what was chosen.
  await page.getByLabel('Keep at most').selectOption('5,000 lines');
  await page.reload();
  await expect(page.getByText('/while-paused')).toBeVisible();
  await expect(page.getByLabel('Keep at most')).toHaveValue('5000');
});

test('who reads further up is left alone while lines come, and gets back to the end', async ({ page, gateway }) => {
  await curl(`${address}/line-[0-79]-of-80`);
  await signIn(page, gateway);
  await openLines(page, `${gateway.consoleUrl}/domains/${DOMAIN}/logs`);
  await expect(page.getByText('/line-79-of-80')).toBeVisible();

  await page.getByRole('region', { name: `Real time logs of ${DOMAIN}` }).hover();
  await page.mouse.wheel(0, -600);
  const jump = page.getByRole('button', { name: /Jump to live/ });
  await expect(jump).toBeVisible();
  await curl(`${address}/comes-meanwhile`);
  await expect(jump).toContainText('1 new');
  await expect(page.getByText('/comes-meanwhile')).toHaveCount(0);
  await jump.click();
  await expect(page.getByText('/comes-meanwhile')).toBeVisible();
  await expect(jump).toHaveCount(0);
});

test('anyone who selects a line can copy it while others come, and goes back to the end by a key', async ({
  page,
  gateway,
}) => {
  await curl(`${address}/before-[0-79]`);
  await signIn(page, gateway);
  await openLines(page, `${gateway.consoleUrl}/domains/${DOMAIN}/logs`);
  await page.getByLabel('Keep at most').selectOption('1,000 lines');
  await page.getByText('/before-75').dblclick();
  const selection = () => page.evaluate('String(document.getSelection())');
  const selected = await selection();
  expect(selected).not.toBe('');
  const place = await page.getByText('/before-75').boundingBox();
  await curl(`${address}/comes-while-selected`);
  const jump = page.getByRole('button', { name: /Jump to live/ });
  await expect(jump).toContainText('1 new');
  expect(await selection()).toBe(selected);
  expect(await page.getByText('/before-75').boundingBox()).toEqual(place);
  // The row may be gone when it is out of sight; another line never stands selected in its place.
  await page.getByText('/before-75').hover();
  await page.mouse.wheel(0, -10_000);
  await expect(page.getByText('/before-75')).toHaveCount(0);
  expect(['', selected]).toContain(await selection());

  await page.getByRole('region', { name: `Real time logs of ${DOMAIN}` }).focus();
  await page.keyboard.press('End');
  await expect(jump).toHaveCount(0);
  await expect(page.getByText('/comes-while-selected')).toBeVisible();
});

test('lines stand one below the other whatever size of text the browser is set to', async ({ page, gateway }) => {
  const browser = await page.context().newCDPSession(page);
  await browser.send('Page.setFontSizes', { fontSizes: { standard: 24, fixed: 20 } });
  // In a window in which such lines have room, for those that wrap are each as high as they need.
  await page.setViewportSize({ width: 1600, height: 900 });
  await curl(`${address}/large-[0-39]`);
  await signIn(page, gateway);
  await openLines(page, `${gateway.consoleUrl}/domains/${DOMAIN}/logs`);
  await expect(page.getByText('/large-39')).toBeVisible();
  await page.getByRole('region', { name: `Real time logs of ${DOMAIN}` }).hover();
  await page.mouse.wheel(0, -300);
  await expect(page.getByRole('button', { name: /Jump to live/ })).toBeVisible();
  const rows = await lines(page).evaluateAll((all) => all.map((row) => row.getBoundingClientRect().height));
  const height = await lines(page)
    .first()
    .evaluate((row) => row.parentElement?.offsetHeight ?? 0);
  const held = Number(
    (
      await page
        .getByText(/^[\d,]+ lines$/)
        .first()
        .textContent()
    )?.replaceAll(/\D/g, ''),
  );
  expect(new Set(rows)).toEqual(new Set([height / held]));
});

test('an administrator reads requests in a table, opens one, narrows down to it, and blocks who made it', async ({
  page,
  gateway,
}) => {
  await curl(`${address}/table-a`, ['--user-agent', 'probe/1']);
  await curl(`${address}/broken-b`, ['--user-agent', 'probe/2']);
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/nodes/1/http/${serviceId}/logs`);
  await expect(page.getByRole('heading', { level: 1, name: 'Logged' })).toBeVisible();
  const rows = page.getByRole('listbox', { name: 'Real time logs of Logged' }).getByRole('option');
  await expect(rows.filter({ hasText: '/broken-b' })).toHaveAttribute('data-level', 'error');

  await page.getByRole('listbox', { name: 'Real time logs of Logged' }).focus();
  await rows.filter({ hasText: '/broken-b' }).click();
  const details = page.getByRole('complementary', { name: 'Details of the line' });
  await expect(details).toContainText('probe/2');
  await expect(details).toContainText(DOMAIN);
  await page.keyboard.press('ArrowUp');
  await expect(details).toContainText('probe/1');
  await details.getByRole('button', { name: 'Only this path' }).click();
  await expect(rows).toHaveCount(1);

  await details.getByRole('button', { name: 'Block this address' }).click();
  await expect(page.getByText(' is blocked from Logged.')).toBeVisible();
  await expect.poll(async () => (await curl(`${address}/table-a`)).status).toBe(403);
  await expect(rows).toHaveCount(2);
  await client.httpService.update({ params: { nodeId: 1, id: serviceId }, body: { blockedIps: [] } });

  await page.getByRole('button', { name: 'Close the details' }).click();
  await expect(details).toHaveCount(0);
  await page.reload();
  await expect(rows.filter({ hasText: '/table-a' }).first()).toBeVisible();
});

test('a log ends with its domain, and a domain that is not there is named', async ({ page, gateway }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await curl(`${address}/before-the-end`);
  await signIn(page, gateway);
  await openLines(page, `${gateway.consoleUrl}/domains/${DOMAIN}/logs`);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);

  await client.httpService.remove({ params: { nodeId: 1, id: serviceId } });
  const { data } = await client.domain.list({ query: { limit: 100 } });
  await client.domain.remove({ params: { id: data.find(({ domain }) => domain === DOMAIN)?.id ?? 0 } });
  await expect(page.getByText(`${DOMAIN} was deleted`)).toBeVisible();
  await expect(page.getByText('/before-the-end')).toBeVisible();

  await page.reload();
  await expect(page.getByRole('heading', { name: `There is no domain ${DOMAIN}` })).toBeVisible();
  await page.getByRole('link', { name: 'Back to Domain Names' }).click();
  await expect(page).toHaveURL(/\/domains$/);
});
