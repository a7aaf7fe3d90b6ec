import { expect, type Page } from '@playwright/test';
import type { GatewayProcess } from './gatewayProcess.ts';

/** Signs the administrator in, as a person does. */
export async function signIn(page: Page, { consoleUrl, username, password }: GatewayProcess): Promise<void> {
  await page.goto(`${consoleUrl}/login`);
  await page.getByLabel(/^Username/).fill(username);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole('button', { name: /sign in/i }).click();
  await expect(page).toHaveURL(`${consoleUrl}/`);
}
