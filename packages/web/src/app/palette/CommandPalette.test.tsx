import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { visits } from '../../state/visits.ts';
import { dialog, openConsole, openMenu, press, refusal, type OpenConsole } from '../../testing/openConsole.tsx';

const field = () => screen.findByRole<HTMLInputElement>('combobox', { name: 'Search or run a command' });
const key = (name: string, held: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...held });
const options = () => screen.queryAllByRole('option').map((option) => option.textContent);
/** The entry that Enter takes. */
const pointedAt = () => {
  const id = document.activeElement?.getAttribute('aria-activedescendant');
  return id ? document.getElementById(id)?.textContent : undefined;
};
/** Writes into the field that has the focus. */
const write = (text: string) => fireEvent.change(document.activeElement as Element, { target: { value: text } });
const points = (at: RegExp) => waitFor(() => expect(pointedAt()).toMatch(at));

async function start(path = '/nodes'): Promise<OpenConsole> {
  const opened = await openConsole({ path });
  await screen.findByRole('button', { name: 'Sign out' });
  await screen.findByRole('heading', { level: 1 });
  return opened;
}

/** Opens the palette with its keys. */
async function openPalette(): Promise<void> {
  key('k', { ctrlKey: true });
  const input = await field();
  await waitFor(() => expect(document.activeElement).toBe(input));
}

it('goes to a screen by keyboard alone', async () => {
  const { path } = await start();
  await openPalette();
  write('sett');
  await points(/^Settings/);
  key('Enter');
  await waitFor(() => expect(path()).toBe('/settings'));
  expect(screen.queryByRole('dialog')).toBeNull();
});

it('finds the groups of Settings by what is in them, and opens one', async () => {
  const { path } = await start();
  await openPalette();
  expect(options().some((text) => text?.startsWith('Certificates'))).toBe(false);
  write('settings');
  const group = await screen.findByRole('group', { name: 'Settings' });
  expect(within(group).getAllByRole('option')).toHaveLength(8);
  write('api tokens');
  await points(/^Sessions and tokens/);
  key('Enter');
  await waitFor(() => expect(path()).toBe('/settings/sessions'));
});

it('goes to the next theme, and signs out', async () => {
  const { connection } = await start();
  await openPalette();
  write('theme');
  await points(/^ThemeNow auto\. Change to light/);
  key('Enter');
  await points(/^ThemeNow light\. Change to dark/);
  write('sign out');
  await points(/^Sign out/);
  key('Enter');
  await screen.findByRole('button', { name: 'Sign in' });
  expect(connection.session.token()).toBeNull();
});

it('lists every screen of the navigation, and moves through them', async () => {
  await start();
  await openPalette();
  const links = screen.getAllByRole('navigation', { name: 'Main', hidden: true })[0]?.querySelectorAll('a') ?? [];
  for (const { textContent } of links) expect(options().some((text) => text?.startsWith(textContent))).toBe(true);
  await points(/^Home/);
  key('ArrowDown');
  await points(/^Domain Names/);
  key('ArrowUp');
  await points(/^Home/);
});

it('finds nodes, domains and services of both kinds as the gateway does, asking once for what was typed', async () => {
  const { requests, connection, ids } = await start();
  const at = { name: 'App broker', backendPort: 1883 };
  await connection.client.tcpService.create({ params: { nodeId: ids.edgeId }, body: at });
  await connection.client.node.create({ body: { name: 'app-node' } });
  await openPalette();
  requests.length = 0;
  for (const text of ['a', 'ap', 'app']) write(text);
  const titles = () => screen.getAllByRole('group').map((group) => group.getAttribute('aria-labelledby') ?? '');
  await waitFor(() =>
    expect(titles().map((id) => document.getElementById(id)?.textContent)).toEqual([
      'Nodes',
      'Domain Names',
      'Services',
      // Appearance is one of its groups.
      'Settings',
    ]),
  );
  expect(requests.filter((request) => request.includes('search='))).toHaveLength(3);
  expect(options().filter((text) => /^App(?!earance)/.test(text ?? ''))).toHaveLength(2);
});

it('shows nothing of an answer that comes after another text was typed', async () => {
  const { answer, gateway, requests } = await start();
  await openPalette();
  const late = Promise.withResolvers<void>();
  answer('GET /api/nodes', async (request) => {
    await late.promise;
    return await gateway.fetch(request);
  });
  write('edge');
  await waitFor(() => expect(requests.some((request) => request.includes('/api/nodes?search=edge'))).toBe(true));
  screen.getByText('Searching…');
  write('site');
  await screen.findByRole('option', { name: /^site/ });
  late.resolve();
  await waitFor(() => expect(screen.queryByText('Searching…')).toBeNull());
  expect(screen.queryByRole('option', { name: /^edge/ })).toBeNull();
});

it('says that nothing was found, and that the gateway did not answer', async () => {
  const { answer } = await start();
  await openPalette();
  write('no such thing');
  await screen.findByText('Nothing has “no such thing” in it.');
  answer('GET /api/nodes', () => refusal(500, { message: 'no' }));
  write('nothing');
  await screen.findByText('The search failed: the gateway did not answer. Change the text to try again.');
  expect(options()).toEqual([]);
});

it('goes to a node, and to a service', async () => {
  const { path, ids } = await start();
  await openPalette();
  write('edge');
  await points(/^edge/);
  key('Enter');
  await screen.findByRole('heading', { name: 'edge' });
  expect(path()).toBe(`/nodes/${ids.edgeId}`);
  // What was focused is on a screen that is gone.
  await waitFor(() => expect(document.activeElement?.id).toBe('main'));
  await openPalette();
  write('wiki');
  await points(/^Wiki/);
  key('Enter');
  await waitFor(() => expect(path()).toBe(`/nodes/${ids.edgeId}/http/${ids.wikiId}`));
});

it('goes to the list of what has a tag', async () => {
  const { connection, path, ids } = await start();
  const params = { nodeId: ids.edgeId, id: ids.wikiId };
  await connection.client.httpService.update({ params, body: { tags: ['Lab'] } });
  await openPalette();
  write('lab');
  await points(/^Services tagged Lab/);
  expect(screen.queryByRole('option', { name: /^Nodes tagged/ })).toBeNull();
  key('Enter');
  await screen.findByRole('heading', { name: 'Services' });
  expect(path()).toBe('/services?tag=Lab');
  await screen.findByRole('link', { name: 'Wiki' });
});

it('runs an action of an object by keyboard alone, and brings the focus back where it was', async () => {
  const { connection, ids } = await start();
  const button = await screen.findByRole('button', { name: 'Add Client' });
  act(() => button.focus());
  await openPalette();
  write('wiki');
  await points(/^Wiki/);
  key('ArrowRight');
  await screen.findByRole('combobox', { name: 'Actions of Wiki' });
  expect(options()).toEqual([
    'Show its page',
    'Info',
    'Logs Monitor',
    'Edit Service',
    'Disable Access',
    'Delete Service',
  ]);
  write('disable');
  await points(/^Disable Access/);
  key('Enter');
  const question = await screen.findByRole('alertdialog', { name: 'Disable Public Access' });
  fireEvent.click(within(question).getByRole('button', { name: 'Yes, disable public access!' }));
  await screen.findByText('Service disabled from public access successfully!');
  const params = { nodeId: ids.edgeId, id: ids.wikiId };
  expect((await connection.client.httpService.get({ params })).enabled).toBe(false);
  await waitFor(() => expect(document.activeElement).toBe(button));
});

it.each([
  ['edge', '/nodes'],
  ['app.example.test', '/domains'],
])('offers what the row of %s offers in %s', async (name, path) => {
  const { router } = await start(path);
  const inRow = (await openMenu(name)).map((item) => item.textContent);
  key('Escape');
  await waitFor(() => expect(screen.queryByRole('menu')).toBeNull());
  await router.navigate({ to: '/settings' });
  await openPalette();
  write(name);
  await points(new RegExp(`^${name}`));
  key('ArrowRight');
  await screen.findByRole('combobox', { name: `Actions of ${name}` });
  expect(options().filter((label) => label !== 'Show in Domain Names')).toEqual(inRow);
});

it('goes back from the actions with Escape and with Backspace, and closes with Escape', async () => {
  await start();
  const opener = screen.getByRole('button', { name: 'Search or run a command' });
  act(() => opener.focus());
  await press('Search or run a command');
  const input = await field();
  await waitFor(() => expect(document.activeElement).toBe(input));
  write('edge');
  for (const back of ['Escape', 'Backspace']) {
    await points(/^edge/);
    key('ArrowRight');
    await screen.findByRole('combobox', { name: 'Actions of edge' });
    key(back);
    expect((await field()).value).toBe('edge');
  }
  key('Escape');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(opener));
});

it('says that an object was deleted meanwhile, and forgets it', async () => {
  const { connection, ids, path } = await start(`/nodes/1`);
  await openPalette();
  await points(/^Local/);
  key('k', { ctrlKey: true });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await openPalette();
  write('wiki');
  await points(/^Wiki/);
  await connection.client.httpService.remove({ params: { nodeId: ids.edgeId, id: ids.wikiId } });
  key('Enter');
  await screen.findByText('Wiki was deleted meanwhile.');
  expect(path()).toBe('/nodes/1');
  await waitFor(() => expect(screen.queryByRole('option', { name: /^Wiki/ })).toBeNull());
});

it('begins with what was looked at last, until the session ends', async () => {
  const { connection, router } = await start('/nodes/1');
  await openPalette();
  write('app.example');
  await points(/^app\.example\.test/);
  key('Enter');
  await screen.findByRole('heading', { name: 'Domain Names' });
  await openPalette();
  await points(/^app\.example\.test/);
  expect(options().slice(0, 2)).toEqual(['app.example.testDomain', 'LocalNode']);
  key('Escape');
  await connection.session.end('/');
  await screen.findByRole('button', { name: 'Sign in' });
  expect(visits()).toEqual([]);
  expect(router.state.location.pathname).toBe('/login');
});

it('is unmoved by what another build has kept', async () => {
  localStorage.setItem('visits', '[1, null, {"kind": "udp", "id": 3, "name": "x"}, {"kind": "node"}]');
  await start();
  await openPalette();
  await points(/^Home/);
  expect(options()[0]).toMatch(/^Home/);
});

const LONG = `${'long '.repeat(39)}name`;

it.each([['\u05e9\u05dc\u05d5\u05dd node'], ['\u{1F6AA} door \u{1F469}\u200D\u{1F4BB}'], [LONG]])(
  'finds a node called %s',
  async (name) => {
    const { connection, path } = await start();
    const { id } = await connection.client.node.create({ body: { name } });
    await openPalette();
    write(name);
    await waitFor(() => expect(pointedAt()).toContain(name));
    key('Enter');
    await waitFor(() => expect(path()).toBe(`/nodes/${id}`));
  },
);

it('adds a domain from everywhere', async () => {
  await start('/settings');
  await openPalette();
  write('add dom');
  await points(/^Add Domain/);
  key('Enter');
  expect((await dialog('Domain & SSL Settings')).textContent).toContain('Save');
});

it.each([
  ['http', 'Expose HTTP Service on Node'],
  ['tcp', 'Expose TCP Service on Node'],
])('exposes a service of the gateway itself from everywhere: %s', async (text, form) => {
  await start('/settings');
  await openPalette();
  write(text);
  await points(new RegExp(`^Expose ${text}`, 'i'));
  key('Enter');
  expect((await dialog(form)).textContent).toContain('Save');
});
