import { screen, waitFor, within } from '@testing-library/react';
import { expect, it, onTestFinished, vi } from 'vitest';
import { dialog, openConsole, press, reported, type } from '../../testing/openConsole.tsx';

it('says what the product is, and has its three cards and its links', async () => {
  await openConsole({ path: '/' });
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  const page = within(screen.getByRole('main'));
  expect(page.getByText(/^Reach services inside private networks from outside/)).toBeDefined();
  expect(
    ['Create Node', 'Install the CLI', 'Gateway Deployments'].map((name) => page.getByRole('heading', { name })),
  ).toHaveLength(3);
  expect(within(page.getAllByRole('list')[0] ?? document.body).getAllByRole('listitem')).toHaveLength(3);
  const links = page.getAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')]);
  expect(links).toEqual([
    ['CLI Docs', '/docs/cli'],
    ['Docker Gateway', '/docs/docker'],
    ['Kubernetes Node', '/docs/kubernetes'],
    ['Home Assistant Add-On', '/docs/home-assistant'],
    ['Documentation', '/docs/'],
    ['Sponsor the project', '/docs/sponsor'],
  ]);
});

it('offers the first node while there is none', async () => {
  const { connection, ids, router } = await openConsole({ path: '/domains' });
  for (const id of [ids.edgeId, ids.siteId]) await connection.client.node.remove({ params: { id } });
  await router.navigate({ to: '/' });
  expect(await screen.findByRole('heading', { name: 'Create Your First Node' })).toBeDefined();
});

it('opens the node form, then goes to the nodes list', async () => {
  const { path } = await openConsole({ path: '/' });
  await press('Create Node');
  await dialog('Client / Node Configuration');
  await type(/^Name/, 'office');
  await press('Save');
  const ready = within(await dialog('Your Node is Ready'));
  ready.getAllByRole('button', { name: 'Close' })[0]?.click();
  await press('Close without it');
  await screen.findByRole('link', { name: 'office' });
  expect(path()).toBe('/nodes');
});

it('stays at home when the form is left without saving', async () => {
  const { path } = await openConsole({ path: '/' });
  await press('Create Node');
  await dialog('Client / Node Configuration');
  await press('Cancel');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(path()).toBe('/');
});

it('says that the form could not be loaded, and offers it again', async () => {
  const failure = new TypeError('Failed to fetch dynamically imported module');
  vi.doMock('../nodes/useNodeActions.tsx', () => ({ openNodeForm: () => Promise.reject(failure) }));
  onTestFinished(() => vi.doUnmock('../nodes/useNodeActions.tsx'));
  await openConsole({ path: '/' });
  await press('Create Node');
  await screen.findByText('The form could not be loaded: the gateway did not answer.');
  expect(reported).toEqual([failure]);
  vi.doUnmock('../nodes/useNodeActions.tsx');
  await press('Create Node');
  await dialog('Client / Node Configuration');
});
