import type { Domain } from '@sallyport/sdk/contract';
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
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

describe.each(Object.entries(EDITS))('who edits a %s second', (_, edit) => {
  beforeEach(async () => {
    at = await openConsole({ path: edit.path });
    await at.connection.client.tcpService.create({ params: { nodeId: 2 }, body: { name: tcpName, backendPort: 1883 } });
    await edit.open();
    await dialog(edit.title);
    await edit.other();
    await type(edit.typed.label, edit.typed.text);
    await press('Save');
    await screen.findByText(SECOND);
  });

  it('is told what both did, and has not overwritten anything', async () => {
    expect(differences()).toContainEqual(edit.told);
    expect(await edit.stored()).toMatchObject(edit.before);
    expect(input(edit.typed.label).value).toBe(edit.typed.text);
    // Not in a toast as well, and not by saving again.
    expect(screen.queryByText(/in the meantime/)).toBeNull();
    await press('Save');
    await waitFor(() => expect(at.requests.filter((request) => request.startsWith('PATCH'))).toHaveLength(3));
    expect(await edit.stored()).toMatchObject(edit.before);
  });

  it('keeps what was typed on top of what was stored', async () => {
    await press('Keep My Changes');
    await screen.findByText('Your changes are kept');
    await press('Save');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: edit.title })).toBeNull());
    expect(await edit.stored()).toMatchObject(edit.wanted);
  });

  it('loads what is stored, and puts back what was typed', async () => {
    await press('Load the Current Values');
    await screen.findByText('The form shows what is stored now');
    expect(input(edit.typed.label).value).not.toBe(edit.typed.text);
    await press('Put My Changes Back');
    await waitFor(() => expect(input(edit.typed.label).value).toBe(edit.typed.text));
    await press('Save');
    await waitFor(() => expect(screen.queryByRole('dialog', { name: edit.title })).toBeNull());
    expect(await edit.stored()).toMatchObject(edit.wanted);
  });
});

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
  ])('on %s is asked again about %s: %s', async (path, row, action, yes, request, changed) => {
    at = await openConsole({ path });
    const { client } = at.connection;
    await choose(row, action);
    await screen.findByRole('button', { name: yes });
    await client.node.update({ params: { id: 2 }, body: { keepalive: 33 } });
    await client.httpService.update({ params: { nodeId: 1, id: at.ids.appId }, body: { backendPort: 9000 } });
    await client.domain.update({ params: { id: at.ids.domainId }, body: { skipValidation: true, ssl: 'self-signed' } });
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
});
