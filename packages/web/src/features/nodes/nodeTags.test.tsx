import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, openConsole, press } from '../../testing/openConsole.tsx';

const LONG = 'x'.repeat(40);
const NOTES = 'Behind the garage.\n<img src=x onerror=alert(1)> Ask Ada.';

const tagsOf = async (name: string) => within(await screen.findByRole('list', { name: `Tags of ${name}` }));
const texts = (list: Awaited<ReturnType<typeof tagsOf>>) =>
  list.getAllByRole('button').map(({ textContent }) => textContent);

it('takes tags by Enter and commas, also the one that is still being typed, and notes', async () => {
  const { gateway, ids } = await openConsole({ path: '/nodes' });
  await choose('edge', 'Edit Node');
  const form = within(await dialog('Client / Node Configuration'));
  fireEvent.click(form.getByText('Tags and notes'));
  const input = form.getByLabelText<HTMLInputElement>('Add a tag');
  fireEvent.change(input, { target: { value: 'عام, 👩‍🚀 ,' } });
  fireEvent.change(input, { target: { value: LONG } });
  expect(fireEvent.keyDown(input, { key: 'Enter' })).toBe(false);
  expect(input.value).toBe('');
  fireEvent.change(input, { target: { value: 'wrong,عام,' } });
  fireEvent.click(form.getByRole('button', { name: 'Remove tag wrong' }));
  fireEvent.change(input, { target: { value: 'media' } });
  fireEvent.change(form.getByLabelText('Notes'), { target: { value: NOTES } });
  await press('Save');
  await screen.findByText('Node updated successfully!');
  const tags = ['عام', '👩‍🚀', LONG, 'media'];
  expect(await gateway.store.nodes.get(ids.edgeId)).toMatchObject({ tags, notes: NOTES });
});

it('says what is wrong with a tag, unfolded, and Backspace takes the last one away', async () => {
  const { requests, store } = await withTags(['lab', 'cellar']);
  await choose('edge', 'Edit Node');
  const form = within(await dialog('Client / Node Configuration'));
  const input = form.getByLabelText('Add a tag');
  fireEvent.keyDown(input, { key: 'Backspace' });
  fireEvent.change(input, { target: { value: `${LONG}x,` } });
  await press('Save');
  await form.findByText('This field must be less than or equal to 40 characters long');
  expect(requests.filter((request) => request.startsWith('PATCH'))).toEqual([]);
  fireEvent.keyDown(input, { key: 'Backspace' });
  await press('Save');
  await screen.findByText('Node updated successfully!');
  expect((await store())?.tags).toEqual(['lab']);
});

it('shows three tags in a row and all hundred when asked, and filters by one in the address', async () => {
  const { path } = await withTags(Array.from({ length: 100 }, (_, index) => `tag ${index}`));
  const list = await tagsOf('edge');
  expect(texts(list)).toEqual(['tag 0', 'tag 1', 'tag 2', expect.stringMatching(/^\+97 /)]);
  fireEvent.click(list.getByRole('button', { name: /^\+97 more tags/ }));
  expect(texts(list)).toHaveLength(101);
  fireEvent.click(list.getByRole('button', { name: 'tag 99' }));
  await waitFor(() => expect(screen.queryByRole('link', { name: 'site' })).toBeNull());
  expect(path()).toBe('/nodes?tag=tag+99');
  expect((await tagsOf('edge')).getByRole('button', { name: 'tag 99' }).getAttribute('aria-pressed')).toBe('true');
  await press('No longer only nodes with the tag tag 99');
  await screen.findByRole('link', { name: 'site' });
  expect(path()).toBe('/nodes');
});

it('says when nothing has the tags of the address, and drops what cannot be tags', async () => {
  const { path } = await openConsole({ path: '/nodes?tag=none,lab' });
  await screen.findByText('Nothing has all of these tags.');
  await press('Clear tags');
  await screen.findByRole('link', { name: 'edge' });
  expect(path()).toBe('/nodes');
  const other = await openConsole({ path: '/nodes?tag=%2C' });
  await screen.findAllByRole('link', { name: 'edge' });
  await waitFor(() => expect(other.path()).toBe('/nodes'));
});

it('shows notes on the page of the node as text, and a tag leads to those that have it as well', async () => {
  const { path } = await withTags(['lab'], '/nodes/2');
  expect((await screen.findByText(/^Behind the garage/)).textContent).toBe(NOTES);
  fireEvent.click((await tagsOf('edge')).getByRole('button', { name: 'lab' }));
  await waitFor(() => expect(path()).toBe('/nodes?tag=lab'));
});

/** The console, where the node `edge` has these tags, and notes. */
async function withTags(tags: string[], path = '/nodes') {
  const opened = await openConsole({ path: '/settings' });
  const { gateway, ids } = opened;
  await gateway.store.write((tx) => tx.nodes.update(ids.edgeId, { tags, notes: NOTES }));
  opened.router.history.push(path);
  return { ...opened, store: () => gateway.store.nodes.get(ids.edgeId) };
}
