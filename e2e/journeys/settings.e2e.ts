import { expect } from '@playwright/test';
import { createClient, isApiError } from '@sallyport/sdk';
import { choose, closeUncopied, openDialog, signIn, test } from '../support/console.ts';

// A program gets a token in the console, works with it as far as its rights go, and loses it again.

test('an API token is made, used within its rights, and deleted', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/settings/sessions`);
  await page.getByRole('button', { name: 'Add Token' }).click();
  await openDialog(page).getByLabel(/^Name/).fill('monitor');
  await openDialog(page).getByLabel('Nodes', { exact: true }).selectOption('read');
  await openDialog(page).getByRole('button', { name: 'Save' }).click();
  const made = page.getByRole('dialog', { name: 'New API Token' });
  const token = await made.getByLabel('Token', { exact: true }).inputValue();
  await closeUncopied(page, made);

  const client = createClient({ baseUrl: gateway.apiUrl, token });
  // Other journeys may have left nodes here.
  expect((await client.node.list({})).data.map(({ isLocal }) => isLocal)).toContain(true);
  const refused = await client.domain.list({}).catch((error: unknown) => error);
  expect(isApiError(refused, 'unauthorized') && refused.message).toContain('domains:read');

  await page.reload();
  const card = page.getByRole('region', { name: 'API Tokens' });
  await expect(card.getByText(/last used/)).toBeVisible();
  await choose(page, 'monitor', 'Delete');
  await openDialog(page).getByRole('button', { name: 'Delete' }).click();
  await expect(card.getByText('No API tokens yet')).toBeVisible();
  const gone = await client.node.list({}).catch((error: unknown) => error);
  expect(isApiError(gone, 'unauthorized') && gone.status).toBe(401);
});

test('the groups of settings are opened by keyboard, and their addresses lead back to them', async ({
  page,
  gateway,
}) => {
  await signIn(page, gateway);
  await page.getByRole('heading', { name: 'Welcome to Sallyport' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press(',');
  await expect(page.getByRole('region', { name: 'Public Address' })).toBeVisible();
  const groups = page.getByRole('navigation', { name: 'Groups of settings' });
  await groups.getByRole('link', { name: 'Gateway' }).focus();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${gateway.consoleUrl}/settings/features`);
  await expect(groups.getByRole('link', { name: 'Features' })).toHaveAttribute('aria-current', 'page');
  const features = page.getByRole('region', { name: 'Features' });
  await expect(features.getByRole('listitem').filter({ hasText: 'ingress' })).toContainText('On');

  // No provider is set up, so none is asked.
  await features.getByRole('link', { name: 'Set up' }).last().click();
  await page.getByRole('button', { name: 'Test the provider' }).press('Enter');
  await expect(page.getByText('No identity provider is set up.')).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'Sign-in' })).toBeVisible();
  await page.goBack();
  await expect(features).toBeVisible();
});

test('on a phone the list of groups leads to each of them, and back', async ({ page, gateway }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/settings`);
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Public Address' })).toBeHidden();
  const limits = page.getByRole('link', { name: /^Limits and retention/ });
  expect((await limits.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await limits.click();
  await expect(page.getByRole('region', { name: 'Limits of Nodes' }).getByText('200', { exact: true })).toBeVisible();
  await expect(limits).toBeHidden();
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Settings' }).click();
  await expect(limits).toBeVisible();
});
