import { expect, test, type Page } from '@playwright/test';
import { startGateway, type GatewayProcess } from '../support/gatewayProcess.ts';
import { signIn } from '../support/signIn.ts';

// What only a browser can tell of the console's frame: colours that are seen, keys that it answers itself, places.

const DESK = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };

let gateway: GatewayProcess;

test.beforeAll(async () => {
  gateway = await startGateway();
});

test.afterAll(async () => {
  await gateway?.close();
});

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

test('the theme follows the system until one is chosen, which is there from the first paint on', async ({ page }) => {
  await signIn(page, gateway);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await isDark(page)).toBe(colorScheme === 'dark');
  }
  await page.getByRole('button', { name: 'Theme: auto. Change to light' }).click();
  expect(await isDark(page)).toBe(false);
  // Nothing of the console has run yet.
  await page.route('**/assets/*.js', (route) => route.abort());
  await page.reload();
  expect(await isDark(page)).toBe(false);
  await page.unroute('**/assets/*.js');
  await page.reload();
  await page.getByRole('button', { name: 'Theme: light. Change to dark' }).click();
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await isDark(page)).toBe(true);
});

test('the header stays where it is while one of its tooltips and its menu are open', async ({ page }) => {
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

test('on a phone the navigation closes on Escape, on a press outside and on a choice', async ({ page }) => {
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

test('the sidebar of a desk is folded at first, and stays as it was left', async ({ page }) => {
  await page.setViewportSize(DESK);
  await signIn(page, gateway);
  await page.getByRole('button', { name: 'Expand sidebar' }).click();
  const fold = page.getByRole('button', { name: 'Collapse sidebar' });
  await expect(fold).toBeVisible();
  await page.reload();
  await expect(fold).toBeVisible();
});

test('a dialog takes the focus, keeps it, and gives it back', async ({ page }) => {
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

test('rows are rows on a desk and cards on a phone', async ({ page }) => {
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/nodes`);
  await page.getByRole('button', { name: 'Add Client' }).click();
  await page.getByRole('dialog').getByLabel(/^Name/).fill('web-1');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  const row = page.getByRole('row', { name: /web-1/ });
  await expect(row).toBeVisible();
  const top = async (name: string) => (await row.getByText(name, { exact: true }).last().boundingBox())?.y ?? -1;
  await page.setViewportSize(DESK);
  expect(Math.abs((await top('web-1')) - (await top('Node')))).toBeLessThan(12);
  await page.setViewportSize(PHONE);
  expect((await top('Node')) - (await top('web-1'))).toBeGreaterThan(12);
});
