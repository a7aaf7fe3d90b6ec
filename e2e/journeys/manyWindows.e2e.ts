import { expect, test } from '@playwright/test';
import { startGateway, type GatewayProcess } from '../support/gatewayProcess.ts';
import { signIn } from '../support/signIn.ts';

// A browser keeps six connections to a host that speaks HTTP/1.1, in all of its windows.

const WINDOWS = 4;

let gateway: GatewayProcess;

test.beforeAll(async () => {
  gateway = await startGateway();
});

test.afterAll(async () => {
  await gateway?.close();
});

test('several windows with several streams each leave room for calls, and all stay up to date', async ({ context }) => {
  const plain = { ...gateway, consoleUrl: gateway.apiUrl };
  const [first = await context.newPage()] = context.pages();
  await signIn(first, plain);
  const windows = [first];
  while (windows.length < WINDOWS) windows.push(await context.newPage());
  for (const page of windows) {
    // The page of a node has three streams.
    await page.goto(`${gateway.apiUrl}/nodes/1`);
    await expect(page.getByRole('region', { name: 'HTTP Services' })).toContainText('Sallyport console');
  }
  const [, second = first] = windows;
  const card = second.getByRole('region', { name: 'TCP Services' });
  await card
    .getByRole('button', { name: /Add Service/ })
    .first()
    .click();
  const dialog = second.getByRole('dialog', { name: 'Expose TCP Service on Node' });
  await dialog.getByLabel('Service Name').fill('Broker');
  await dialog.getByLabel('Backend Host').fill('127.0.0.1');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(second.getByText('tcp://localhost:').first()).toBeVisible();
  // What is below a dialog is not there for who looks for it by its role.
  await second.keyboard.press('Escape');
  await expect(second.getByRole('dialog')).toHaveCount(0);
  for (const page of windows) await expect(page.getByRole('region', { name: 'TCP Services' })).toContainText('Broker');
});
