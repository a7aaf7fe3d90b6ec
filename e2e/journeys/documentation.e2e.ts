import { AxeBuilder } from '@axe-core/playwright';
import { expect } from '@playwright/test';
import { addressOf, docPages } from '../../packages/web/docs/docPages.ts';
import { test } from '../support/console.ts';

test('a newcomer reads what they accept before signing in', async ({ page, context, gateway }) => {
  await page.goto(gateway.consoleUrl);
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: 'terms of service' }).click();
  await expect((await opened).getByRole('heading', { level: 1 })).toHaveText('Terms of service');
});

test('every page of the documentation is served, whole, and fits on a small screen', async ({ page, gateway }) => {
  // What the policy forbids is told to the browser's console, and so is a file that is missing.
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${gateway.consoleUrl}/`)) complaints.push(request.url());
  });
  await page.setViewportSize({ width: 320, height: 700 });
  for (const doc of docPages) {
    const response = await page.goto(`${gateway.consoleUrl}${addressOf(doc)}`);
    expect(response?.status(), doc.name).toBe(200);
    await expect(page.locator('#pages [aria-current=page]'), doc.name).toHaveText(doc.label);
    const sizes = await page.evaluate(() => ({
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      font: getComputedStyle(document.body).fontFamily,
    }));
    expect(sizes, doc.name).toEqual({ overflow: 0, font: expect.stringContaining('Inter Variable') });
  }
  expect(complaints).toEqual([]);
});

test('a reader finds a setting by its name, with the keyboard alone', async ({ page, gateway }) => {
  await page.goto(`${gateway.consoleUrl}/docs/`);
  await page.keyboard.press('/');
  await page.keyboard.type('SALLYPORT_NODE_PORTS');
  await expect(page.getByRole('dialog').getByRole('status')).toHaveText(/sections?$/);
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('link', { name: /^Settings, limits, files › Settings/ })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${gateway.consoleUrl}/docs/operating#settings`);
  await expect(page.getByRole('heading', { name: 'Settings', exact: true })).toBeInViewport();
  // The same page: the search makes way for what it found.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('ten calls');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(page).toHaveURL(/#ten-calls$/);
});

test('a command is copied without its prompt', async ({ page, context, gateway }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto(`${gateway.consoleUrl}/docs/backup#each-night`);
  const block = page.locator('.code', { hasText: 'backup.recipient' });
  await block.getByRole('button', { name: 'Copy' }).click();
  await expect(page.getByRole('status')).toHaveText('Copied');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toMatch(/^echo age1… \| sudo tee .*\nsudo systemctl enable --now \S+$/);
});

test('on a phone both lists wait behind a button, and close when one of their links was followed', async ({
  page,
  gateway,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${gateway.consoleUrl}/docs/update`);
  const contents = page.getByRole('navigation', { name: 'On this page' });
  await expect(contents).toBeHidden();
  await page.getByRole('button', { name: 'On this page' }).click();
  await contents.getByRole('link', { name: 'Hosts' }).click();
  await expect(contents).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Hosts' })).toBeInViewport();
  await page.getByRole('button', { name: 'All pages' }).click();
  await page.getByRole('navigation', { name: 'Documentation' }).getByRole('link', { name: 'Remove' }).click();
  await expect(page).toHaveURL(/\/docs\/remove$/);
});

test('on a desk the pages stand on the left and the contents on the right of the text', async ({ page, gateway }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${gateway.consoleUrl}/docs/update`);
  const boxOf = async (place: ReturnType<typeof page.locator>) => {
    await expect(place).toBeVisible();
    return (await place.boundingBox()) ?? { x: Number.NaN, y: Number.NaN, width: Number.NaN, height: Number.NaN };
  };
  const pages = await boxOf(page.getByRole('navigation', { name: 'Documentation' }));
  const text = await boxOf(page.locator('main'));
  const contents = await boxOf(page.getByRole('navigation', { name: 'On this page' }));
  expect(pages.x).toBeGreaterThanOrEqual(0);
  expect(pages.x + pages.width).toBeLessThanOrEqual(text.x);
  expect(text.x + text.width).toBeLessThanOrEqual(contents.x);
  expect(contents.x + contents.width).toBeLessThanOrEqual(1440);
  // Next to each other, not one below the other.
  for (const { y } of [pages, contents]) expect(Math.abs(y - text.y)).toBeLessThan(200);
});

for (const width of [390, 1440]) {
  test(`a page and its search can be used by everyone, ${width} px wide`, async ({ page, gateway }) => {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${gateway.consoleUrl}/docs/server`);
      expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByRole('searchbox').fill('ufw');
      await expect(page.getByRole('link', { name: /Open the ports/ }).last()).toBeVisible();
      expect((await new AxeBuilder({ page }).include('#search').analyze()).violations).toEqual([]);
    }
  });
}

test('a page that the documentation does not have is said to be missing', async ({ page, gateway }) => {
  await page.goto(`${gateway.consoleUrl}/docs/nope`);
  await expect(page.getByText("this page doesn't exist")).toBeVisible();
});
