import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page, test } from '@playwright/test';
import { closeUncopied, openDialog, signIn } from '../support/console.ts';
import { namespacesProblem } from '../support/namespaces.ts';
import { openNeighbour } from '../support/neighbour.ts';
import { openTunnelScene, PORTS, type TunnelScene } from '../support/tunnelScene.ts';

// From an empty gateway to one in use: the first steps are taken in the console, and tick themselves.

const problem = await namespacesProblem();
let scene: TunnelScene;
let neighbour: Awaited<ReturnType<typeof openNeighbour>>;

test.skip(problem !== null, `The first steps are not taken through a tunnel: ${problem}.`);

test.beforeAll(async ({ launchOptions }) => {
  scene = await openTunnelScene({ env: { SALLYPORT_VPN_HOST: '' } });
  await scene.serve(scene.home, '127.0.0.1', 'own');
  neighbour = await openNeighbour(scene, launchOptions);
});
test.afterAll(async () => {
  await neighbour?.close();
  await scene?.close();
});

const closed = async (page: Page, name: string) => {
  const dialog = page.getByRole('dialog', { name });
  await dialog.getByRole('button', { name: 'Close' }).last().click();
  await expect(dialog).toBeHidden();
};

test('the first steps lead from an empty gateway to visitors of two hosts, and are gone', async () => {
  const context = await neighbour.browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await signIn(page, scene.gateway);
  const steps = page.getByRole('region', { name: 'First steps' });
  const open = steps.locator('[aria-current=step]');
  // The first start found an address.
  await expect(steps.getByText('1 of 4 done')).toBeVisible();
  await expect(open).toContainText('Expose a service');
  expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);

  await open.getByRole('button', { name: 'Expose Service' }).click();
  await openDialog(page).getByLabel('Service Name').fill('Shop');
  await openDialog(page).getByLabel('Public HTTP Path').fill('/shop');
  await openDialog(page).getByLabel('Backend Host').fill('127.0.0.1');
  await openDialog(page).getByLabel('Backend Port').fill(String(PORTS.http));
  await openDialog(page).getByRole('button', { name: 'Save' }).click();
  await closed(page, 'Your Service is Now Publicly Available');
  await expect(steps.getByText('2 of 4 done')).toBeVisible();
  await scene.served('/shop', /^own http/);

  await expect(open).toContainText('Join a second host');
  await open.getByRole('button', { name: 'Add Client' }).click();
  await openDialog(page).getByLabel('Name').fill('attic');
  await openDialog(page).getByRole('button', { name: 'Save' }).click();
  await closeUncopied(page, page.getByRole('dialog', { name: 'Your Node is Ready' }));
  await expect(open).toContainText('Waiting for attic to connect…');
  const attic = await scene.host('attic', '198.18.0.20');
  const { body } = await scene.api('GET /api/nodes?limit=10');
  const node = (body['data'] as { id: number; name: string }[]).find(({ name }) => name === 'attic');
  await scene.join(attic, node?.id ?? 0);
  await expect(steps.getByText('3 of 4 done')).toBeVisible();

  await expect(open).toContainText('Domain with a certificate');
  await open.getByRole('button', { name: 'Add Domain' }).click();
  await openDialog(page).getByLabel('Domain').first().fill('shop.example.test');
  await openDialog(page).getByRole('button', { name: 'Save' }).click();
  // The name leads elsewhere.
  await openDialog(page).getByLabel('Skip Domain Validation').check();
  await openDialog(page).getByRole('button', { name: 'Save' }).click();
  await closed(page, 'DNS');
  // Browsers would warn of it, so the step stays until an authority has been asked, or the steps are put away.
  await expect(open).toContainText('shop.example.test is self-signed');
  await steps.getByRole('button', { name: 'Dismiss' }).click();
  await expect(steps).toBeHidden();
  await expect(page.getByText('Gateway Deployments')).toBeVisible();
  await page.reload();
  await expect(page.getByText('Gateway Deployments')).toBeVisible();
  await expect(steps).toBeHidden();
});
