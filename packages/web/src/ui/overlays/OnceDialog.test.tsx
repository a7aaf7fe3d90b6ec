import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, it, vi } from 'vitest';
import { dialog, openConsole, press, type } from '../../testing/openConsole.tsx';

afterEach(() => vi.restoreAllMocks());

const pressIn = (place: HTMLElement, name: string) =>
  fireEvent.click(within(place).getByRole('button', { name, hidden: true }));

/** Everywhere that something is shown once: the way there, the dialog, what it shows, and the button that copies it. */
const places = [
  {
    what: 'token',
    path: '/nodes',
    add: 'Add Client',
    fill: () => type(/^Name/, 'web-1'),
    shown: 'Your Node is Ready',
    copy: 'Copy the token',
  },
  {
    what: 'token',
    path: '/nodes/2',
    add: 'Add Token',
    fill: () => type(/^Name/, 'laptop'),
    shown: 'New Access Token Generated',
    copy: 'Copy the token',
  },
  {
    what: 'token',
    path: '/settings/sessions',
    add: 'Add Token',
    async fill() {
      await type(/^Name/, 'ci');
      fireEvent.change(screen.getByLabelText(/^Nodes/), { target: { value: 'read' } });
    },
    shown: 'New API Token',
    copy: 'Copy the token',
  },
  {
    what: 'code',
    path: '/nodes',
    add: 'Add Join Key',
    fill: () => type(/^Name/, 'rack 2'),
    shown: 'New Join Key',
    copy: 'Copy the code',
  },
];

it.each(places)('$shown is not closed unnoticed before the $what was copied', async (place) => {
  const { what, path, add, fill, shown, copy } = place;
  const written: string[] = [];
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => void written.push(text));
  await openConsole({ path });
  await press(add);
  await screen.findByRole('dialog', {}, { timeout: 20_000 });
  await fill();
  await press('Save');
  const once = await dialog(shown);
  const question = `The ${what} is not copied. Close?`;
  for (const leave of ['Escape', 'Close'] as const) {
    if (leave === 'Escape') fireEvent.keyDown(once, { key: 'Escape' });
    else fireEvent.click(within(once).getAllByRole('button', { name: 'Close', hidden: true }).at(-1) ?? once);
    pressIn(await dialog(question), 'Go back');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: question })).toBeNull());
  }
  fireEvent.click(within(once).getByRole('button', { name: copy }));
  await waitFor(() => expect(written).toHaveLength(1));
  fireEvent.keyDown(once, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

/** What else keeps a token, and what is seen of it. */
const others: { way: string; keep: (once: HTMLElement) => Promise<unknown> }[] = [
  { way: 'copied by hand', keep: async (once) => fireEvent.copy(within(once).getByLabelText('Token')) },
  {
    way: 'saved as a configuration',
    async keep(once) {
      const saved = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
      pressIn(once, 'Download Configuration');
      await vi.waitFor(() => expect(saved).toHaveBeenCalled());
    },
  },
  {
    way: 'shown to a camera',
    async keep(once) {
      pressIn(once, 'Show QR Code');
      await screen.findByRole('button', { name: 'Hide QR Code' });
    },
  },
];

it.each(others)('asks nothing about a token that was $way', async ({ keep }) => {
  await openConsole({ path: '/nodes' });
  await press('Add Client');
  await type(/^Name/, 'web-1');
  await press('Save');
  const once = await dialog('Your Node is Ready');
  await keep(once);
  fireEvent.keyDown(once, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});
