import { expect, type Page } from '@playwright/test';
import { signIn, test } from '../support/console.ts';
import { signedIn } from '../support/gateway.ts';

// Nothing but the keyboard, in a browser that has keys of its own for some of them.

const field = (page: Page) => page.getByRole('combobox', { name: 'Search or run a command' });
const closed = (page: Page) => expect(page.getByRole('dialog')).toHaveCount(0);

test('an administrator finds a service and closes it, adds a node, and goes around, by keyboard alone', async ({
  page,
  gateway,
}) => {
  const { client } = await signedIn(gateway);
  const body = { name: 'Wiki of the office', pathLocation: '/wiki', backendHost: '127.0.0.1', backendPort: 8080 };
  const params = { nodeId: 1 };
  const { id } = await client.httpService.create({ params, body });
  await signIn(page, gateway);

  // To the nodes, and to their search, once the console listens to keys.
  await expect(page.getByRole('button', { name: 'Search or run a command' })).toBeVisible();
  await page.keyboard.type('gn');
  await expect(page).toHaveURL(/\/nodes$/);
  await expect(page.getByRole('heading', { name: 'Client / Nodes' })).toBeVisible();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox', { name: 'Search nodes' });
  await expect(search).toBeFocused();
  await page.keyboard.type('?gc/');
  await expect(search).toHaveValue('?gc/');
  await closed(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await expect(search).not.toBeFocused();

  // From where the focus is to an action of a service, and back.
  const opener = page.getByRole('button', { name: 'Add Client' });
  await opener.focus();
  await page.keyboard.press('Control+k');
  await expect(field(page)).toBeFocused();
  await page.keyboard.type('wiki of');
  await expect(page.getByRole('option', { name: /Wiki of the office/ })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  const actions = page.getByRole('combobox', { name: 'Actions of Wiki of the office' });
  await expect(actions).toBeFocused();
  await page.keyboard.type('disable');
  await page.keyboard.press('Enter');
  const question = page.getByRole('alertdialog', { name: 'Disable Public Access' });
  await expect(question.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Service disabled from public access successfully!')).toBeVisible();
  await expect(opener).toBeFocused();
  expect((await client.httpService.get({ params: { nodeId: 1, id } })).enabled).toBe(false);

  // There, and first in the list the next time.
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option').first()).toContainText('Wiki of the office');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(`${gateway.consoleUrl}/nodes/1/http/${id}`);
  await expect(page.getByRole('heading', { name: 'Wiki of the office' })).toBeVisible();
  await closed(page);

  // The list of shortcuts comes and goes, and so does the form of this screen.
  await page.keyboard.press('Shift+?');
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await page.keyboard.press('Escape');
  await closed(page);
  await page.keyboard.press('e');
  await expect(page.getByRole('dialog', { name: 'Expose HTTP Service on Node' })).toBeVisible();
  await page.keyboard.press('Escape');
  await closed(page);

  // The next administrator does not see where this one was.
  await page.getByRole('button', { name: 'Sign out' }).press('Enter');
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await signIn(page, gateway);
  await expect(page.getByRole('button', { name: 'Search or run a command' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('option').first()).toContainText('Home');
});

test('a finger opens the palette, and the actions of what it finds', async ({ browser, gateway }) => {
  const context = await browser.newContext({ hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  await signIn(page, gateway);
  await page.getByRole('button', { name: 'Search or run a command' }).tap();
  await field(page).fill('console');
  const option = page.getByRole('option', { name: /Sallyport console/ });
  await option.getByTitle('Actions').tap();
  await page.getByRole('option', { name: 'Show its page' }).tap();
  await expect(page).toHaveURL(/\/nodes\/1\/http\/\d+$/);
  await context.close();
});
