import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, openConsole, press, type } from '../testing/openConsole.tsx';

const FORM = 'Client / Node Configuration';
const QUESTION = 'Discard what you changed?';
const isClosed = () => waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
const pressIn = (place: HTMLElement, name: string) =>
  fireEvent.click(within(place).getByRole('button', { name, hidden: true }));

/** Ways out of a form. */
const ways: Record<string, (form: HTMLElement) => void> = {
  Escape: (form) => void fireEvent.keyDown(form, { key: 'Escape' }),
  Cancel: (form) => pressIn(form, 'Cancel'),
  'the cross': (form) => pressIn(form, 'Close'),
};

it.each(Object.entries(ways))('asks before %s takes what was typed away', async (_way, leave) => {
  const { requests } = await openConsole({ path: '/nodes' });
  await press('Add Client');
  const form = await dialog(FORM);
  await type(/^Name/, 'web-1');
  leave(form);
  const question = await dialog(QUESTION);
  pressIn(question, 'Keep editing');
  await waitFor(() => expect(screen.queryByRole('dialog', { name: QUESTION })).toBeNull());
  expect(within(form).getByLabelText<HTMLInputElement>(/^Name/).value).toBe('web-1');
  leave(form);
  // Escape there keeps it as well.
  fireEvent.keyDown(await dialog(QUESTION), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog', { name: QUESTION })).toBeNull());
  leave(form);
  pressIn(await dialog(QUESTION), 'Discard');
  await isClosed();
  expect(requests.filter((request) => request.startsWith('POST'))).toEqual([]);
});

it.each(Object.entries(ways))(
  'asks nothing on %s when nothing was changed, or it was changed back',
  async (_way, leave) => {
    await openConsole({ path: '/nodes' });
    await choose('edge', 'Edit Node');
    const form = await dialog(FORM);
    await type(/^Name/, 'other');
    await type(/^Name/, 'edge');
    // What is only looked at is nothing to lose.
    await press('Advanced Form');
    leave(form);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  },
);

it('has the browser ask before a reload for as long as something is typed', async () => {
  await openConsole({ path: '/nodes' });
  await press('Add Client');
  const form = await dialog(FORM);
  const unload = () => {
    const event = new Event('beforeunload', { cancelable: true });
    window.dispatchEvent(event);
    return event.defaultPrevented;
  };
  expect(unload()).toBe(false);
  await type(/^Name/, 'web-1');
  expect(unload()).toBe(true);
  fireEvent.keyDown(form, { key: 'Escape' });
  pressIn(await dialog(QUESTION), 'Discard');
  await isClosed();
  expect(unload()).toBe(false);
});

it('asks before another screen is gone to from a form on the page', async () => {
  const { path, router } = await openConsole({ path: '/settings/sessions' });
  await type(/^New password/, 'a longer one');
  const leave = () => act(async () => void router.navigate({ to: '/nodes' }));
  await leave();
  pressIn(await dialog(QUESTION), 'Keep editing');
  await isClosed();
  expect(path()).toBe('/settings/sessions');
  await leave();
  pressIn(await dialog(QUESTION), 'Discard');
  await waitFor(() => expect(path()).toBe('/nodes'));
});
