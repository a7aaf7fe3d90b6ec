import { expect } from '@playwright/test';
import { choose, signIn, test } from '../support/console.ts';
import { signedIn } from '../support/gateway.ts';

// What only a browser can tell of the list of all services: rows on a desk and a tablet, and their places on a phone.

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
  // A tablet has rows as well, with fewer columns.
  await page.setViewportSize({ width: 768, height: 1024 });
  await expect(page.getByRole('columnheader', { name: 'Address' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Backend' })).toBeHidden();
  await page.setViewportSize({ width: 390, height: 844 });
  const place = async (text: string) => (await row.getByText(text).first().boundingBox())?.y ?? 0;
  await expect.poll(async () => (await place('Down')) - (await place('Shop 2'))).toBeGreaterThan(12);

  await row.getByRole('button', { name: 'Actions of Shop 2' }).click();
  await page.getByRole('menuitem', { name: 'Disable Access' }).click();
  await page.getByRole('button', { name: 'Yes, disable public access!' }).click();
  await expect(row).toContainText('Closed');
  await expect(row).toContainText('by an administrator');
});

test('several services are selected by keyboard, closed by one call, and those that are refused say why', async ({
  page,
  gateway,
}) => {
  const { client } = await signedIn(gateway);
  const names = ['Camera 1', 'Camera 2', 'Camera 3'];
  const made = [];
  for (const [number, name] of names.entries()) {
    const body = { name, pathLocation: `/camera${number}`, backendHost: '127.0.0.1', backendPort: 9 };
    made.push(await client.httpService.create({ params: { nodeId: 1 }, body }));
  }
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/services?search=camera`);
  const box = (name: string) => page.getByRole('checkbox', { name: `Select ${name}, ` });
  await box('Camera 1').focus();
  await page.keyboard.press('Space');
  await box('Camera 3').click({ modifiers: ['Shift'] });
  const bar = page.getByRole('region', { name: 'Selected services' });
  await expect(bar).toContainText('3 selected');

  await bar.getByRole('button', { name: 'Disable' }).press('Enter');
  const question = page.getByRole('alertdialog', { name: 'Disable 3 services?' });
  await expect(question.getByRole('listitem')).toHaveCount(3);
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') calls.push(new URL(request.url()).pathname);
  });
  await question.getByRole('button', { name: 'Disable 3 services' }).click();
  await expect(page.getByText('3 services disabled.')).toBeVisible();
  for (const name of names) await expect(page.getByRole('row', { name })).toContainText('Closed');
  await expect(bar).toHaveCount(0);
  expect(calls).toEqual(['/api/services/bulk']);

  // On a phone, where someone else has deleted one and changed another meanwhile.
  await page.setViewportSize({ width: 390, height: 844 });
  for (const name of names) await box(name).check();
  await bar.getByRole('button', { name: 'Delete' }).click();
  const [gone, changed] = made;
  await page.route('**/api/services?*', (route) => route.abort());
  await client.httpService.remove({ params: { nodeId: 1, id: gone?.id ?? 0 } });
  await client.httpService.update({ params: { nodeId: 1, id: changed?.id ?? 0 }, body: { name: 'Camera two' } });
  await page.getByRole('button', { name: 'Delete 3 services' }).click();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const told = page.getByRole('dialog', { name: '2 of 3 services not deleted' });
  await expect(told).toContainText('It was deleted by someone else');
  await expect(told).toContainText('Someone else changed it');
  await told.getByRole('button', { name: 'Close' }).last().click();
  await expect(bar).toContainText('1 selected');
  await expect(box('Camera two')).toBeChecked();
  expect((await client.httpService.listAll({ query: { search: 'camera' } })).data.map(({ name }) => name)).toEqual([
    'Camera two',
  ]);
});

test('from the list to the page of a service, where it is edited, closed and deleted', async ({ page, gateway }) => {
  const { client } = await signedIn(gateway);
  const { id } = await client.httpService.create({
    params: { nodeId: 1 },
    body: { name: 'Garden', pathLocation: '/garden', backendHost: '127.0.0.1', backendPort: 9 },
  });
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/services?search=garden`);
  await page.getByRole('link', { name: 'Garden', exact: true }).click();
  await expect(page).toHaveURL(`${gateway.consoleUrl}/nodes/1/http/${id}`);
  const way = page.getByRole('list', { name: 'The way of a visitor' });
  await expect(way).toContainText('Does not answer');
  // A visitor who comes now is seen.
  await page.request.get(`https://127.0.0.1:${gateway.ports.https}/garden`);
  await expect(page.getByRole('region', { name: /Last lines/ })).toContainText('GET /garden');

  await page.keyboard.press('e');
  const form = page.getByRole('dialog', { name: 'Expose HTTP Service on Node' });
  await form.getByLabel('Service Name').fill('Orchard');
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await expect(page.getByRole('heading', { name: 'Orchard' })).toBeVisible();

  await choose(page, 'Orchard', 'Disable Access');
  await page.getByRole('button', { name: 'Yes, disable public access!' }).click();
  await expect(way).toContainText('Closed');
  await expect(page.getByText(/^Closed at \d\d:\d\d by an administrator$/).first()).toBeVisible();

  await choose(page, 'Orchard', 'Delete Service');
  await page.getByRole('button', { name: 'Yes, delete it!' }).click();
  await expect(page).toHaveURL(`${gateway.consoleUrl}/services?search=garden`);
  await expect(page.getByText('No services match')).toBeVisible();
});

test('names and tags of any length and script leave everything in its place, also at twice the size and in forced colours', async ({
  page,
  gateway,
}) => {
  const { client } = await signedIn(gateway);
  const names = ['w'.repeat(200), 'متجر العائلة في الشارع الطويل', '👩‍👩‍👧‍👦 Family 🐝', 'Tagged'];
  for (const [number, name] of names.entries()) {
    const tags = name === 'Tagged' ? Array.from({ length: 100 }, (_, index) => `place-${index}`) : [];
    await client.httpService.create({
      params: { nodeId: 1 },
      body: { name, tags, notes: 'odd', pathLocation: `/odd${number}`, backendHost: '127.0.0.1', backendPort: 9 },
    });
  }
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/services?search=odd`);
  // Twice the size on a desk of 1440 is a window of 720.
  for (const width of [1440, 1024, 720, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const name of names) {
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
      await expect(row.getByRole('link', { name, exact: true })).toBeVisible();
      const box = await row.getByRole('button', { name: `Actions of ${name}` }).boundingBox();
      expect((box?.x ?? width) + (box?.width ?? 0), `${name} at ${width}`).toBeLessThanOrEqual(width);
      // No cell reaches into the next one; the box and the menu's button take presses around them.
      const spilled = await row
        .getByRole('cell')
        .filter({ hasNot: page.getByRole('checkbox').or(page.getByRole('button', { name: /^Actions of/ })) })
        .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length);
      expect(spilled, `${name} at ${width}`).toBe(0);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth'), String(width)).toBe(width);
  }

  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ forcedColors: 'active' });
  const box = page.getByRole('checkbox', { name: /^Select Tagged, / });
  const mark = page.locator('label').filter({ has: box }).locator('svg');
  await expect(mark).toBeHidden();
  await box.check();
  await expect(mark).toBeVisible();
  await page.getByRole('button', { name: 'Display' }).click();
  await expect(page.getByRole('menuitemcheckbox', { name: 'Backend' }).locator('svg')).toBeVisible();
  await page.getByRole('menuitemcheckbox', { name: 'Backend' }).press('Enter');
  await expect(page.getByRole('menuitemcheckbox', { name: 'Backend' }).locator('svg')).toBeHidden();
  await expect(page.getByRole('columnheader', { name: 'Backend' })).toHaveCount(0);
});
