import { domainInput, httpServiceInput, nodeShape, tcpServiceInput, tokenInput } from '@sallyport/sdk/contract';
import { configure, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choose, dialog, openConsole, press, refusal, type } from '../testing/openConsole.tsx';

// As the console is drawn in the page: what a field does when it goes away, it does more often.
beforeAll(() => configure({ reactStrictMode: true }));
afterAll(() => configure({ reactStrictMode: false }));

const NODE = 'Client / Node Configuration';
const HTTP = 'Expose HTTP Service on Node';

describe('Save, when the field that is wrong is hidden by now,', () => {
  it('works once the node is no gateway any more', async () => {
    const { connection, ids } = await openConsole({ path: '/nodes' });
    await choose('edge', 'Edit Node');
    await dialog(NODE);
    fireEvent.click(await screen.findByLabelText('Act as a network gateway'));
    await type(/^Subnet/, '192.168.7');
    fireEvent.click(screen.getByLabelText('Act as a network gateway'));
    await press('Save');
    await screen.findByText('Node updated successfully!');
    const node = await connection.client.node.get({ params: { id: ids.edgeId } });
    expect(node).toMatchObject({ isGateway: false, gatewayNetworks: null });
  });

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

  it('works once nobody has to sign in any more, and keeps the bypass that is stored', async () => {
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
    await press('Save');
    await dialog('Your Node is Ready');
    const { data } = await connection.client.node.list();
    expect(data.find(({ name }) => name === 'office')?.gatewayNetworks).toEqual([
      { interface: 'eth0', subnet: '192.168.7.0/24' },
    ]);
  });

  it('works once the domain asks nobody to sign in any more', async () => {
    const { gateway, connection, ids } = await openConsole({ path: '/domains' });
    gateway.world.setSignIn({ available: true });
    await choose('app.example.test', 'Edit Domain');
    await dialog('Domain & SSL Settings');
    fireEvent.click(await screen.findByLabelText('Enable OAuth2 authentication'));
    await type('Allowed e-mail 1', 'nobody');
    fireEvent.click(screen.getByLabelText('Enable OAuth2 authentication'));
    await press('Save');
    await screen.findByText('Domain updated successfully!');
    expect((await connection.client.domain.get({ params: { id: ids.domainId } })).allowedEmails).toBeNull();
  });
});

type Dialog = { path: string; open: () => Promise<unknown>; title: string; fields: readonly string[]; call: string };

const fieldsOf = (schema: { shape: object }) => Object.keys(schema.shape);
const DIALOGS: Record<string, Dialog> = {
  'a new node': {
    path: '/nodes',
    open: () => press('Add Client'),
    title: NODE,
    fields: fieldsOf(nodeShape),
    call: 'POST /api/nodes',
  },
  'a node': {
    path: '/nodes',
    open: () => choose('edge', 'Edit Node'),
    title: NODE,
    fields: fieldsOf(nodeShape),
    call: 'PATCH /api/nodes/2',
  },
  'a gateway node': {
    path: '/nodes',
    open: () => choose('site', 'Edit Node'),
    title: NODE,
    fields: fieldsOf(nodeShape),
    call: 'PATCH /api/nodes/3',
  },
  'a domain': {
    path: '/domains',
    open: () => choose('app.example.test', 'Edit Domain'),
    title: 'Domain & SSL Settings',
    fields: fieldsOf(domainInput),
    call: 'PATCH /api/domains/1',
  },
  'an HTTP service': {
    path: '/nodes/1',
    open: () => choose('App', 'Edit Service'),
    title: HTTP,
    fields: fieldsOf(httpServiceInput),
    call: 'PATCH /api/services/1/http/2',
  },
  'a TCP service': {
    path: '/nodes/1',
    open: () => press('Add Service to TCP Services'),
    title: 'Expose TCP Service on Node',
    fields: fieldsOf(tcpServiceInput),
    call: 'POST /api/services/1/tcp',
  },
  'a token': {
    path: '/nodes/2',
    open: () => press('Add Token'),
    title: 'Access Token Configuration',
    fields: fieldsOf(tokenInput),
    call: 'POST /api/nodes/2/pats',
  },
};

describe.each(Object.entries(DIALOGS))(
  'what the gateway finds wrong with %s',
  (_, { path, open, title, fields, call }) => {
    it('is always told, whichever field it is about', async () => {
      const { answer } = await openConsole({ path });
      await open();
      const form = within(await dialog(title));
      for (const label of [/^(?:Service )?Name/, /^Backend Host/, /^Backend Port/]) {
        for (const field of form.queryAllByLabelText<HTMLInputElement>(label)) {
          if (!field.readOnly && !field.disabled && field.value === '') {
            fireEvent.change(field, {
              target: {
                value: label.source.includes('Name') ? 'x' : label.source.includes('Host') ? '127.0.0.1' : '8080',
              },
            });
          }
        }
      }
      const asked = [...fields, 'somewhere.else', ''];
      const wrong = asked.map((field) => ({ field, message: `wrong: <${field}>` }));
      answer(call, () => refusal(422, { message: 'Validation failed', errors: { body: wrong } }));
      await press('Save');
      await form.findByText(/wrong: <somewhere\.else>/);
      const text = (await dialog(title)).textContent ?? '';
      expect(wrong.map(({ message }) => message).filter((message) => !text.includes(message))).toEqual([]);
    });
  },
);

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
