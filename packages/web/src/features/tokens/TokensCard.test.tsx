import { formatDate } from '@sallyport/sdk';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, type OpenConsole, openConsole, openMenu, press, type } from '../../testing/openConsole.tsx';

const card = async () => within(await screen.findByRole('region', { name: 'Node Access Tokens' }));
const rowOf = async (name: string) => {
  const row = (await (await card()).findByText(name)).closest('tr');
  if (!row) throw new Error(`${name} is not in a row`);
  return within(row);
};

/** A token that is there already, whatever its end. */
const given = (
  { gateway, ids }: OpenConsole,
  name: string,
  more: { expireAt?: string; revoked?: boolean; lastUsedAt?: string } = {},
) =>
  gateway.store.write((tx) =>
    tx.tokens.create({
      nodeId: ids.edgeId,
      name,
      tokenHash: name,
      expireAt: null,
      revoked: false,
      lastUsedAt: null,
      ...more,
    }),
  );

// It is loaded after its form.
const calendarShown = () => screen.findByLabelText('Day of expiry');

/** Chooses the 15th of a month that many months ahead; hands out its last moment. */
async function pickDay(months: number): Promise<Date> {
  const calendar = within(await calendarShown());
  const now = new Date();
  const dayOf = (month: number) => new Date(now.getFullYear(), now.getMonth() + month, 15, 23, 59, 59, 999);
  for (let turned = 1; turned <= months; turned += 1) {
    fireEvent.click(calendar.getByLabelText(/next month/i));
    await calendar.findByText(dayOf(turned).toLocaleDateString('en-US', { month: 'long', year: 'numeric' }));
  }
  const day = dayOf(months);
  const month = day.toLocaleDateString('en-US', { month: 'long' });
  fireEvent.click(calendar.getByLabelText(new RegExp(`${month} 15, ${day.getFullYear()}`)));
  return day;
}

/** The page of the node `edge`, entered from the list. */
async function openEdge(): Promise<void> {
  fireEvent.click(await screen.findByRole('link', { name: 'edge' }));
  await card();
}

it('makes a token and shows its secret this once', async () => {
  const { gateway, ids, connection } = await openConsole({ path: '/nodes/2' });
  await (await card()).findByText('default');
  await press('Add Token');
  await dialog('Access Token Configuration');
  expect(screen.getByPlaceholderText('Enter a friendly name for this token')).toBeDefined();
  expect(screen.getByText('Define when the token should be revoked automatically')).toBeDefined();
  await type(/^Name/, 'ci');
  const end = await pickDay(2);
  await press('Save');

  const shown = within(await dialog('New Access Token Generated'));
  expect(shown.getByText('ci')).toBeDefined();
  expect(shown.getByText(formatDate(end))).toBeDefined();
  expect(shown.getByText(/^The personal access token was created.* it is not shown again\.$/)).toBeDefined();
  const guides = shown.getAllByRole('link').map((link) => link.getAttribute('href'));
  expect(guides).toEqual(['/docs/cli', '/docs/docker', '/docs/kubernetes']);
  const field = shown.getByLabelText<HTMLInputElement>('Token');
  expect(field.readOnly).toBe(true);
  expect(field.value).toMatch(/^spn_/);
  const secret = field.value;
  // A press next to it must not lose the secret.
  const backdrop = screen.getByRole('dialog').parentElement ?? document.body;
  for (const event of ['pointerDown', 'mouseDown', 'pointerUp', 'mouseUp', 'click'] as const)
    fireEvent[event](backdrop);
  await press('Go back');
  expect(shown.getByLabelText('Token')).toBeDefined();
  fireEvent.click(shown.getByText('Close'));
  await press('Close without it');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

  const row = await rowOf('ci');
  expect(row.getByText('Active')).toBeDefined();
  expect(row.getByText(formatDate(end)).getAttribute('datetime')).toBe(end.toISOString());
  expect(document.body.innerHTML).not.toContain(secret);
  // The whole of the day that was chosen, where the reader is.
  const { data } = await connection.client.token.list({ params: { id: ids.edgeId }, query: {} });
  expect(data.at(-1)?.expireAt).toBe(end.toISOString());
  expect(gateway.errors).toEqual([]);
});

it('needs a name, and lets the end be cleared again', async () => {
  const { requests } = await openConsole({ path: '/nodes/2' });
  await press('Add Token');
  const form = within(await dialog('Access Token Configuration'));
  const field = form.getByLabelText<HTMLInputElement>('Expire At (Optional)');
  expect([field.readOnly, field.placeholder, field.value]).toEqual([true, 'Select a date', '']);
  expect(form.queryByRole('button', { name: 'Clear the date' })).toBeNull();
  const end = await pickDay(1);
  expect(field.value).toBe(formatDate(end));
  await press('Clear the date');
  expect([field.value, document.activeElement]).toEqual(['', field]);

  await press('Save');
  expect(await screen.findByText('This field is not allowed to be empty')).toBeDefined();
  expect(requests).not.toContain('POST /api/nodes/2/pats');
  await type(/^Name/, 'ci');
  await waitFor(() => expect(screen.queryByText(/This field/)).toBeNull());
  await press('Save');
  const shown = within(await dialog('New Access Token Generated'));
  expect(shown.queryByText('Expires')).toBeNull();
});

it('offers no day before today, and no month before this one', async () => {
  await openConsole({ path: '/nodes/2' });
  await press('Add Token');
  const calendar = within(await calendarShown());
  expect(calendar.getByRole('button', { name: /previous month/i }).getAttribute('aria-disabled')).toBe('true');
  const days = within(calendar.getByRole('grid')).getAllByRole<HTMLButtonElement>('button');
  const today = days.findIndex((day) => day.getAttribute('aria-label')?.startsWith('Today'));
  expect(today).toBeGreaterThanOrEqual(0);
  expect(days.slice(0, today).every((day) => day.disabled)).toBe(true);
  expect(days.slice(today).some((day) => day.disabled)).toBe(false);
});

it('says in words which tokens can still be used', async () => {
  const open = await openConsole({ path: '/nodes' });
  await given(open, 'ended', { expireAt: '2020-01-01T00:00:00.000Z' });
  await given(open, 'withdrawn', { revoked: true, expireAt: '2020-01-01T00:00:00.000Z' });
  await openEdge();
  expect((await card()).getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Name',
    'Status',
    'Actions',
  ]);
  expect((await rowOf('default')).getByText('Active')).toBeDefined();
  expect((await rowOf('ended')).getByText('Expired')).toBeDefined();
  expect((await rowOf('withdrawn')).getByText('Revoked')).toBeDefined();
  const items = await openMenu('withdrawn');
  expect(items.map(({ textContent }) => textContent)).toEqual(['RevokeIt is revoked already', 'Delete']);
  fireEvent.click(items[0] ?? document.body);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

it('says when a token was last used', async () => {
  const open = await openConsole({ path: '/nodes' });
  const used = '2020-01-01T00:00:00.000Z';
  await given(open, 'idle', { lastUsedAt: used });
  await openEdge();
  expect((await rowOf('idle')).getByText(/^\d+ years ago$/).getAttribute('datetime')).toBe(used);
  expect((await rowOf('default')).getByText('never used')).toBeDefined();
});

it('revokes a token after a warning, and only then', async () => {
  const { requests } = await openConsole({ path: '/nodes/2' });
  await choose('default', 'Revoke');
  const first = await screen.findByRole('alertdialog', { name: 'Revoke Personal Access Token' });
  expect(first.textContent).toContain('Access with this token is disabled immediately.');
  expect(first.textContent).toMatch(
    /An active tunnel may continue. If the token is compromised, disable the node as well/,
  );
  await press('Cancel');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);

  await choose('default', 'Revoke');
  await press('Yes, revoke token!');
  await screen.findByText('Personal Access Token revoked successfully!');
  await (await rowOf('default')).findByText('Revoked');
});

it('deletes a token after a warning; then there is none', async () => {
  await openConsole({ path: '/nodes/2' });
  await choose('default', 'Delete');
  const question = await screen.findByRole('alertdialog', { name: 'Delete Personal Access Token' });
  expect(question.textContent).toContain('permanently');
  expect(question.textContent).toContain('An active tunnel may continue.');
  await press('Yes, delete it!');
  await screen.findByText('Personal Access Token deleted successfully!');
  await (await card()).findByText('No Access Tokens yet');
  expect((await card()).getByText(/With one, the host of this node signs in\./)).toBeDefined();
});

it('pages by five, and goes back when a page has lost its last row', async () => {
  const open = await openConsole({ path: '/nodes' });
  for (const name of ['a', 'b', 'c', 'd', 'last']) await given(open, name);
  await openEdge();
  await (await card()).findByText('Showing 1 to 5 of 6');
  await press('Next');
  await (await card()).findByText('Showing 6 to 6 of 6');
  expect(screen.getByRole('button', { name: 'Next' })).toHaveProperty('disabled', true);
  expect(open.path()).toBe('/nodes/2?tokensPage=2');
  expect(open.requests).toContain('GET /api/nodes/2/pats?page=2&limit=5');
  await choose('last', 'Delete');
  await press('Yes, delete it!');
  await (await card()).findByText('default');
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Next' })).toBeNull());
  expect(open.path()).toBe('/nodes/2');
});
