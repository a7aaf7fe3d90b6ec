import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { choose, openMenu, press } from '../../testing/gestures.ts';
import { openConsole } from '../../testing/openConsole.tsx';

const rowOf = async (name: string) => {
  const row = (await screen.findByText(name)).closest('tr');
  if (!row) throw new Error(`${name} is not in a row`);
  return within(row);
};

it('shows where each service of the node is reached and what is behind it', async () => {
  await openConsole({ path: '/nodes/1' });
  const app = await rowOf('App');
  expect(app.getByRole('img', { name: 'Enabled' })).toBeDefined();
  expect(app.getByRole('link', { name: 'https://app.example.test/' }).getAttribute('rel')).toContain('noreferrer');
  expect(app.getByText('http://127.0.0.1:8080').parentElement?.textContent).toBe('Proxy -> http://127.0.0.1:8080');
});

it("names a plain node's own address as the backend", async () => {
  const { connection, ids } = await openConsole({ path: '/nodes/2' });
  const { address } = await connection.client.node.get({ params: { id: ids.edgeId } });
  expect(await screen.findByText(`http://${address}:80`)).toBeDefined();
});

it('pages by five, and goes back when a page has lost its last row', async () => {
  const { connection, requests } = await openConsole({ path: '/nodes' });
  for (let count = 0; count < 4; count += 1) {
    await connection.client.httpService.create({
      params: { nodeId: 1 },
      body: { name: `service ${count}`, pathLocation: `/${count}`, backendHost: '127.0.0.1', backendPort: 80 },
    });
  }
  (await screen.findByRole('link', { name: 'Local' })).click();
  await screen.findByText('Showing 1 to 5 of 6');
  await press('Next');
  await screen.findByText('Showing 6 to 6 of 6');
  expect(requests).toContain('GET /api/services/1/http?page=2&limit=5');
  await choose('service 3', 'Delete Service');
  await press('Yes, delete it!');
  await screen.findByText('service 2');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Next' })).toBeNull());
});

it('disables and enables public access after a question', async () => {
  await openConsole({ path: '/nodes/1' });
  await choose('App', 'Disable Access');
  await screen.findByRole('alertdialog', { name: 'Disable Public Access' });
  await press('Yes, disable public access!');
  await screen.findByText('Service disabled from public access successfully!');
  const app = await rowOf('App');
  await waitFor(() => expect(app.getByRole('img', { name: 'Disabled' })).toBeDefined());

  await choose('App', 'Enable Access');
  await screen.findByRole('alertdialog', { name: 'Enable Public Access' });
  await press('Yes, enable public access!');
  await screen.findByText('Service exposed successfully!');
  await waitFor(() => expect(app.getByRole('img', { name: 'Enabled' })).toBeDefined());
});

it('deletes a service for good', async () => {
  await openConsole({ path: '/nodes/1' });
  await choose('App', 'Delete Service');
  await screen.findByText('This action will permanently remove the service from the system. This cannot be undone.');
  await press('Yes, delete it!');
  await screen.findByText('Service deleted successfully!');
  await waitFor(() => expect(screen.queryByText('https://app.example.test/')).toBeNull());
});

it("refuses to close the gateway's own console, and says why", async () => {
  const { connection } = await openConsole({ path: '/nodes/1' });
  const { data } = await connection.client.httpService.list({ params: { nodeId: 1 }, query: {} });
  const own = data.find(({ builtin }) => builtin);
  const items = await openMenu(own?.name ?? '');
  const texts = items.map(({ textContent }) => textContent);
  expect(texts).toContain("Delete ServiceThe built-in console service can't be deleted");
});

it('shows the reason on the row of a service that cannot be served', async () => {
  await openConsole({ path: '/nodes/2' });
  const wiki = await rowOf('Wiki');
  expect(wiki.getByRole('img', { name: 'Enabled' })).toBeDefined();
  expect(wiki.getByText(/The tunnel is off/)).toBeDefined();
});

it('tells whether the backend answers, apart from whether the service is enabled, as soon as that changes', async () => {
  const { gateway, requests } = await openConsole({ path: '/nodes/1' });
  const app = await rowOf('App');
  expect(app.getByText('Up').textContent).toBe('Backend Up');
  requests.length = 0;

  gateway.backends.set('127.0.0.1:8080', 'Nothing listens on 127.0.0.1:8080.');
  await waitFor(() => {
    gateway.clock.advance(3000);
    expect(app.queryByText('Down')).not.toBeNull();
  });
  expect(app.getByText('Down').textContent).toBe('Backend Down');
  expect(app.getByText('Nothing listens on 127.0.0.1:8080.')).toBeDefined();
  expect(app.getByRole('img', { name: 'Enabled' })).toBeDefined();
  // The stream brought it.
  expect(requests).toEqual([]);
});

it('lets the stream go while nobody looks at the page', async () => {
  const { gateway, requests } = await openConsole({ path: '/nodes/1' });
  await rowOf('App');
  const stream = 'GET /api/services/http/stream?page=1&limit=5&nodeId=1';
  await waitFor(() => expect(requests).toContain(stream));
  await waitFor(() => expect(gateway.watchers()).toBe(2));
  const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden');
  fireEvent(document, new Event('visibilitychange'));
  await waitFor(() => expect(gateway.watchers()).toBe(1));
  visibility.mockRestore();
  fireEvent(document, new Event('visibilitychange'));
  await waitFor(() => expect(gateway.watchers()).toBe(2));
});

it('is empty with a way to begin, on a node', async () => {
  await openConsole({ path: '/nodes/3' });
  await screen.findByText('No HTTP services yet');
  expect(screen.getAllByRole('button', { name: 'Add Service' })).toHaveLength(2);
});
