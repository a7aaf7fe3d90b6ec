import { expect, type Page } from '@playwright/test';
import { closeUncopied, signIn, test } from '../support/console.ts';
import type { GatewayProcess } from '../support/gateway.ts';

// What only a browser can tell of the console's frame: colours that are seen, keys that it answers itself, places.

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

/** Whether the page is painted dark. */
const isDark = (page: Page) =>
  page.evaluate(() => {
    const canvas = document.createElement('canvas').getContext('2d');
    if (canvas === null) throw new Error('no canvas');
    canvas.fillStyle = getComputedStyle(document.documentElement).backgroundColor;
    canvas.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = canvas.getImageData(0, 0, 1, 1).data;
    return red + green + blue < 384;
  });

test('the theme follows the system until one is chosen, which is there from the first paint on', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expect.poll(() => isDark(page)).toBe(colorScheme === 'dark');
  }
  await page.getByRole('button', { name: 'Theme: auto. Change to light' }).click();
  await expect.poll(() => isDark(page)).toBe(false);
  // Nothing of the console has run yet.
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.reload();
  expect(await isDark(page)).toBe(false);
  await page.unroute('**/assets/*.js');
  await page.reload();
  await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click();
  await page.emulateMedia({ colorScheme: 'light' });
  await expect.poll(() => isDark(page)).toBe(true);
});

test('the header stays where it is while one of its tooltips and its menu are open', async ({ page, gateway }) => {
  await signIn(page, gateway);
  const help = page.getByRole('button', { name: 'Need help?' });
  const before = await help.boundingBox();
  await help.hover();
  await expect(page.getByText('Need help?', { exact: true })).toBeVisible();
  expect(await help.boundingBox()).toEqual(before);
  await help.click();
  await expect(page.getByRole('menu')).toBeVisible();
  expect(await help.boundingBox()).toEqual(before);
});

test('on a phone the navigation closes on Escape, on a press outside and on a choice', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await page.setViewportSize(PHONE);
  const drawer = page.getByRole('dialog', { name: 'Navigation' });
  const open = async () => {
    await page.getByRole('button', { name: 'Open navigation' }).click();
    await expect(drawer).toBeVisible();
  };
  await open();
  await page.keyboard.press('Escape');
  await expect(drawer).toBeHidden();
  await open();
  await page.mouse.click(PHONE.width - 10, PHONE.height / 2);
  await expect(drawer).toBeHidden();
  await open();
  await drawer.getByRole('link', { name: 'Client / Nodes' }).click();
  await expect(drawer).toBeHidden();
  await expect(page).toHaveURL(/\/nodes$/);
});

test('the sidebar of a desk is folded at first, and stays as it was left', async ({ page, gateway }) => {
  await page.setViewportSize(DESK);
  await signIn(page, gateway);
  const expand = page.getByRole('button', { name: 'Expand sidebar' });
  // Also folded, it is read and not guessed.
  for (const width of [DESK.width, 1200, 1024]) {
    await page.setViewportSize({ ...DESK, width });
    await expect(expand).toBeVisible();
    for (const words of ['Home', 'Domain Names', 'Client / Nodes', 'Services', 'Settings']) {
      const shown = page.getByRole('link', { name: words }).getByText(words).first();
      expect((await shown.boundingBox())?.height).toBeGreaterThan(8);
    }
  }
  await expand.click();
  const fold = page.getByRole('button', { name: 'Collapse sidebar' });
  await expect(fold).toBeVisible();
  await page.reload();
  await expect(fold).toBeVisible();
});

test('a dialog takes the focus, keeps it, and gives it back', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/nodes`);
  const button = page.getByRole('button', { name: 'Add Client' });
  await button.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Client / Node Configuration' });
  await expect(dialog.getByLabel(/^Name/)).toBeFocused();
  for (let count = 0; count < 12; count += 1) {
    await page.keyboard.press('Tab');
    // From the edges of the dialog it is led back within a frame.
    await expect.poll(() => dialog.evaluate((shown) => shown.contains(document.activeElement))).toBe(true);
  }
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(button).toBeFocused();
});

test('rows are rows on a desk and cards on a phone', async ({ page, gateway }) => {
  await signIn(page, gateway);
  // Other journeys may have filled the first page of this gateway's nodes.
  await page.goto(`${gateway.consoleUrl}/nodes?search=rows-1`);
  await page.getByRole('button', { name: 'Add Client' }).click();
  await page.getByRole('dialog').getByLabel(/^Name/).fill('rows-1');
  await page.getByRole('button', { name: 'Save' }).click();
  // The form has a button of that name, too.
  const ready = page.getByRole('dialog', { name: 'Your Node is Ready' });
  await closeUncopied(page, ready);
  const row = page.getByRole('row', { name: /rows-1/ });
  await expect(row).toBeVisible();
  const top = async (name: string) => (await row.getByText(name, { exact: true }).last().boundingBox())?.y ?? -1;
  await page.setViewportSize(DESK);
  await expect.poll(async () => Math.abs((await top('rows-1')) - (await top('Node')))).toBeLessThan(12);
  await page.setViewportSize(PHONE);
  await expect.poll(async () => (await top('Node')) - (await top('rows-1'))).toBeGreaterThan(12);
});

// A browser keeps six connections to a host that speaks HTTP/1.1, in all of its windows.
test('several windows with several streams each leave room for calls, and all stay up to date', async ({
  context,
  gateway,
}) => {
  const plain = { ...gateway, consoleUrl: gateway.apiUrl };
  const [first = await context.newPage()] = context.pages();
  await signIn(first, plain);
  const windows = [first];
  while (windows.length < 4) windows.push(await context.newPage());
  for (const page of windows) {
    // The page of a node has three streams.
    await page.goto(`${gateway.apiUrl}/nodes/1`);
    await expect(page.getByRole('region', { name: 'HTTP Services' })).toContainText('Sallyport console');
  }
  const [, second = first] = windows;
  const card = second.getByRole('region', { name: 'TCP Services' });
  await card
    .getByRole('button', { name: /Add Service/ })
    .first()
    .click();
  const dialog = second.getByRole('dialog', { name: 'Expose TCP Service on Node' });
  await dialog.getByLabel('Service Name').fill('Broker');
  await dialog.getByLabel('Backend Host').fill('127.0.0.1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  // The list can show the service before the reply to the form is there: only the next dialog ends the form.
  await expect(
    second.getByRole('dialog', { name: /^Your Service is (?:Not Publicly Available|Published)$/ }),
  ).toBeVisible();
  await second.keyboard.press('Escape');
  await expect(second.getByRole('dialog')).toHaveCount(0);
  for (const page of windows) await expect(page.getByRole('region', { name: 'TCP Services' })).toContainText('Broker');
});

/** From now on the files of this build are gone, and the page that the gateway names is another one. */
async function update(page: Page, { consoleUrl }: GatewayProcess, missing: RegExp): Promise<void> {
  await page.route(missing, (route) => route.fulfill({ status: 404, body: '' }));
  await page.route(`${consoleUrl}/`, async (route) => {
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
  gateway,
}) => {
  await signIn(page, gateway);
  await update(page, gateway, /\/assets\/.*NodeFormDialog.*\.js/);
  const reloaded = page.waitForEvent('load');
  await page.getByRole('button', { name: 'Create Node' }).click();
  await reloaded;
  await page.getByRole('button', { name: 'Create Node' }).click();
  await expect(page.getByRole('dialog', { name: 'Client / Node Configuration' })).toBeVisible();
});

test('after an update the console asks first where a form is open', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await page.getByRole('button', { name: 'Create Node' }).click();
  const form = page.getByRole('dialog', { name: 'Client / Node Configuration' });
  await form.getByLabel(/^Name/).fill('office');
  await update(page, gateway, /\/no-such-file/);
  await page.route('**/api/nodes', (route) => route.fulfill({ json: { from: 'a newer gateway' } }));
  await form.getByRole('button', { name: 'Save' }).click();
  const question = page.getByRole('dialog', { name: 'The console was updated' });
  await expect(question).toBeVisible();
  await expect(question.getByRole('button', { name: 'Not yet' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(form.getByLabel(/^Name/)).toHaveValue('office');
});

test('a console that cannot be loaded says so, and tries again when asked', async ({ page, gateway }) => {
  const console = /\/assets\/main-.*\.js/;
  await page.route(console, (route) => route.fulfill({ status: 404, body: '' }));
  await page.goto(gateway.consoleUrl);
  await expect(page.getByRole('heading', { name: 'The console could not be loaded' })).toBeVisible();
  await page.unroute(console);
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
});
