import { expect } from '@playwright/test';
import { createClient, isApiError } from '@sallyport/sdk';
import { choose, closeUncopied, openDialog, signIn, test } from '../support/console.ts';

// A program gets a token in the console, works with it as far as its rights go, and loses it again.

test('an API token is made, used within its rights, and deleted', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/settings`);
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
