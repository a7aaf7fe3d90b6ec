import { expect, type Locator, type Page } from '@playwright/test';
import { choose, openDialog, signIn, test } from '../support/console.ts';
import { signedIn } from '../support/gateway.ts';

// What a slip of the hand would cost is asked about or taken back, by keyboard.

test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

const FORM = 'Client / Node Configuration';
const READY = 'Your Node is Ready';
const dialogOf = (page: Page, name: string): Locator => page.getByRole('dialog', { name });
const rowOf = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name });
/** Leads the focus on to a button and presses it. */
const pressByKey = async (button: Locator) => {
  await button.focus();
  await button.press('Enter');
};

test('a form with something typed is not left by a slip, and an empty one at once', async ({ page, gateway }) => {
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/nodes`);
  const opener = page.getByRole('button', { name: 'Add Client' });
  await pressByKey(opener);
  await expect(dialogOf(page, FORM).getByLabel(/^Name/)).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialogOf(page, FORM)).toBeHidden();
  await expect(opener).toBeFocused();

  await opener.press('Enter');
  const name = dialogOf(page, FORM).getByLabel(/^Name/);
  await expect(name).toBeFocused();
  await page.keyboard.type('web-1');
  const question = dialogOf(page, 'Discard what you changed?');
  // By Escape, which the question takes for "keep", and by a press outside.
  await page.keyboard.press('Escape');
  await expect(question.getByRole('button', { name: 'Keep editing' })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(question).toBeHidden();
  await expect(name).toHaveValue('web-1');
  await expect(name).toBeFocused();
  await page.mouse.click(4, 300);
  await expect(question).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(question).toBeHidden();
  await expect(name).toBeFocused();

  // The browser asks in its own words before a reload.
  const asked = page.waitForEvent('dialog');
  await page.evaluate(() => void setTimeout(() => location.reload()));
  const native = await asked;
  expect(native.type()).toBe('beforeunload');
  await native.dismiss();
  await expect(name).toHaveValue('web-1');

  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(question.getByRole('button', { name: 'Discard' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await expect(opener).toBeFocused();
});

test('a token is not closed before it was copied, and the new row is shown', async ({ page, gateway }) => {
  const { client } = await signedIn(gateway);
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/nodes`);
  await page.setViewportSize({ width: 1024, height: 480 });
  for (let count = 0; count < 6; count += 1) await client.node.create({ body: { name: `node-${count}` } });
  await pressByKey(page.getByRole('button', { name: 'Add Client' }));
  await dialogOf(page, FORM).getByLabel(/^Name/).fill('printer');
  await page.keyboard.press('Enter');
  const ready = dialogOf(page, READY);
  const copy = ready.getByRole('button', { name: 'Copy the token' });
  await expect(copy).toBeVisible();
  await page.keyboard.press('Escape');
  const question = dialogOf(page, 'The token is not copied. Close?');
  await expect(question.getByRole('button', { name: 'Go back' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(question).toBeHidden();
  await pressByKey(copy);
  await expect(ready.getByText('Copied')).toBeAttached();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const row = page.locator('[data-new]');
  await expect(row).toContainText('printer');
  await expect(row).toBeInViewport({ ratio: 1 });

  // On the next page of the list it is not seen, which is told.
  for (let count = 6; count < 10; count += 1) await client.node.create({ body: { name: `node-${count}` } });
  await pressByKey(page.getByRole('button', { name: 'Add Client' }));
  await dialogOf(page, FORM).getByLabel(/^Name/).fill('scanner');
  await page.keyboard.press('Enter');
  await pressByKey(ready.getByRole('button', { name: 'Copy the token' }));
  await expect(ready.getByText('Copied')).toBeAttached();
  await page.keyboard.press('Escape');
  await expect(page.getByText('scanner was added. The list as it is now does not show it.')).toBeVisible();
  await pressByKey(page.getByRole('link', { name: 'Show it' }));
  await expect(page.getByRole('heading', { name: 'scanner' })).toBeVisible();
});

test('what was disabled is enabled again by Undo, unless someone else has changed it', async ({ page, gateway }) => {
  const { client } = await signedIn(gateway);
  const params = { nodeId: 1 };
  const body = { name: 'Wiki', domain: 'wiki.example.test', backendHost: '127.0.0.1', backendPort: 8080 };
  const { id } = await client.httpService.create({ params, body });
  const isOpen = async () => (await client.httpService.get({ params: { nodeId: 1, id } })).enabled;
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/services`);
  const done = page.getByText('Service disabled from public access successfully!');
  const disable = async () => {
    await choose(page, 'Wiki', 'Disable Access');
    await pressByKey(openDialog(page).getByRole('button', { name: 'Yes, disable public access!' }));
    await expect(done).toBeVisible();
    expect(await isOpen()).toBe(false);
  };
  await disable();
  // A phone has no such keys. With the focus on it, the message stays.
  const undo = page.getByRole('button', { name: 'Undo' });
  await undo.focus();
  const keys = undo.locator('kbd').first();
  await expect(keys).toBeVisible();
  const size = page.viewportSize();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(keys).toBeHidden();
  if (size) await page.setViewportSize(size);
  await page.keyboard.press('Control+z');
  await expect(page.getByText('Service exposed successfully!')).toBeVisible();
  await expect(done).toBeHidden();
  expect(await isOpen()).toBe(true);
  await expect(rowOf(page, 'Wiki').getByText('Closed')).toBeHidden();

  await disable();
  await client.httpService.update({ params: { nodeId: 1, id }, body: { notes: 'Not to be opened.' } });
  await pressByKey(page.getByRole('button', { name: 'Undo' }));
  await expect(page.getByText('Wiki was changed again in the meantime, so nothing was undone.')).toBeVisible();
  expect(await isOpen()).toBe(false);

  // Its last service takes the domain along, if that is wanted.
  await choose(page, 'Wiki', 'Delete Service');
  await pressByKey(openDialog(page).getByRole('button', { name: 'Yes, delete it!' }));
  await expect(page.getByText('wiki.example.test has no service any more.')).toBeVisible();
  await pressByKey(page.getByRole('button', { name: 'Delete domain …' }));
  const question = page.getByRole('alertdialog', { name: 'Delete domain' });
  await expect(question.getByText(/no service goes with it/)).toBeVisible();
  await pressByKey(question.getByRole('button', { name: 'Yes, delete it!' }));
  await expect(page.getByText('Domain deleted successfully!')).toBeVisible();
  expect((await client.domain.list({ query: { search: 'wiki.example.test' } })).total).toBe(0);
});
