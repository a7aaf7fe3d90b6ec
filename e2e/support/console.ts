import { expect, test as base, type Locator, type Page } from '@playwright/test';
import { type GatewayProcess, startGateway } from './gateway.ts';

/** Journeys that need nothing special of their gateway share one, as long as their worker lives. */
export const test = base.extend<object, { gateway: GatewayProcess }>({
  gateway: [
    async ({ browser: _browser }, use) => {
      const gateway = await startGateway();
      await use(gateway);
      await gateway.close();
    },
    { scope: 'worker' },
  ],
});

/** Signs the administrator in, as a person does; resolves to the token of the console. */
export async function signIn(page: Page, { consoleUrl, username, password }: GatewayProcess): Promise<string> {
  await page.goto(`${consoleUrl}/login`);
  await page.getByLabel(/^Username/).fill(username);
  await page.getByLabel(/^Password/).fill(password);
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/auth/login'));
  await page.getByRole('button', { name: /sign in/i }).click();
  const { token } = (await (await answered).json()) as { token: string };
  await expect(page).toHaveURL(`${consoleUrl}/`);
  return token;
}

/** Chooses an action of a row's menu. */
export async function choose(page: Page, row: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions of ${row}`, exact: true }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

/** The dialog that is open. */
export const openDialog = (page: Page): Locator => page.getByRole('dialog').or(page.getByRole('alertdialog'));

/** Closes a dialog that shows something once, without having copied it, which it asks about. */
export async function closeUncopied(page: Page, once: Locator): Promise<void> {
  await once.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page
    .getByRole('dialog', { name: /is not copied/ })
    .getByRole('button', { name: 'Close without it' })
    .click();
  await expect(once).toBeHidden();
}
