import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, openConsole, press } from '../testing/openConsole.tsx';

const OFFER = 'app.example.test has no service any more.';
const DELETED = 'Service deleted successfully!';

/** Deletes the one service of the domain. */
async function deleteApp() {
  const opened = await openConsole({ path: '/services' });
  await choose('App', 'Delete Service');
  return opened;
}

it('offers to delete the domain of its last service, and does so after a question alone', async () => {
  const { connection, requests } = await deleteApp();
  await press('Yes, delete it!');
  await screen.findByText(OFFER);
  expect((await connection.client.domain.list({})).data).toHaveLength(1);
  await press('Delete domain …');
  const question = await screen.findByRole('alertdialog', { name: 'Delete domain' });
  await within(question).findByText(/no service goes with it/);
  await press('Yes, delete it!');
  await screen.findByText('Domain deleted successfully!');
  expect((await connection.client.domain.list({})).data).toEqual([]);
  expect(requests.filter((request) => request.startsWith('DELETE'))).toHaveLength(2);
});

it('deletes no domain that someone else has changed meanwhile, but shows what has changed', async () => {
  const { connection } = await deleteApp();
  await press('Yes, delete it!');
  await screen.findByText(OFFER);
  const [domain] = (await connection.client.domain.list({})).data;
  await connection.client.domain.update({ params: { id: domain?.id ?? 0 }, body: { notes: 'kept' } });
  await press('Delete domain …');
  await press('Yes, delete it!');
  await screen.findByText('Someone else changed this in the meantime');
  expect((await connection.client.domain.list({})).data).toHaveLength(1);
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
});

it('offers nothing while the domain has another service', async () => {
  const { connection, requests } = await deleteApp();
  const other = { name: 'Other', domain: 'app.example.test', pathLocation: '/other' };
  await connection.client.httpService.create({
    params: { nodeId: 1 },
    body: { ...other, backendHost: '127.0.0.1', backendPort: 8080 },
  });
  await press('Yes, delete it!');
  await screen.findByText(DELETED);
  await waitFor(() => expect(requests).toContain('GET /api/domains?search=app.example.test'));
  expect(screen.queryByText(OFFER)).toBeNull();
});
