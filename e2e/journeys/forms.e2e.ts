import { expect, type Page } from '@playwright/test';
import { openDialog, signIn, test } from '../support/console.ts';
import type { GatewayProcess } from '../support/gateway.ts';
import { curl, visit } from '../support/visit.ts';
import { startWebServer } from '../support/webServer.ts';

// A service is published by addresses as people have them at hand: what only a browser has is a clipboard, the order of
// the keys, and how much of a form a phone shows.

const DONE = /^Your Service is/;

const openForm = async (page: Page, gateway: GatewayProcess) => {
  await signIn(page, gateway);
  await page.goto(`${gateway.consoleUrl}/nodes/1`);
  await page.getByRole('button', { name: 'Add Service to HTTP Services' }).press('Enter');
  await expect(openDialog(page).getByLabel('Service Name')).toBeFocused();
  return openDialog(page);
};

test('a service is published by pasting its addresses, by keyboard alone', async ({ page, gateway }) => {
  const web = await startWebServer((request, response) => response.end(`got ${request.url}`));
  const form = await openForm(page, gateway);
  const { keyboard } = page;
  const cut = async (text: string) => {
    await keyboard.type(text);
    await keyboard.press('Control+a');
    await keyboard.press('Control+x');
  };
  await cut('https://ada:secret@pasted.example.test/x?from=mail');
  await keyboard.type('Pasted');
  await keyboard.press('Tab');
  await expect(form.getByLabel('Public Domain')).toBeFocused();
  await keyboard.press('Control+v');
  await expect(form.getByLabel('Public Domain')).toHaveValue('pasted.example.test');
  await expect(form.getByLabel('Public HTTP Path')).toHaveValue('/x');
  await expect(form.getByText(/^Split from/)).not.toContainText('secret');

  // Back, and forward again.
  await keyboard.press('Control+z');
  await expect(form.getByLabel('Public Domain')).toHaveValue('');
  await keyboard.press('Control+v');
  await expect(form.getByLabel('Public Domain')).toHaveValue('pasted.example.test');

  for (const label of ['Public HTTP Path', 'Undo', 'Backend Protocol', 'Backend Host']) {
    await keyboard.press('Tab');
    const next = label === 'Undo' ? form.getByRole('button', { name: label }) : form.getByLabel(label);
    await expect(next).toBeFocused();
  }
  await expect(form.getByLabel('Backend Host')).toHaveValue('127.0.0.1');
  await keyboard.press('Control+a');
  await keyboard.type(`${web.url}/ignored`);
  await keyboard.press('Tab');
  await expect(form.getByLabel('Backend Port')).toHaveValue(String(web.port));
  await expect(form.getByRole('status', { name: 'Summary' })).toHaveText(
    `https://pasted.example.test:${gateway.ports.https}/x → ${web.url} on Local, open to everyone`,
  );
  await keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: DONE })).toBeVisible();
  expect(await visit(gateway.ports.https, 'https://pasted.example.test/x')).toMatchObject({ body: 'got /x' });
  await web.close();
});

test('on a phone, the backend is one line, the summary stays in view, and an error unfolds where it is', async ({
  page,
  gateway,
}) => {
  const web = await startWebServer((_request, response) => response.end('hello'));
  await page.setViewportSize({ width: 390, height: 844 });
  const form = await openForm(page, gateway);
  await form.getByLabel('Service Name').fill('Phone');
  await form.getByLabel('Public HTTP Path').fill('/phone');
  const place = async (label: string) => (await form.getByLabel(label).boundingBox())?.y;
  expect(await place('Backend Protocol')).toBe(await place('Backend Port'));
  expect(await place('Backend Host')).toBe(await place('Backend Port'));
  // On the smallest, the whole of an address is seen.
  await page.setViewportSize({ width: 320, height: 844 });
  const host = form.getByLabel('Backend Host');
  await host.fill('192.168.100.200');
  expect(await host.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
  await page.setViewportSize({ width: 390, height: 844 });
  const summary = form.getByRole('status', { name: 'Summary' });
  await expect(summary).toBeInViewport({ ratio: 1 });

  // It is left by the press, and split before it is saved.
  await form.getByLabel('Backend Host').fill(web.url);
  const problems = { body: [{ field: 'notes', message: 'Notes are for the afternoon.' }] };
  const refused = { status: 'error', message: 'no', requestId: 'r-1', errors: problems };
  await page.route('**/api/services/1/http', (route) => route.fulfill({ status: 422, json: refused }), { times: 1 });
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(form.getByText('Notes are for the afternoon.')).toBeVisible();
  await expect(form.getByLabel('Notes')).toBeFocused();

  await form.getByLabel('Time to Live').selectOption('Another time');
  await form.getByLabel('How Long').fill('soon');
  await form.getByText('Limits and details').click();
  await expect(form.getByText(/^Enter a number and s, m, h or d/)).toBeVisible();
  await form.getByLabel('How Long').fill('2h');
  await expect(summary).toHaveText(/\/phone → http:\/\/127\.0\.0\.1:\d+ on Local, open to everyone, until /);
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('dialog', { name: DONE })).toBeVisible();
  expect(await curl(`https://127.0.0.1:${gateway.ports.https}/phone`)).toMatchObject({ body: 'hello' });
  await web.close();
});
