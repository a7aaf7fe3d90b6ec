import { expect } from '@playwright/test';
import { signIn, test } from '../support/console.ts';
import { signedIn } from '../support/gateway.ts';

// What only a browser can tell of the list of all services: rows on a desk, and their places on a phone.

test('a service is found among many, looked at on a phone, and closed', async ({ page, gateway }) => {
  const { client } = await signedIn(gateway);
  for (const number of [1, 2, 3]) {
    await client.httpService.create({
      params: { nodeId: 1 },
      body: { name: `Shop ${number}`, pathLocation: `/shop${number}`, backendHost: '127.0.0.1', backendPort: 9 },
    });
  }
  await signIn(page, gateway);
  await page.getByRole('link', { name: 'Services' }).click();
  await page.getByLabel('Search services').fill('shop2');
  await expect(page.getByRole('link', { name: 'Shop 2' })).toBeVisible();
  await expect(page.getByRole('link', { name: 'Shop 1' })).toHaveCount(0);
  const row = page.getByRole('row', { name: /Shop 2/ });
  await expect(row).toContainText('Down');

  // A reload finds what was looked for.
  await page.reload();
  await expect(row).toContainText('Down');
  await page.setViewportSize({ width: 390, height: 844 });
  const place = async (text: string) => (await row.getByText(text).first().boundingBox())?.y ?? 0;
  await expect.poll(async () => (await place('Down')) - (await place('Shop 2'))).toBeGreaterThan(12);

  await row.getByRole('button', { name: 'Actions of Shop 2' }).click();
  await page.getByRole('menuitem', { name: 'Disable Access' }).click();
  await page.getByRole('button', { name: 'Yes, disable public access!' }).click();
  await expect(row).toContainText('Closed');
  await expect(row).toContainText('by an administrator');
});
