import type { CreatedJoinKey } from '@sallyport/sdk/contract';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, openConsole, press, type } from '../../testing/openConsole.tsx';

const list = async () => within(await screen.findByRole('region', { name: 'Join Keys' }));

it('makes a key for several gateways, shows its line and code once, and deletes it after a question', async () => {
  const { gateway } = await openConsole({ path: '/nodes' });
  await screen.findByRole('link', { name: 'edge' });
  expect(screen.queryByRole('region', { name: 'Join Keys' })).toBeNull();
  await press('Add Join Key');
  await dialog('Add Join Key');
  await press('Save');
  expect(await screen.findByText('This field is not allowed to be empty')).toBeDefined();
  await type(/^Name/, 'racks');
  fireEvent.click(screen.getByLabelText('Reusable'));
  fireEvent.click(screen.getByLabelText('The new node is a gateway'));
  await type(/^Node names/, 'web-*');
  await press('Save');

  const shown = within(await dialog('New Join Key'));
  const code = shown.getByLabelText<HTMLInputElement>('Code').value;
  expect(code).toMatch(/^(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}$/);
  const line = shown.getByRole('region', { name: 'Join line' }).textContent;
  expect(line).toMatch(/^curl .* https:\/\/\S+\/join \| sudo sh$/);
  expect(line).not.toContain(code);
  expect(shown.getByRole('region', { name: 'The same for root' }).textContent).toMatch(/ \| sh$/);
  fireEvent.click(shown.getByText('Close'));
  await press('Close without it');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(document.body.innerHTML).not.toContain(code);
  expect(await gateway.store.joinKeys.all()).toMatchObject([
    { name: 'racks', nodeId: null, reusable: true, isGateway: true, namePattern: 'web-*' },
  ]);

  const rows = await list();
  const words = ['racks', 'web-*', 'Reusable', 'Gateway', 'never used'];
  expect(await Promise.all(words.map((word) => rows.findByText(word)))).toHaveLength(words.length);
  await choose('racks', 'Delete');
  await press('Delete');
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Join Keys' })).toBeNull());
  expect(await gateway.store.joinKeys.all()).toEqual([]);
  expect(gateway.errors).toEqual([]);
});

it('says nothing of a field that was merely passed', async () => {
  await openConsole({ path: '/nodes' });
  await press('Add Join Key');
  const form = within(await dialog('Add Join Key'));
  const name = form.getByLabelText(/^Name/);
  fireEvent.focus(name);
  await act(async () => void fireEvent.blur(name));
  expect(name.getAttribute('aria-invalid')).toBeNull();
  await type(/^Name/, 'racks');
  await type(/^Name/, '');
  await waitFor(() => expect(name.getAttribute('aria-invalid')).toBe('true'));
});

it('shows no line while the gateway knows no address that leads a host to it, and says what to set', async () => {
  const { answer } = await openConsole({ path: '/nodes' });
  const made: CreatedJoinKey = {
    id: 1,
    name: 'racks',
    nodeId: null,
    nodeName: null,
    reusable: false,
    namePattern: null,
    isGateway: false,
    version: 1,
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: '2026-01-01T00:00:00.000Z',
    expireAt: '2026-01-02T00:00:00.000Z',
    uses: 0,
    lastUsedAt: null,
    code: '0000-0000-0000-0000',
    command: null,
  };
  answer('POST /api/join-keys', () => Response.json(made));
  await press('Add Join Key');
  await dialog('Add Join Key');
  await type(/^Name/, 'racks');
  await press('Save');
  const shown = within(await dialog('New Join Key'));
  const note = shown.getByText(/^There is no line yet: the gateway does not know by which name or address/);
  expect(within(note).getByRole('link', { name: 'Settings' }).getAttribute('href')).toBe('/settings/gateway');
  expect(shown.queryByRole('region', { name: 'Join line' })).toBeNull();
  expect(shown.getByLabelText<HTMLInputElement>('Code').value).toBe('0000-0000-0000-0000');
});

it('tells a key that was used from one that has expired, and counts the hosts', async () => {
  const { connection, ids } = await openConsole({ path: '/' });
  const { client } = connection;
  const keys = [
    { name: 'once', nodeId: ids.edgeId },
    { name: 'many', reusable: true, expireAt: new Date(Date.now() + 86_400_000).toISOString() },
    // The gateway's clock in tests is behind the browser's.
    { name: 'late', reusable: true },
  ];
  const [once, many] = await Promise.all(keys.map(async (body) => (await client.seldom()).joinKey.create({ body })));
  const join = async (key: typeof once, name: string) =>
    (await client.seldom()).joinKey.redeem({ body: { code: key?.code ?? '', claim: name.repeat(20), name } });
  await join(once, 'a');
  await join(many, 'b');
  await join(many, 'c');
  fireEvent.click(await screen.findByRole('link', { name: /Nodes/ }));
  const rows = await list();
  const row = async (name: string) => within((await rows.findByText(name)).closest('tr') ?? document.body);
  const [first, second, third] = await Promise.all([row('once'), row('many'), row('late')]);
  expect([first.getByText('Used'), first.getByText('Single use')]).toHaveLength(2);
  expect((await first.findByRole('link', { name: 'edge' })).getAttribute('href')).toBe(`/nodes/${ids.edgeId}`);
  expect([second.getByText('Active'), second.getByText(/^used 2 times/)]).toHaveLength(2);
  expect(third.getByText('Expired')).toBeDefined();
});

it('says in the dialog of a new key that its host has joined, and asks no more whether the code was copied', async () => {
  const { connection } = await openConsole({ path: '/nodes' });
  await press('Add Join Key');
  await dialog('Add Join Key');
  await type(/^Name/, 'rack');
  await press('Save');
  const shown = within(await dialog('New Join Key'));
  const code = shown.getByLabelText<HTMLInputElement>('Code').value;
  await (await connection.client.seldom()).joinKey.redeem({ body: { code, claim: 'a'.repeat(20), name: 'web-1' } });
  await shown.findByText('A host has joined with it', {}, { timeout: 10_000 });
  fireEvent.click(shown.getByText('Close'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

it('shows by itself that a host has joined', async () => {
  const { connection } = await openConsole({ path: '/' });
  const expireAt = new Date(Date.now() + 86_400_000).toISOString();
  const { code } = await (await connection.client.seldom()).joinKey.create({ body: { name: 'rack', expireAt } });
  fireEvent.click(await screen.findByRole('link', { name: /Nodes/ }));
  const rows = await list();
  await rows.findByText('never used');
  await (await connection.client.seldom()).joinKey.redeem({ body: { code, claim: 'a'.repeat(20), name: 'web-1' } });
  await rows.findByText('Used');
  expect(rows.getByText(/^used once/)).toBeDefined();
});

it('lists no key of a node that was deleted on the same screen', async () => {
  const { connection, ids } = await openConsole({ path: '/nodes' });
  await (await connection.client.seldom()).joinKey.create({ body: { name: 'edge again', nodeId: ids.edgeId } });
  await (await connection.client.seldom()).joinKey.create({ body: { name: 'racks' } });
  await screen.findByRole('link', { name: 'edge' });
  const keys = await list();
  expect(await keys.findByText('edge again')).toBeDefined();
  await choose('edge', 'Delete Node');
  await press('Yes, delete it!');
  await waitFor(() => expect(keys.queryByText('edge again')).toBeNull());
  expect(keys.getByText('racks')).toBeDefined();
});
