import {
  type Domain,
  domainInput,
  httpServiceInput,
  nodeShape,
  tcpServiceInput,
  tokenInput,
} from '@sallyport/sdk/contract';
import { configure, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { choose, dialog, openConsole, press, refusal, type } from '../testing/openConsole.tsx';

type Console = Awaited<ReturnType<typeof openConsole>>;
let at: Console;

const SECOND = 'Someone else changed this while the form was open';
const input = (label: string | RegExp) => screen.getByLabelText<HTMLInputElement>(label);
/** What the form tells of both edits: field, stored now, typed. */
const differences = () =>
  [...document.querySelectorAll('table tbody tr')]
    .filter((row) => row.closest('[role=status]') !== null)
    .map((row) => [...row.children].map((cell) => cell.textContent?.replace(/^(?:Stored now|You typed): /, '')));

/** The reply to Save is dealt with: the form takes a click again. */
const saveEnded = () =>
  waitFor(() => expect(screen.getByRole('button', { name: 'Cancel' })).toHaveProperty('disabled', false));

const tcpName = 'Broker';
const EDITS = {
  node: {
    path: '/nodes',
    open: () => choose('edge', 'Edit Node'),
    title: 'Client / Node Configuration',
    other: () => at.connection.client.node.update({ params: { id: at.ids.edgeId }, body: { allowInternet: true } }),
    typed: { label: /^Name/, text: 'border' },
    told: ['Send all internet traffic through the VPN', 'Yes', 'not changed'],
    stored: () => at.connection.client.node.get({ params: { id: at.ids.edgeId } }),
    wanted: { name: 'border', allowInternet: true },
    before: { name: 'edge', allowInternet: true },
  },
  'HTTP service': {
    path: '/nodes/1',
    open: () => choose('App', 'Edit Service'),
    title: 'Expose HTTP Service on Node',
    other: () =>
      at.connection.client.httpService.update({
        params: { nodeId: 1, id: at.ids.appId },
        body: { blockedIps: ['203.0.113.9'] },
      }),
    typed: { label: /^Backend Port/, text: '9000' },
    told: ['Blocked IPs', '203.0.113.9', 'not changed'],
    stored: () => at.connection.client.httpService.get({ params: { nodeId: 1, id: at.ids.appId } }),
    wanted: { backendPort: 9000, blockedIps: ['203.0.113.9'] },
    before: { backendPort: 8080, blockedIps: ['203.0.113.9'] },
  },
  'TCP service': {
    path: '/nodes/2',
    open: () => choose(tcpName, 'Edit Service'),
    title: 'Expose TCP Service on Node',
    other: () =>
      at.connection.client.tcpService.update({
        params: { nodeId: 2, id: 1 },
        body: { allowedIps: ['203.0.113.0/24'] },
      }),
    typed: { label: /^Backend Port/, text: '8883' },
    told: ['Allowed IPs', '203.0.113.0/24', 'not changed'],
    stored: () => at.connection.client.tcpService.get({ params: { nodeId: 2, id: 1 } }),
    wanted: { backendPort: 8883, allowedIps: ['203.0.113.0/24'] },
    before: { backendPort: 1883, allowedIps: ['203.0.113.0/24'] },
  },
} as const;

it.each(Object.entries(EDITS))(
  'who edits a %s second is told what both did, and goes on with either',
  async (_, edit) => {
    at = await openConsole({ path: edit.path });
    await at.connection.client.tcpService.create({ params: { nodeId: 2 }, body: { name: tcpName, backendPort: 1883 } });
    await edit.open();
    await dialog(edit.title);
    await edit.other();
    await type(edit.typed.label, edit.typed.text);
    await press('Save');
    await screen.findByText(SECOND);
    await saveEnded();
    expect(differences()).toContainEqual(edit.told);
    // Saving again does not overwrite.
    const writes = () => at.requests.filter((request) => request.startsWith('PATCH')).length;
    const before = writes();
    await press('Save');
    await waitFor(() => expect(writes()).toBe(before + 1));
    await saveEnded();
    expect(await edit.stored()).toMatchObject(edit.before);
    expect(input(edit.typed.label).value).toBe(edit.typed.text);
    // Not in a toast as well.
    expect(screen.queryByText(/in the meantime/)).toBeNull();
    await press('Load the Current Values');
    await screen.findByText('The form shows what is stored now');
    expect(input(edit.typed.label).value).not.toBe(edit.typed.text);
    await press('Put My Changes Back');
    await screen.findByText('Your changes are kept');
    await waitFor(() => expect(input(edit.typed.label).value).toBe(edit.typed.text));
    await press('Save');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: edit.title })).toBeNull());
    expect(await edit.stored()).toMatchObject(edit.wanted);
  },
);

describe('a domain', () => {
  const domain = (): Promise<Domain> => at.connection.client.domain.get({ params: { id: at.ids.domainId } });
  const allow = (allowedEmails: string[]) =>
    at.connection.client.domain.update({
      params: { id: at.ids.domainId },
      body: { authentication: true, allowedEmails },
    });

  beforeEach(async () => {
    at = await openConsole({ path: '/' });
    at.gateway.world.setSignIn({ available: true });
    await allow(['ann@example.test', 'bob@example.test']);
    (await screen.findByRole('link', { name: 'Domain Names' })).click();
    await choose('app.example.test', 'Edit Domain');
    await dialog('Domain & SSL Settings');
    await screen.findByLabelText('Allowed e-mail 2');
  });

  it('says which e-mail of the list is wrong', async () => {
    const wrong = () => [1, 2].map((n) => screen.getByLabelText(`Allowed e-mail ${n}`).getAttribute('aria-invalid'));
    await type('Allowed e-mail 2', 'bob');
    await press('Save');
    await waitFor(() => expect(wrong()).toEqual([null, 'true']));
    const reason = screen.getByLabelText('Allowed e-mail 2').getAttribute('aria-describedby');
    expect(document.querySelector(`[id="${reason}"]`)?.textContent).toMatch(/valid email/);
  });

  it('does not get back an e-mail that someone else removed', async () => {
    await allow(['ann@example.test']);
    await press('Add E-mail');
    await type('Allowed e-mail 3', 'cem@example.test');
    await press('Save');
    await screen.findByText(SECOND);
    expect(differences()).toEqual([
      ['Allowed e-mails', 'ann@example.test', 'ann@example.test, bob@example.test, cem@example.test'],
    ]);
    expect((await domain()).allowedEmails).toEqual(['ann@example.test']);
    await press('Load the Current Values');
    await waitFor(() => expect(screen.queryByLabelText('Allowed e-mail 2')).toBeNull());
    await press('Add E-mail');
    await type('Allowed e-mail 2', 'cem@example.test');
    await press('Save');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect((await domain()).allowedEmails).toEqual(['ann@example.test', 'cem@example.test']);
  });

  it('tells above the form what is wrong with an e-mail that is not in it', async () => {
    const body = [{ field: 'allowedEmails.2', message: 'This one is not known' }];
    at.answer(`PATCH /api/domains/${at.ids.domainId}`, () =>
      refusal(422, { message: 'Validation failed', errors: { body } }),
    );
    await press('Save');
    expect(await screen.findByText(/This one is not known/)).toBeDefined();
  });

  it('that was deleted meanwhile is said to be, and what was typed stays', async () => {
    await at.connection.client.domain.remove({ params: { id: at.ids.domainId } });
    await type('Allowed e-mail 1', 'ann2@example.test');
    await press('Save');
    await screen.findByText(/^This was deleted while the form was open/);
    expect(input('Allowed e-mail 1').value).toBe('ann2@example.test');
  });

  it('can be saved again when what is stored could not be read', async () => {
    await allow(['ann@example.test']);
    at.answer(`GET /api/domains/${at.ids.domainId}`, () => refusal(500, { message: 'busy' }));
    await press('Save');
    await screen.findByText(/^Someone else changed this while the form was open, and nothing was saved./);
    await press('Save');
    expect(await screen.findByText(SECOND)).toBeDefined();
  });
});

describe('a question about something that changed meanwhile', () => {
  it.each([
    ['/nodes', 'edge', 'Delete Node', 'Yes, delete it!', 'DELETE /api/nodes/2', /10,33/],
    ['/nodes/1', 'App', 'Delete Service', 'Yes, delete it!', 'DELETE /api/services/1/http/', /8080,9000/],
    ['/domains', 'app.example.test', 'Delete Domain', 'Yes, delete it!', 'DELETE /api/domains/', /^$/],
    ['/nodes/2', 'default', 'Delete', 'Yes, delete it!', 'DELETE /api/nodes/2/pats/', /2027/],
  ])('on %s is asked again about %s: %s', async (path, row, action, yes, request, changed) => {
    at = await openConsole({ path });
    const { client } = at.connection;
    await choose(row, action);
    await screen.findByRole('button', { name: yes });
    await client.node.update({ params: { id: 2 }, body: { keepalive: 33 } });
    await client.httpService.update({ params: { nodeId: 1, id: at.ids.appId }, body: { backendPort: 9000 } });
    await client.domain.update({ params: { id: at.ids.domainId }, body: { skipValidation: true, ssl: 'self-signed' } });
    await at.gateway.store.write(async (tx) => {
      for (const { id } of await tx.tokens.all({}))
        await tx.tokens.update(id, { expireAt: '2027-06-15T12:00:00.000Z' });
    });
    await press(yes);
    const notice = (await screen.findByText('Someone else changed this in the meantime')).closest('[role=status]');
    const deletions = () => at.requests.filter((each) => each.startsWith(request)).length;
    expect(deletions()).toBe(1);
    const cells = [...(notice?.querySelectorAll('td') ?? [])].map(({ lastChild }) => lastChild?.textContent);
    expect(cells.join()).toMatch(changed);
    await press(yes);
    await screen.findByText(/ deleted successfully!$/);
    expect(deletions()).toBe(2);
  });

  it('is asked again before a service is opened that is another one by now, and not before one is closed', async () => {
    at = await openConsole({ path: '/nodes/1' });
    const params = { nodeId: 1, id: at.ids.appId };
    const { httpService } = at.connection.client;
    await choose('App', 'Disable Access');
    await httpService.update({ params, body: { backendPort: 9000 } });
    await press('Yes, disable public access!');
    await screen.findByText('Service disabled from public access successfully!');
    await choose('App', 'Enable Access');
    await httpService.update({ params, body: { blockedIps: ['203.0.113.9'] } });
    await press('Yes, enable public access!');
    await screen.findByText('Someone else changed this in the meantime');
    expect(await httpService.get({ params })).toMatchObject({ enabled: false });
    fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    expect(await httpService.get({ params })).toMatchObject({ enabled: false });
  });

  it('is asked again before a node is connected that is another one by now', async () => {
    at = await openConsole({ path: '/nodes' });
    const { node } = at.connection.client;
    const params = { id: at.ids.edgeId };
    await choose('edge', 'Disconnect');
    await press('Yes, disconnect!');
    await screen.findByText('Node disconnected successfully!');
    await choose('edge', 'Connect');
    await node.update({ params, body: { keepalive: 33 } });
    await press('Yes, connect!');
    await screen.findByText('Someone else changed this in the meantime');
    expect(await node.get({ params })).toMatchObject({ enabled: false });
    await press('Yes, connect!');
    await screen.findByText('Node connected successfully!');
  });
});

// As the console is drawn in the page: what a field does when it goes away, it does more often.
beforeAll(() => configure({ reactStrictMode: true }));
afterAll(() => configure({ reactStrictMode: false }));

const NODE = 'Client / Node Configuration';
const HTTP = 'Expose HTTP Service on Node';

describe('Save, when the field that is wrong is hidden by now,', () => {
  it('shows the advanced form, and what is wrong there', async () => {
    const { requests } = await openConsole({ path: '/nodes' });
    await press('Add Client');
    await type(/^Name/, 'office');
    await press('Advanced Form');
    await type('DNS', 'nine.nine');
    await press('Simple Form');
    await waitFor(() => expect(screen.queryByLabelText('DNS')).toBeNull());
    await press('Save');
    const field = await screen.findByLabelText('DNS');
    await waitFor(() => expect(field.getAttribute('aria-invalid')).toBe('true'));
    await waitFor(() => expect(document.activeElement).toBe(field));
    expect(requests).not.toContain('POST /api/nodes');
  });

  it('works once no one has to sign in any more, and keeps the bypass that is stored', async () => {
    const { connection, gateway, ids, router } = await openConsole({ path: '/' });
    gateway.world.setSignIn({ available: true });
    const { client } = connection;
    await client.domain.update({ params: { id: ids.domainId }, body: { authentication: true } });
    const params = { nodeId: 1, id: ids.appId };
    await client.httpService.update({ params, body: { requireAuth: true, skipAuthRoutes: '/health' } });
    // Shown only now: a row that was read before these changes would open the form as it was then.
    await router.navigate({ to: '/nodes/$id', params: { id: '1' } });
    await choose('App', 'Edit Service');
    await dialog(HTTP);
    await type('Paths to bypass authentication (optional)', '^(');
    fireEvent.click(screen.getByLabelText('Require Authentication'));
    await press('Save');
    await dialog('Your Service is Now Publicly Available');
    expect(await client.httpService.get({ params })).toMatchObject({ requireAuth: false, skipAuthRoutes: '/health' });
  });

  it('works once the interface that was wrong is removed', async () => {
    const { connection } = await openConsole({ path: '/nodes' });
    await press('Add Client');
    await type(/^Name/, 'office');
    await press('Advanced Form');
    fireEvent.click(await screen.findByLabelText('Act as a network gateway'));
    await type(/^Subnet/, '192.168.7.0/24');
    await press('Add Interface');
    await waitFor(() => expect(screen.getAllByLabelText(/^Subnet/)).toHaveLength(2));
    const second = screen.getAllByLabelText(/^Subnet/)[1] ?? document.body;
    fireEvent.change(second, { target: { value: 'nowhere' } });
    fireEvent.blur(second);
    await press('Remove interface 2');
    await waitFor(() => expect(screen.getAllByLabelText(/^Subnet/)).toHaveLength(1));
    // A gateway has at least one.
    expect(screen.queryByRole('button', { name: /^Remove interface/ })).toBeNull();
    await press('Save');
    await dialog('Your Node is Ready');
    const { data } = await connection.client.node.list();
    expect(data.find(({ name }) => name === 'office')?.gatewayNetworks).toEqual([
      { interface: 'eth0', subnet: '192.168.7.0/24' },
    ]);
  });
});

const fieldsOf = (schema: { shape: object }) => Object.keys(schema.shape);
const NODE_FIELDS = fieldsOf(nodeShape);
const DIALOGS: [what: string, path: string, open: () => Promise<unknown>, fields: readonly string[], call: string][] = [
  ['a new node', '/nodes', () => press('Add Client'), NODE_FIELDS, 'POST /api/nodes'],
  ['a node', '/nodes', () => choose('edge', 'Edit Node'), NODE_FIELDS, 'PATCH /api/nodes/2'],
  ['a gateway node', '/nodes', () => choose('site', 'Edit Node'), NODE_FIELDS, 'PATCH /api/nodes/3'],
  [
    'a domain',
    '/domains',
    () => choose('app.example.test', 'Edit Domain'),
    fieldsOf(domainInput),
    'PATCH /api/domains/1',
  ],
  [
    'an HTTP service',
    '/nodes/1',
    () => choose('App', 'Edit Service'),
    fieldsOf(httpServiceInput),
    'PATCH /api/services/1/http/2',
  ],
  [
    'a TCP service',
    '/nodes/1',
    () => press('Add Service to TCP Services'),
    fieldsOf(tcpServiceInput),
    'POST /api/services/1/tcp',
  ],
  ['a token', '/nodes/2', () => press('Add Token'), fieldsOf(tokenInput), 'POST /api/nodes/2/pats'],
];

it.each(DIALOGS)('tells whatever the gateway finds wrong with %s', async (_, path, open, fields, call) => {
  const { answer } = await openConsole({ path });
  await open();
  const form = within(await screen.findByRole('dialog'));
  for (const [label, value] of [
    [/^(?:Service )?Name/, 'x'],
    [/^Backend Host/, '127.0.0.1'],
  ] as const) {
    for (const field of form.queryAllByLabelText<HTMLInputElement>(label)) {
      if (!field.readOnly && !field.disabled && field.value === '') fireEvent.change(field, { target: { value } });
    }
  }
  const asked = [...fields, 'somewhere.else', ''];
  const wrong = asked.map((field) => ({ field, message: `wrong: <${field}>` }));
  answer(call, () => refusal(422, { message: 'Validation failed', errors: { body: wrong } }));
  fireEvent.click(form.getByText('Save'));
  await form.findByText(/wrong: <somewhere\.else>/);
  const text = screen.getByRole('dialog').textContent ?? '';
  expect(wrong.map(({ message }) => message).filter((message) => !text.includes(message))).toEqual([]);
});

it.each(['gatewayNetwork', 'gatewayNetworks', 'gatewayNetworks.0.subnet'])(
  'says what is wrong with the subnet at its field, called %s by the gateway',
  async (field) => {
    const { answer } = await openConsole({ path: '/nodes' });
    await choose('site', 'Edit Node');
    await dialog(NODE);
    const body = [{ field, message: 'The subnet overlaps another one' }];
    answer('PATCH /api/nodes/3', () => refusal(422, { message: 'Validation failed', errors: { body } }));
    await press('Save');
    const subnet = await screen.findByLabelText(/^Subnet/);
    await waitFor(() => expect(subnet.getAttribute('aria-invalid')).toBe('true'));
    const told = document.getElementById(subnet.getAttribute('aria-describedby')?.split(' ')[0] ?? '');
    expect(told?.textContent).toBe('The subnet overlaps another one');
    expect(screen.queryByRole('alert')).toBeNull();
  },
);
