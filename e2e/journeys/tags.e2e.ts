import { expect } from '@playwright/test';
import { choose, openDialog, signIn, test } from '../support/console.ts';

test('a node is tagged by keyboard, found by its tag, and the way back leads to all', async ({ page, gateway }) => {
  await signIn(page, gateway);
  for (const name of ['house-attic', 'house-cellar']) {
    await page.goto(`${gateway.consoleUrl}/nodes`);
    await page.getByRole('button', { name: 'Add Client' }).click();
    const form = openDialog(page);
    await form.getByLabel(/^Name/).fill(name);
    if (name === 'house-attic') {
      await form.locator('summary').press('Enter');
      await form.getByLabel('Add a tag').pressSequentially('home,عام');
      await form.getByLabel('Add a tag').press('Enter');
      await form.getByLabel('Add a tag').pressSequentially('media');
      await form.getByLabel('Notes').fill('Under the roof.\nAsk Ada.');
    }
    await form.getByRole('button', { name: 'Save' }).click();
    await expect(page.getByRole('dialog', { name: 'Your Node is Ready' })).toBeVisible();
  }
  // Other journeys may have filled the first page of this gateway's nodes.
  await page.goto(`${gateway.consoleUrl}/nodes?search=house-`);
  await page.getByRole('button', { name: 'عام', exact: true }).click();
  await expect(page.getByRole('link', { name: 'house-cellar' })).toBeHidden();
  await page.reload();
  await expect(page.getByRole('link', { name: 'house-attic' })).toBeVisible();
  expect(new URL(page.url()).searchParams.get('tag')).toBe('عام');
  await page.goBack();
  await expect(page.getByRole('link', { name: 'house-cellar' })).toBeVisible();
  await page.getByRole('link', { name: 'house-attic' }).click();
  // Each line on its own.
  const notes = page.getByText(/^Under the roof/);
  const { height = 0 } = (await notes.boundingBox()) ?? {};
  expect(height).toBeGreaterThan(32);
  await page.goBack();
  await choose(page, 'house-attic', 'Edit Node');
  await openDialog(page).getByRole('button', { name: 'Remove tag home' }).press('Enter');
  await openDialog(page).getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('Node updated successfully!')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Tags of house-attic' }).getByRole('button')).toHaveText([
    'عام',
    'media',
  ]);
});
