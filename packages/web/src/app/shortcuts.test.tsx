import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { dialog, openConsole, press } from '../testing/openConsole.tsx';

const key = (name: string, held: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...held });

async function start(path = '/nodes') {
  const opened = await openConsole({ path });
  await screen.findByRole('button', { name: 'Add Client' });
  return opened;
}

it.each([
  ['h', '/'],
  ['d', '/domains'],
  ['n', '/nodes'],
  [',', '/settings'],
])('g %s goes to %s', async (second, to) => {
  const { path } = await start();
  key('g');
  key(second);
  await waitFor(() => expect(path()).toBe(to));
});

it('has the keys of a layout that writes other letters', async () => {
  await start();
  key('л', { code: 'KeyK', ctrlKey: true });
  expect(await screen.findByRole('combobox', { name: 'Search or run a command' })).toBeDefined();
});

it('c opens the form of what the screen lists, whose button says so', async () => {
  await start();
  expect(screen.getByRole('button', { name: 'Add Client' }).getAttribute('aria-keyshortcuts')).toBe('c');
  key('c');
  await dialog('Client / Node Configuration');
});

it('/ leads to the search of the list, and Escape out of it', async () => {
  await start();
  const search = screen.getByRole('searchbox', { name: 'Search nodes' });
  expect(search.getAttribute('aria-keyshortcuts')).toBe('/');
  expect(key('/')).toBe(false);
  expect(document.activeElement).toBe(search);
  key('Escape');
  expect(document.activeElement).not.toBe(search);
});

it('? lists the shortcuts, and turns those of a single key off and on', async () => {
  const { path } = await start();
  key('?', { shiftKey: true });
  const list = await dialog('Keyboard shortcuts');
  expect(list.textContent).toContain('Client / NodesGN');
  await press('Turn Single Keys Off');
  fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  for (const pressed of ['?', 'c', 'g', 'd']) key(pressed);
  key('k', { ctrlKey: true });
  // The palette is there all the same, and nothing else is.
  await screen.findByRole('combobox', { name: 'Search or run a command' });
  expect(screen.getAllByRole('dialog')).toHaveLength(1);
  expect(path()).toBe('/nodes');
});

it('no key is a shortcut in a field, in a dialog, or with Ctrl, Alt or Cmd', async () => {
  const { path } = await start();
  const search = screen.getByRole('searchbox', { name: 'Search nodes' });
  act(() => search.focus());
  for (const pressed of ['?', 'c', '/', 'g', 'd']) expect(key(pressed)).toBe(true);
  act(() => search.blur());
  for (const held of [{ ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
    for (const pressed of ['?', 'c', '/', 'g', 'd']) expect(key(pressed, held)).toBe(true);
  }
  expect(screen.queryByRole('dialog')).toBeNull();
  await press('Add Client');
  await dialog('Client / Node Configuration');
  act(() => (document.activeElement as HTMLElement).blur());
  for (const pressed of ['?', 'c', 'g', 'd']) key(pressed);
  key('k', { ctrlKey: true });
  expect(screen.getAllByRole('dialog')).toHaveLength(1);
  expect(path()).toBe('/nodes');
});

it('g is forgotten when another key comes', async () => {
  const { path } = await start();
  for (const pressed of ['g', 'x', 'd']) key(pressed);
  expect(path()).toBe('/nodes');
});
