import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { dialog, openConsole, press, setFirstRun, type } from '../../testing/openConsole.tsx';

beforeEach(() => setFirstRun('open'));

/** The console at home, on a gateway on which nothing was done yet. */
async function openEmpty() {
  const opened = await openConsole({ path: '/nodes' });
  const { connection, ids, router } = opened;
  const { client } = connection;
  await client.domain.remove({ params: { id: ids.domainId } });
  for (const id of [ids.edgeId, ids.siteId]) await client.node.remove({ params: { id } });
  await router.navigate({ to: '/' });
  return { ...opened, client };
}
const region = () => screen.findByRole('region', { name: 'First steps' });
const openStep = async () =>
  within(await region())
    .getAllByRole('listitem')
    .find((row) => row.getAttribute('aria-current') === 'step');

it('leads from an empty gateway to one in use, ticks each step by itself, and is gone', async () => {
  const { gateway, client, answer } = await openEmpty();
  const card = within(await region());
  expect(card.getByText('1 of 4 done')).toBeDefined();
  expect(screen.getByRole('heading', { name: 'Get started' })).toBeDefined();
  expect(card.getByText('vpn.example.test')).toBeDefined();

  // The main job comes next.
  expect((await openStep())?.textContent).toContain('Expose a service');
  await press('Expose Service');
  const form = within(await dialog('Expose HTTP Service on Node'));
  await type(/^Service Name/, 'Shop');
  await type(/^Public HTTP Path/, '/shop');
  await type(/^Backend Host/, '127.0.0.1');
  await type(/^Backend Port/, '8080');
  fireEvent.click(form.getByRole('button', { name: 'Save' }));
  const made = within(await dialog('Your Service is Now Publicly Available'));
  fireEvent.click(made.getAllByRole('button', { name: 'Close' })[0] ?? document.body);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await card.findByText('2 of 4 done');
  expect(card.getByText('Shop')).toBeDefined();

  expect((await openStep())?.textContent).toContain('Join a second host');
  const { id } = await client.node.create({ body: { name: 'attic' } });
  await card.findByText('Waiting for attic to connect…', {}, { timeout: 20_000 });
  gateway.world.setNodeRuntime(id, { status: 'online', latestHandshakeTimestamp: Date.now() });
  await card.findByText('3 of 4 done', {}, { timeout: 20_000 });

  expect((await openStep())?.textContent).toContain('Domain with a certificate');
  await client.domain.create({ body: { domain: 'new.example.test', skipValidation: true } });
  await card.findByText(/^new\.example\.test is self-signed: browsers warn/, {}, { timeout: 20_000 });
  await press('Get a Certificate');
  const edited = within(await dialog('Domain & SSL Settings'));
  expect(edited.getByLabelText<HTMLInputElement>(/^Domain/).value).toBe('new.example.test');
  fireEvent.click(edited.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const [domain] = (await client.domain.list({})).data;
  answer('GET /api/domains', () => Response.json([{ ...domain, ssl: 'certbot' }]));
  await waitFor(() => expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull(), { timeout: 20_000 });
  expect(screen.queryByRole('heading', { name: 'Get started' })).toBeNull();
  expect(localStorage.getItem('first-run')).toBe('over');
});

it('is put away, and stays away', async () => {
  const { router } = await openEmpty();
  await region();
  await press('Dismiss');
  expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull();
  expect(document.activeElement?.id).toBe('main');
  await router.navigate({ to: '/nodes' });
  await router.navigate({ to: '/' });
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  expect(screen.queryByRole('region', { name: 'First steps' })).toBeNull();
  expect(screen.getByText('Create Your First Node')).toBeDefined();
});

it.each([
  ['no one chose one', 'debian', 'machine'],
  ['it leads no one but this machine here', 'localhost', 'environment'],
])('asks for a public address where %s, and has one primary button', async (_, host, source) => {
  const { answer, router } = await openConsole({ path: '/nodes' });
  const address = { host, source, next: null, problem: null, warnings: [], facts: [] };
  answer('GET /api/public-address', () => Response.json({ ...address, lastHandshakeAt: null, candidates: [] }));
  await router.navigate({ to: '/' });
  const row = await waitFor(openStep);
  expect(row?.textContent).toContain('Public address');
  expect(
    within(await region())
      .getByRole('link', { name: 'Choose Address' })
      .getAttribute('href'),
  ).toBe('/settings/gateway');
});

it('says in place of the second host that the tunnel is off, and why a domain has no certificate', async () => {
  const { gateway, connection, router, answer } = await openConsole({ path: '/nodes' });
  gateway.world.setUnavailable([{ feature: 'tunnel', reason: 'It is turned off.', fix: 'Turn it on.', chosen: true }]);
  const { data } = await connection.client.domain.list({});
  for (const row of data) Object.assign(row, { certificateEndsAt: null, problem: 'The authority finds no address.' });
  answer('GET /api/domains', () => Response.json(data));
  await router.navigate({ to: '/' });
  const card = within(await region());
  await card.findByText('It needs the tunnel of this gateway, which is off.');
  expect(card.getByText('The authority finds no address.')).toBeDefined();
  expect(card.getByRole('link', { name: 'Set Up the Tunnel' }).getAttribute('href')).toBe('/settings/features');
  expect(card.queryByRole('button', { name: 'Add Client' })).toBeNull();
});

it('does not count a service that cannot be served, and says why', async () => {
  const { connection, ids, router } = await openConsole({ path: '/nodes' });
  // Port 80 of this machine is the gateway itself.
  const params = { nodeId: 1, id: ids.appId };
  const body = { backendHost: '127.0.0.1', backendPort: 80 };
  await connection.client.httpService.update({ params, body });
  await router.navigate({ to: '/' });
  const card = within(await region());
  expect(card.getByText(/leads back to the gateway itself/)).toBeDefined();
  expect((await openStep())?.textContent).toContain('Expose a service');
});
