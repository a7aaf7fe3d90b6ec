import { readFile } from 'node:fs/promises';
import { expect, type Page, test } from '@playwright/test';
import { namespacesProblem } from '../support/namespaces.ts';
import { choose, closeUncopied, openDialog, signIn } from '../support/console.ts';
import { openNeighbour } from '../support/neighbour.ts';
import { GATEWAY, openTunnelScene, type TunnelScene } from '../support/tunnelScene.ts';

const problem = await namespacesProblem();
let scene: TunnelScene;
let neighbour: Awaited<ReturnType<typeof openNeighbour>>;

test.skip(problem !== null, `The first node is not created next to its gateway: ${problem}.`);

test.beforeAll(async ({ launchOptions }) => {
  // It takes the address that it finds, as where no setting says one.
  scene = await openTunnelScene({ env: { SALLYPORT_VPN_HOST: '' } });
  neighbour = await openNeighbour(scene, launchOptions);
});
test.afterAll(async () => {
  await neighbour?.close();
  await scene?.close();
});

const newPage = (): Promise<Page> => neighbour.browser.newPage({ ignoreHTTPSErrors: true });

test("the first Add Client succeeds in a browser on the gateway's own machine", async () => {
  const page = await newPage();
  const failures: string[] = [];
  page.on('requestfailed', (request) => failures.push(`${request.method()} ${request.failure()?.errorText}`));
  await signIn(page, scene.gateway);
  failures.length = 0;
  await page.getByRole('button', { name: 'Create Node' }).click();
  const form = page.getByRole('dialog', { name: 'Client / Node Configuration' });
  await form.getByLabel('Name').fill('printer');
  await form.getByRole('button', { name: 'Save' }).click();
  const ready = page.getByRole('dialog', { name: 'Your Node is Ready' });
  await expect(ready.getByLabel('Token', { exact: true })).toHaveValue(/^spn_/);
  expect(failures).toEqual([]);
  const { body } = await scene.api('GET /api/nodes?limit=10');
  expect((body['data'] as { name: string }[]).map(({ name }) => name)).toEqual(['Local', 'printer']);
});

/** The line of a new join key, and the configuration of a node. */
async function whatHostsAreGiven(page: Page, node: string): Promise<{ line: string; configuration: string }> {
  await page.getByRole('link', { name: 'Client / Nodes' }).first().click();
  await page.getByRole('button', { name: 'Add Join Key' }).click();
  await openDialog(page).getByLabel(/^Name/).fill('rack');
  await openDialog(page).getByRole('button', { name: 'Save' }).click();
  const made = page.getByRole('dialog', { name: 'New Join Key' });
  const line = (await made.getByRole('region', { name: 'Join line' }).textContent()) ?? '';
  await closeUncopied(page, made);
  const downloading = page.waitForEvent('download');
  await choose(page, node, 'Download Config');
  return { line, configuration: await readFile(await (await downloading).path(), 'utf8') };
}

test('another public address counts from the next start on, for all that hosts are given', async () => {
  const { gateway } = scene;
  const page = await newPage();
  await signIn(page, gateway);
  await page.getByRole('link', { name: 'Settings' }).click();
  const card = page.getByRole('region', { name: 'Public Address' });
  const field = card.getByRole('combobox', { name: /^Another address/ });
  const change = async (host: string) => {
    await field.fill(host);
    await card.getByRole('button', { name: 'Change Address' }).click();
  };
  await expect(card.getByText('The first start, or this page')).toBeVisible();
  await expect(card.getByText(`${GATEWAY} is the address of eth0 on this machine. It was not tried`)).toBeVisible();
  await change('https://gw.example.test/');
  await expect(card.getByText(/^Enter a host name or an IP address/)).toBeVisible();
  await change('gw.example.test');
  await expect(card.getByText('From the next start on it is gw.example.test')).toBeVisible();
  await expect(card.getByText(/^The name servers.* gw\.example\.test/)).toBeVisible();
  const before = await whatHostsAreGiven(page, 'printer');
  expect(before.line).toContain(`https://${GATEWAY}:`);
  expect(before.configuration).toContain(`Endpoint = ${GATEWAY}:`);

  await gateway.end('SIGTERM');
  await gateway.start();
  await signIn(page, { ...gateway, consoleUrl: `https://gw.example.test:${gateway.ports.console}` });
  const after = await whatHostsAreGiven(page, 'printer');
  expect(after.line).toContain('https://gw.example.test:');
  expect(after.configuration).toContain('Endpoint = gw.example.test:');
  await page.getByRole('link', { name: 'Settings' }).click();
  await expect(card.getByText('gw.example.test', { exact: true })).toBeVisible();
  await expect(card.getByText('From the next start on')).toBeHidden();
});
