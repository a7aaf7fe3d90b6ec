import { expect as promptly, test, type Page } from '@playwright/test';
import { startGateway, type GatewayProcess } from '../support/gatewayProcess.ts';

const expect = promptly.configure({ timeout: 30_000 });

let gateway: GatewayProcess;
test.beforeAll(async () => {
  gateway = await startGateway();
});
test.afterAll(() => gateway?.close());

async function signIn(page: Page): Promise<void> {
  await page.goto(gateway.consoleUrl);
  await page.getByLabel(/^Username/).fill(gateway.username);
  await page.getByLabel(/^Password/).fill(gateway.password);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'Welcome to Sallyport' })).toBeVisible();
}

/** From now on the files of this build are gone, and the page that the gateway names is another one. */
async function update(page: Page, missing: RegExp): Promise<void> {
  await page.route(missing, (route) => route.fulfill({ status: 404, body: '' }));
  await page.route(gateway.consoleUrl, async (route) => {
    if (route.request().isNavigationRequest()) {
      await page.unroute(missing);
      await route.continue();
    } else {
      const reply = await route.fetch();
      const body = (await reply.text()).replaceAll(/\/assets\/([\w.-]+)\.js/g, '/assets/$1-new.js');
      await route.fulfill({ response: reply, body });
    }
  });
}

test('after an update the console reloads by itself, once, and the part that was missing is there', async ({
  page,
}) => {
  await signIn(page);
  await update(page, /\/assets\/.*NodeFormDialog.*\.js/);
  const reloaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Create Node' }).click();
  await reloaded;
  await page.getByRole('button', { name: 'Create Node' }).click();
  await expect(page.getByRole('dialog', { name: 'Client / Node Configuration' })).toBeVisible();
});

test('after an update the console asks first where a form is open', async ({ page }) => {
  await signIn(page);
  await page.getByRole('button', { name: 'Create Node' }).click();
  const form = page.getByRole('dialog', { name: 'Client / Node Configuration' });
  await form.getByLabel(/^Name/).fill('office');
  await update(page, /\/no-such-file/);
  await page.route('**/api/nodes', (route) => route.fulfill({ json: { from: 'a newer gateway' } }));
  await form.getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('dialog', { name: 'The console was updated' });
  await expect(question).toBeVisible();
  await expect(question.getByRole('button', { name: 'Not yet' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(form.getByLabel(/^Name/)).toHaveValue('office');
});

test('a console that cannot be loaded says so, and tries again when asked', async ({ page }) => {
  const start = /\/assets\/start-.*\.js/;
  await page.route(start, (route) => route.fulfill({ status: 404, body: '' }));
  await page.goto(gateway.consoleUrl);
  await expect(page.getByRole('heading', { name: 'The console could not be loaded' })).toBeVisible();
  await page.unroute(start);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
});
