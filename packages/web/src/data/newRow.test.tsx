import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { dialog, openConsole, press, type } from '../testing/openConsole.tsx';

afterEach(() => vi.restoreAllMocks());

const WAIT = { timeout: 20_000 };
/** The row that is told apart from the others. */
const marked = () => document.querySelector<HTMLElement>('[data-new]');
const isMarked = (text: string) => waitFor(() => expect(marked()?.textContent).toContain(text), WAIT);

/** Closes the dialog that shows what is shown once, having copied it. */
async function closeOnce(title: string, copy: string): Promise<void> {
  vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  const once = await dialog(title);
  await press(copy);
  await waitFor(() => expect(navigator.clipboard.writeText).toHaveBeenCalled());
  expect(marked()).toBeNull();
  within(once).getAllByRole('button', { name: 'Close' }).at(-1)?.click();
}

it('brings a new node into view, once nothing lies over the list', async () => {
  const scrolled: Element[] = [];
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function scroll(this: Element) {
    scrolled.push(this);
  });
  await openConsole({ path: '/nodes' });
  await press('Add Client');
  await type(/^Name/, 'web-1');
  await press('Save');
  await closeOnce('Your Node is Ready', 'Copy the token');
  await isMarked('web-1');
  expect(scrolled.at(-1)).toBe(marked());
  expect(screen.queryByText(/was added/)).toBeNull();
});

it('says so, with the way there, where the page of the list does not show it', async () => {
  const { path, connection } = await openConsole({ path: '/nodes?search=edge' });
  await press('Add Client');
  await type(/^Name/, 'web-1');
  await press('Save');
  await closeOnce('Your Node is Ready', 'Copy the token');
  await screen.findByText('web-1 was added. The list as it is now does not show it.', {}, WAIT);
  expect(marked()).toBeNull();
  (await screen.findByRole('link', { name: 'Show it' })).click();
  const { data } = await connection.client.node.list({});
  const { id } = data.find(({ name }) => name === 'web-1') ?? { id: 0 };
  await waitFor(() => expect(path()).toBe(`/nodes/${id}`));
  expect(screen.queryByText(/was added/)).toBeNull();
});

it('marks a new service in the list of its node', async () => {
  const { path } = await openConsole({ path: '/nodes/1' });
  await press('Add Service to TCP Services');
  await type(/^Service Name/, 'Broker');
  await type(/^Backend Host/, '127.0.0.1');
  await press('Save');
  await dialog(/^Your Service/);
  await waitFor(() => expect(screen.getAllByRole('button', { name: 'Close' })).toHaveLength(2));
  screen.getAllByRole('button', { name: 'Close' }).at(-1)?.click();
  await isMarked('Broker');
  expect(path()).toBe('/nodes/1');
});

it('marks a new domain', async () => {
  await openConsole({ path: '/domains' });
  await press('Add Domain');
  await screen.findByRole('dialog', { name: 'Domain & SSL Settings' }, WAIT);
  await type(/^Domain$|^Domain\s*\*/, 'new.example.test');
  await press('Save');
  await waitFor(() => expect(screen.getAllByRole('dialog').at(-1)?.textContent).not.toContain('Domain & SSL'), WAIT);
  screen.getAllByRole('button', { name: 'Close' }).at(-1)?.click();
  await isMarked('new.example.test');
});

it.each([
  { path: '/nodes/2', add: 'Add Token', shown: 'New Access Token Generated', copy: 'Copy the token' },
  { path: '/nodes', add: 'Add Join Key', shown: 'New Join Key', copy: 'Copy the code' },
])('marks what $add makes', async ({ path, add, shown, copy }) => {
  await openConsole({ path });
  await press(add);
  await type(/^Name/, 'rack 2');
  await press('Save');
  await closeOnce(shown, copy);
  await waitFor(() => expect(marked()?.textContent).toContain('rack 2'), WAIT);
});
