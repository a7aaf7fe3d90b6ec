import { TEST_ADMIN } from '@sallyport/gateway/testing';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, openConsole, press, type } from '../../testing/openConsole.tsx';

const card = async (name: string) => within(await screen.findByRole('region', { name }));

it('makes an API token with chosen rights for a chosen node, shows it once, and deletes it', async () => {
  const { connection, ids, gateway } = await openConsole({ path: '/settings/sessions' });
  expect(await (await card('API Tokens')).findByText('No API tokens yet')).toBeDefined();
  expect((await card('API Tokens')).getByText(/For programs, with a part of your rights\./)).toBeDefined();
  await press('Add Token');
  const form = within(await dialog('Add API Token'));
  await press('Save');
  expect(await form.findByText('Choose at least one right.')).toBeDefined();
  // It is said once, and not of each kind.
  expect(form.getAllByRole('combobox').filter((kind) => kind.hasAttribute('aria-invalid'))).toEqual([]);
  await type(/^Name/, 'ci');
  fireEvent.change(form.getByLabelText('Services'), { target: { value: 'write' } });
  fireEvent.change(form.getByLabelText('Logs'), { target: { value: 'read' } });
  expect([...form.getByLabelText<HTMLSelectElement>('Logs').options].map(({ value }) => value)).toEqual(['', 'read']);
  await form.findByText('edge');
  fireEvent.change(form.getByLabelText('Limit it to a node'), { target: { value: String(ids.edgeId) } });
  await press('Save');

  const shown = within(await dialog('New API Token'));
  const secret = shown.getByLabelText<HTMLInputElement>('Token').value;
  expect(secret).toMatch(/^spa_/);
  fireEvent.click(shown.getByText('Close'));
  await press('Close without it');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(document.body.innerHTML).not.toContain(secret);
  const list = await card('API Tokens');
  expect(await list.findByText(`${secret.slice(0, 8)}…`)).toBeDefined();
  expect([
    list.getByText('services:write'),
    list.getByText('logs:read'),
    await list.findByText('for edge'),
  ]).toHaveLength(3);
  const { data } = await (await connection.client.seldom()).apiToken.list({});
  expect(data).toMatchObject([{ name: 'ci', scope: ['services:write', 'logs:read'], nodes: [ids.edgeId] }]);

  await choose('ci', 'Delete');
  await press('Delete');
  expect(await list.findByText('No API tokens yet')).toBeDefined();
  expect(gateway.errors).toEqual([]);
});

it('ends a token after a time, at a day that is chosen, or never', async () => {
  const { connection } = await openConsole({ path: '/settings/sessions' });
  await press('Add Token');
  const form = within(await dialog('Add API Token'));
  await type(/^Name/, 'ci');
  fireEvent.change(form.getByLabelText('Services'), { target: { value: 'read' } });
  const ends = within(
    form.getByRole('group', { name: 'Expire At (Optional)', description: 'From then on it is refused.' }),
  );
  const names = ends.getAllByRole<HTMLInputElement>('radio').map(({ value }) => value);
  expect(names).toEqual(['1 hour', '1 day', '7 days', '30 days', '1 year', 'Never', 'Choose a date']);
  expect(ends.getByLabelText('Never')).toHaveProperty('checked', true);
  expect(ends.queryByRole('grid')).toBeNull();
  fireEvent.click(ends.getByLabelText('Choose a date'));
  expect(await ends.findByRole('grid')).toBeDefined();
  // A date that is not chosen is no end, and not none either.
  await press('Save');
  expect(await ends.findByText('Choose a date, or another end.')).toBeDefined();
  const before = Date.now();
  fireEvent.click(ends.getByLabelText('7 days'));
  expect(ends.queryByRole('grid')).toBeNull();
  await press('Save');
  await dialog('New API Token');
  const { data } = await (await connection.client.seldom()).apiToken.list({});
  const days = (Date.parse(data[0]?.expireAt ?? '') - before) / 86_400_000;
  expect(Math.round(days * 1000) / 1000).toBe(7);
});

it('says what it cannot be where nodes and domains are chosen together', async () => {
  const { ids } = await openConsole({ path: '/settings/sessions' });
  await press('Add Token');
  const form = within(await dialog('Add API Token'));
  await type(/^Name/, 'ci');
  fireEvent.change(form.getByLabelText('Domains'), { target: { value: 'read' } });
  await form.findByText('edge');
  fireEvent.change(form.getByLabelText('Limit it to a node'), { target: { value: String(ids.edgeId) } });
  await press('Save');
  expect(await form.findByText(/^Domains belong to no node/)).toBeDefined();
});

it('lists the sessions, of which the own one cannot be ended here, and ends others', async () => {
  const { gateway } = await openConsole({ path: '/settings/sessions' });
  const sessions = await card('Sessions');
  await sessions.findByText('This session');
  const before = sessions.getAllByRole('button', { name: /^End the session from/ }).length;
  expect(before).toBe((await gateway.store.sessions.living()).length - 1);
  fireEvent.click(sessions.getAllByRole('button', { name: /^End the session from/ })[0] ?? document.body);
  await waitFor(async () => expect(await gateway.store.sessions.living()).toHaveLength(before));
  await press('End All Others');
  await press('End them');
  await waitFor(async () => expect(await gateway.store.sessions.living()).toHaveLength(1));
  await waitFor(() => expect(sessions.queryByRole('button', { name: /^End the session from/ })).toBeNull());
});

it('changes the password, and says which one is wrong without signing out', async () => {
  const { connection } = await openConsole({ path: '/settings/sessions' });
  const password = await card('Password');
  await password.findByLabelText(/^Current password/);
  await type(/^Current password/, 'wrong');
  await type(/^New password/, 'battery staple');
  await press('Change Password');
  expect(await password.findByText('This is not the password')).toBeDefined();
  await type(/^Current password/, TEST_ADMIN.password);
  await press('Change Password');
  expect(await screen.findByText('Password changed')).toBeDefined();
  await waitFor(() => expect(password.getByLabelText<HTMLInputElement>(/^Current password/).value).toBe(''));
  expect(connection.session.token()).not.toBeNull();
});

it('tells instead that the settings say the password', async () => {
  const { answer, router } = await openConsole({ path: '/nodes' });
  answer('GET /api/auth/password', () => Response.json({ problem: 'The password is set elsewhere.' }));
  await router.navigate({ to: '/settings/$group', params: { group: 'sessions' } });
  const password = await card('Password');
  expect(await password.findByText('The password is set elsewhere.')).toBeDefined();
  expect(password.queryByLabelText(/^Current password/)).toBeNull();
});
