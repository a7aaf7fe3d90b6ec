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
    await expect(page.getByRole('link', { name: doc.label, exact: true }).last()).toHaveAttribute(
      'aria-current',
      'page',
    );
    const sizes = await page.evaluate(() => ({
      overflow: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      font: getComputedStyle(document.body).fontFamily,
    }));
    expect(sizes, doc.name).toEqual({ overflow: 0, font: expect.stringContaining('Inter Variable') });
  }
  expect(complaints).toEqual([]);
});

test('a page that the documentation does not have is said to be missing', async ({ page, gateway }) => {
  await page.goto(`${gateway.consoleUrl}/docs/nope`);
  await expect(page.getByText("this page doesn't exist")).toBeVisible();
});
