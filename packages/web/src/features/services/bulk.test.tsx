import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { dialog, openConsole, press, refusal, type } from '../../testing/openConsole.tsx';

const boxOf = (name: string | RegExp) =>
  screen.findByRole('checkbox', { name: typeof name === 'string' ? new RegExp(`^Select ${name}, `) : name });
const toast = (text: string) => screen.findByText(text, {}, { timeout: 10_000 });
const select = async (...names: string[]) => {
  for (const name of names) fireEvent.click(await boxOf(name));
};
const bar = () => screen.findByRole('region', { name: 'Selected services' });
const selected = async (text: string) => within(await bar()).findByText(text);
const act = async (name: string) => fireEvent.click(within(await bar()).getByRole('button', { name }));
const isGone = () => waitFor(() => expect(screen.queryByRole('region', { name: 'Selected services' })).toBeNull());

/** The console at the list of `App`, `Wiki`, a TCP service and the console itself. */
async function openServices(path = '/services') {
  const opened = await openConsole({ path: '/nodes' });
  const { client } = opened.connection;
  const broker = { name: 'Broker', backendHost: '127.0.0.1', backendPort: 1883, tags: ['home'] };
  const { id: tcpId } = await client.tcpService.create({ params: { nodeId: 1 }, body: broker });
  await opened.router.navigate({ to: path });
  await boxOf('App');
  opened.requests.length = 0;
  const { httpServices, tcpServices } = opened.gateway.store;
  return {
    ...opened,
    tcpId,
    app: () => httpServices.get(opened.ids.appId),
    wiki: () => httpServices.get(opened.ids.wikiId),
    broker: () => tcpServices.get(tcpId),
  };
}

const BULK = 'POST /api/services/bulk';

it('disables what is selected after one question that names it, by one call, and tells what was done', async () => {
  const { app, broker, wiki, requests } = await openServices();
  await select('App', 'Broker');
  await selected('2 selected');
  await act('Disable');
  const question = await screen.findByRole('alertdialog', { name: 'Disable 2 services?' });
  expect(
    within(question)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toEqual(['App, https://app.example.test/', 'Broker, tcp://vpn.example.test:20000']);
  await press('Disable 2 services');
  await toast('2 services disabled.');
  await isGone();
  expect([await app(), await broker(), await wiki()]).toMatchObject([
    { enabled: false },
    { enabled: false },
    { enabled: true },
  ]);
  expect(requests.filter((request) => !request.startsWith('GET '))).toEqual([BULK]);
  await waitFor(() => expect(screen.getAllByText('Closed')).toHaveLength(2));
});

it('has keys for what is done to the selected, which count while a box has the focus', async () => {
  await openServices();
  await select('App');
  const box = await boxOf('App');
  box.focus();
  const question = async (key: string, role: string) => {
    fireEvent.keyDown(box, { key });
    const opened = await screen.findByRole(role);
    fireEvent.keyDown(document.activeElement ?? document.body, { key: 'Escape' });
    await waitFor(() => expect(screen.queryByRole(role)).toBeNull());
    box.focus();
    return opened.textContent;
  };
  expect(await question('d', 'alertdialog')).toContain('Disable 1 service?');
  expect(await question('t', 'dialog')).toContain('Tag 1 service');
  expect(await question('l', 'dialog')).toContain('Limit the time of 1 service');
  // Of another field it is a letter.
  screen.getByLabelText('Search services').focus();
  expect(fireEvent.keyDown(document.activeElement ?? document.body, { key: 'd' })).toBe(true);
  box.focus();
  fireEvent.keyDown(box, { key: 'e' });
  await toast('1 service enabled.');
});

it('enables without a question, and does nothing when the question is left', async () => {
  const { app, broker, connection, tcpId } = await openServices();
  await connection.client.tcpService.disable({ params: { nodeId: 1, id: tcpId } });
  await screen.findByText('Closed', {}, { timeout: 10_000 });
  await select('Broker', 'App');
  await act('Delete');
  await screen.findByRole('alertdialog', { name: 'Delete 2 services?' });
  await press('Cancel');
  await selected('2 selected');
  await act('Enable');
  await toast('2 services enabled.');
  expect([await app(), await broker()]).toMatchObject([{ enabled: true }, { enabled: true }]);
});

it('selects the page, and takes one out again', async () => {
  await openServices();
  const page = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all services of this page' });
  fireEvent.click(page);
  await selected('4 selected');
  await select('Wiki');
  await selected('3 selected');
  await waitFor(() => expect([page.checked, page.indeterminate]).toEqual([false, true]));
  await press('Clear the selection');
  await isGone();
  expect(page.indeterminate).toBe(false);
});

it('selects all from one row to another with Shift', async () => {
  await openServices('/services?sort=name');
  await select('App');
  fireEvent.click(await boxOf('Sallyport console'), { shiftKey: true });
  expect(await selected('3 selected')).toBeDefined();
});

it('keeps the selection over pages and order, and begins again with another filter', async () => {
  const { router } = await openServices();
  await select('App');
  await router.navigate({ to: '/services', search: { page: 1, sort: '-name', size: 100 } });
  expect(await selected('1 selected')).toBeDefined();
  fireEvent.click(screen.getByRole('radio', { name: 'TCP' }));
  await isGone();
});

it('leaves the console itself out, and says so', async () => {
  const { gateway } = await openServices();
  await select('Sallyport console', 'App');
  await act('Disable');
  const question = await screen.findByRole('alertdialog', { name: 'Disable 1 service?' });
  expect(question.textContent).toContain(
    "Sallyport console stays as it is: The built-in console service can't be disabled",
  );
  await press('Disable 1 service');
  await toast('1 service disabled.');
  await selected('1 selected');
  expect(await gateway.store.httpServices.get(1)).toMatchObject({ enabled: true });
});

it('offers to delete the domains that have no service any more', async () => {
  const { connection, ids } = await openServices();
  const { client } = connection;
  const at = { backendHost: '127.0.0.1', backendPort: 8080 };
  for (const name of ['two', 'three']) {
    await client.httpService.create({ params: { nodeId: 1 }, body: { ...at, name, domain: `${name}.example.test` } });
  }
  await client.tcpService.create({
    params: { nodeId: 1 },
    body: { ...at, name: 'left', domain: 'three.example.test' },
  });
  await select('App', 'two', 'three', 'Broker');
  await act('Delete');
  await press('Delete 4 services');
  await toast('2 domains have no service any more.');
  await press('Delete domains …');
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete 2 domains?' }));
  const names = question.getAllByRole('listitem').map(({ textContent }) => textContent);
  expect(names.toSorted()).toEqual(['app.example.test', 'two.example.test']);
  // Someone else changes one of them while it is asked about.
  await client.domain.update({ params: { id: ids.domainId }, body: { notes: 'kept' } });
  await press('Delete 2 domains');
  await toast('1 of 2 domains deleted. The others were changed meanwhile, or could not be.');
  const { data } = await client.domain.list({});
  expect(data.map(({ domain }) => domain).toSorted()).toEqual(['app.example.test', 'three.example.test']);
});

it('adds tags and removes tags', async () => {
  const { app, broker } = await openServices();
  await select('App', 'Broker');
  await act('Tag');
  const form = within(await dialog('Tag 2 services'));
  fireEvent.click(form.getByRole('button', { name: 'Tag 2 services' }));
  await form.findByText('This field is required');
  fireEvent.change(form.getByLabelText('Add a tag'), { target: { value: 'prod,web' } });
  fireEvent.click(form.getByRole('checkbox', { name: 'home' }));
  fireEvent.click(form.getByRole('button', { name: 'Tag 2 services' }));
  await toast('2 services tagged.');
  expect([(await app())?.tags, (await broker())?.tags]).toEqual([
    ['prod', 'web'],
    ['prod', 'web'],
  ]);
});

it('sets a time limit and takes it away', async () => {
  const { app, gateway } = await openServices();
  await select('App');
  await act('Time limit');
  await dialog('Limit the time of 1 service');
  await press('Limit 1 service');
  await toast('1 service limited.');
  expect((await app())?.expiresAt).toBe(new Date(gateway.clock.now().getTime() + 3_600_000).toISOString());
  await select('App');
  await act('Time limit');
  fireEvent.change(within(await dialog('Limit the time of 1 service')).getByLabelText('Time to Live'), {
    target: { value: '' },
  });
  await press('Limit 1 service');
  await toast('1 service freed of a time limit.');
  expect((await app())?.expiresAt).toBeNull();
});

it('limits those that can be, and says why the others cannot', async () => {
  const { app, connection, tcpId, broker } = await openServices();
  await connection.client.tcpService.disable({ params: { nodeId: 1, id: tcpId } });
  await screen.findByText('Closed', {}, { timeout: 10_000 });
  await select('App', 'Broker');
  await act('Time limit');
  const form = within(await dialog('Limit the time of 1 of 2 services'));
  expect(form.getByText('Broker is closed, so there is nothing to limit. Enable it first.')).toBeDefined();
  await press('Limit 1 of 2 services');
  await toast('1 service limited.');
  expect([(await app())?.expiresAt === null, (await broker())?.expiresAt]).toEqual([false, null]);
});

it('lists those that were refused with the reason, and keeps them selected as they are now', async () => {
  const { connection, ids, wiki, app, answer } = await openServices();
  await select('App', 'Wiki');
  await act('Delete');
  await screen.findByRole('alertdialog', { name: 'Delete 2 services?' });
  // The list has not been read again when it is accepted.
  answer('GET /api/services', () => refusal(500, { message: 'no' }));
  await connection.client.httpService.update({
    params: { nodeId: ids.edgeId, id: ids.wikiId },
    body: { name: 'Handbook' },
  });
  await press('Delete 2 services');
  const told = within(await dialog('1 of 2 services not deleted'));
  told.getByText('Wiki');
  told.getByText(/Someone else changed it/);
  expect([await app(), await wiki()]).toMatchObject([null, { name: 'Handbook' }]);
  fireEvent.click(told.getAllByRole('button', { name: 'Close' })[0] ?? document.body);
  await boxOf('Handbook');
  await act('Delete');
  await press('Delete 1 service');
  await toast('1 service deleted.');
  expect(await wiki()).toBeNull();
});

it('lets go of a service that was deleted by someone else, and says so', async () => {
  const { connection, ids, router } = await openServices();
  await select('App', 'Wiki');
  await connection.client.httpService.remove({ params: { nodeId: ids.edgeId, id: ids.wikiId } });
  await router.invalidate();
  fireEvent.focus(window);
  await toast('Wiki was deleted, and is not selected any more.');
  expect(await selected('1 selected')).toBeDefined();
});

it('claims nothing when the answer is lost, and learns by asking again what was done', async () => {
  const { answer, gateway, app, requests } = await openServices();
  await select('App', 'Broker');
  await act('Disable');
  await screen.findByRole('alertdialog', { name: 'Disable 2 services?' });
  // It is done, and the gateway dies before it says so, also to the three requests that the client makes by itself.
  const lose = async (request: Request): Promise<Response> => {
    await gateway.fetch(request);
    throw new TypeError('fetch failed');
  };
  for (const _ of [1, 2, 3, 4]) answer(BULK, lose);
  await press('Disable 2 services');
  const told = within(await dialog('The gateway did not answer'));
  told.getByText('It was asked about 2 services. Whether they were disabled is not known.');
  expect(screen.queryByText(/^Disabling/)).toBeNull();
  expect(screen.queryByText('2 services disabled.')).toBeNull();
  const { version } = (await app()) ?? {};
  fireEvent.click(told.getByRole('button', { name: 'Ask again' }));
  await toast('2 services disabled.');
  expect(await app()).toMatchObject({ enabled: false, version });
  expect(requests.filter((request) => request === BULK)).toHaveLength(5);
});

it('keeps the selection when the gateway refuses the whole call', async () => {
  const { answer } = await openServices();
  await select('App');
  answer(BULK, () => refusal(507, { message: 'The disk is full.' }));
  await act('Enable');
  await toast('The disk is full.');
  expect(await selected('1 selected')).toBeDefined();
  await type('Search services', 'nothing');
  await isGone();
});

it('takes back what was disabled together, and leaves what someone else has changed since', async () => {
  const { app, broker, connection, tcpId } = await openServices();
  await select('App', 'Broker');
  await act('Disable');
  await press('Disable 2 services');
  await toast('2 services disabled.');
  await connection.client.tcpService.update({ params: { nodeId: 1, id: tcpId }, body: { notes: 'mine' } });
  await press('Undo');
  const refused = await dialog('1 of 2 services not enabled');
  expect(within(refused).getByRole('listitem').textContent).toContain('Broker');
  expect([await app(), await broker()]).toMatchObject([{ enabled: true }, { enabled: false }]);
});

it('takes back only what it has changed', async () => {
  const { app, broker, connection, tcpId } = await openServices();
  await connection.client.tcpService.disable({ params: { nodeId: 1, id: tcpId } });
  await screen.findByText('Closed', {}, { timeout: 10_000 });
  await select('Broker', 'App');
  await act('Enable');
  await toast('2 services enabled.');
  await press('Undo');
  await toast('1 service disabled.');
  expect([await app(), await broker()]).toMatchObject([{ enabled: true }, { enabled: false }]);
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});
