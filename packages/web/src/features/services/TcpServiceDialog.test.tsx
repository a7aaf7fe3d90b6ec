import { tcpServiceAttributes } from '@sallyport/sdk/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, openConsole, press, type } from '../../testing/openConsole.tsx';

const TITLE = 'Expose TCP Service on Node';
const AVAILABLE = 'Your Service is Now Publicly Available';
const input = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label);
const messageOf = (label: RegExp) => {
  const field = input(label);
  expect(field.getAttribute('aria-invalid')).toBe('true');
  return document.getElementById(field.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent;
};

it('exposes a port from the nodes list, then shows where it is reached', async () => {
  const { requests } = await openConsole({ path: '/nodes' });
  await choose('Local', 'Expose TCP');
  await dialog(TITLE);
  expect(input(/^Node Name/).value).toBe('Local');
  expect(input(/^Node Name/).readOnly).toBe(true);
  expect(input(/^Backend Protocol/).value).toBe('tcp');
  expect(input(/^Backend Port/).value).toBe('1883');
  expect(input(/^Public Port/).placeholder).toBe('Assigned Automatically');
  await screen.findByText('From 20000 to 20999.');
  await type(/^Service Name/, 'Broker');
  await type(/^Public Domain/, 'Mqtt.example.test');
  await type(/^Backend Host/, '127.0.0.1');
  fireEvent.click(screen.getByLabelText('Enable SSL Termination'));
  await press('Add Blocked IP');
  await type('Blocked IP 1', '203.0.113.9');
  await press('Save');
  const info = within(await dialog(AVAILABLE));
  expect(info.getByText('tcp://mqtt.example.test:20000')).toBeDefined();
  expect(info.getByRole('button', { name: 'Copy the public address of Broker' })).toBeDefined();
  expect(info.getByText('20000')).toBeDefined();
  expect(info.getByText('tcp://127.0.0.1:1883')).toBeDefined();
  expect(info.getByText('203.0.113.9')).toBeDefined();
  expect(info.getByText(/^The domain mqtt.example.test was added/)).toBeDefined();
  expect(requests).toContain('POST /api/services/1/tcp');
});

it('says why the backend does not answer yet, and that it does once it does', async () => {
  const { gateway } = await openConsole({ path: '/nodes/1' });
  gateway.backends.set('127.0.0.1:1883', 'Nothing listens on 127.0.0.1:1883.');
  await press('Add Service to TCP Services');
  await dialog(TITLE);
  await type(/^Service Name/, 'Broker');
  await type(/^Backend Host/, '127.0.0.1');
  await press('Save');
  const info = within(await dialog('Your Service is Not Publicly Available'));
  expect(info.getByText('Nothing listens on 127.0.0.1:1883.')).toBeDefined();
  gateway.backends.set('127.0.0.1:1883', null);
  await waitFor(
    () => {
      gateway.clock.advance(3000);
      expect(screen.queryByRole('dialog', { name: AVAILABLE })).not.toBeNull();
    },
    { interval: 100 },
  );
});

it('changes a service with PATCH, keeping what was not touched, its port included', async () => {
  const { connection, requests } = await openConsole({ path: '/nodes/1' });
  const { id } = await connection.client.tcpService.create({
    params: { nodeId: 1 },
    body: { name: 'Broker', backendHost: '127.0.0.1', backendPort: 1883, port: 20_007, allowedIps: ['192.0.2.1'] },
  });
  await choose('Broker', 'Edit Service');
  await dialog(TITLE);
  expect(input(/^Public Port/).value).toBe('20007');
  await type(/^Backend Port/, '1884');
  await press('Save');
  await dialog(AVAILABLE);
  expect(requests).toContain(`PATCH /api/services/1/tcp/${id}`);
  expect(await connection.client.tcpService.get({ params: { nodeId: 1, id } })).toMatchObject({
    name: 'Broker',
    backendHost: '127.0.0.1',
    backendPort: 1884,
    port: 20_007,
    allowedIps: ['192.0.2.1'],
  });
});

it('shows what is wrong next to its field, also when only the gateway knows', async () => {
  const { requests } = await openConsole({ path: '/nodes/1' });
  await press('Add Service to TCP Services');
  await dialog(TITLE);
  await type(/^Backend Port/, '');
  await type(/^Public Domain/, 'not a domain');
  await type(/^Public Port/, '70000');
  await press('Save');
  await screen.findByText('This field is not allowed to be empty');
  expect(messageOf(/^Backend Port/)).toBe('This field is required');
  expect(messageOf(/^Backend Host/)).toBe('This field is required');
  expect(messageOf(/^Public Domain/)).toBe('This field must contain a valid domain name');
  expect(messageOf(/^Public Port/)).toBe('"port" must be a valid port');
  expect(requests.filter((request) => request.startsWith('POST /api/services'))).toEqual([]);

  await type(/^Service Name/, 'Broker');
  await type(/^Backend Port/, '1883');
  await type(/^Backend Host/, '127.0.0.1');
  await type(/^Public Domain/, '');
  await type(/^Public Port/, '443');
  await press('Save');
  await waitFor(() => expect(messageOf(/^Public Port/)).toBe('This field must be greater than or equal to 20000'));
  await type(/^Public Port/, '20005');
  await press('Save');
  await dialog(AVAILABLE);
});

it('terminates TLS for TCP only', async () => {
  await openConsole({ path: '/nodes/1' });
  await press('Add Service to TCP Services');
  await dialog(TITLE);
  const ssl = () => screen.getByLabelText<HTMLInputElement>('Enable SSL Termination');
  fireEvent.click(ssl());
  expect(ssl().checked).toBe(true);
  await type(/^Backend Protocol/, 'udp');
  expect([ssl().checked, ssl().disabled]).toEqual([false, true]);
  await type(/^Service Name/, 'DNS');
  await type(/^Backend Host/, '127.0.0.1');
  await type(/^Backend Port/, '53');
  await press('Save');
  const info = within(await dialog(AVAILABLE));
  expect(info.getByText('udp://vpn.example.test:20000')).toBeDefined();
});

it('takes the backend host of a plain node from the node', async () => {
  const { connection, ids } = await openConsole({ path: '/nodes' });
  const { address } = await connection.client.node.get({ params: { id: ids.edgeId } });
  await choose('edge', 'Expose TCP');
  await dialog(TITLE);
  expect(input(/^Backend Host/).disabled).toBe(true);
  expect(input(/^Backend Host/).placeholder).toBe(address);
});

it('has a control for everything that the contract lets an administrator say', async () => {
  const { connection } = await openConsole({ path: '/nodes/1' });
  await connection.client.tcpService.create({
    params: { nodeId: 1 },
    body: {
      name: 'Broker',
      backendHost: '127.0.0.1',
      backendPort: 1883,
      allowedIps: ['203.0.113.1'],
      blockedIps: ['203.0.113.2'],
    },
  });
  await choose('Broker', 'Edit Service');
  const form = await dialog(TITLE);
  const names = [...form.querySelectorAll('[name]')].map((control) => control.getAttribute('name')?.split('.')[0]);
  expect(new Set(names)).toEqual(new Set([...Object.keys(tcpServiceAttributes), 'port', 'ttl']));
});

it('says before it is filled in that the gateway cannot serve it, and how that changes', async () => {
  const { gateway, router } = await openConsole({ path: '/login', session: 'none' });
  gateway.world.setUnavailable([
    { feature: 'tcpServices', reason: 'This nginx has no stream module.', fix: 'Install it.' },
    { feature: 'tunnel', reason: 'WireGuard is not installed.', fix: 'Install WireGuard.' },
    { feature: 'visitorSignIn', reason: 'No provider is set.', fix: 'Set SALLYPORT_OIDC_ISSUER.' },
    { feature: 'letsEncrypt', reason: 'It is not set up.', fix: 'Choose self-signed ones.' },
  ]);
  await router.navigate({ to: '/login' });
  await type(/^Username/, 'admin');
  await type(/^Password/, 'correct horse battery');
  await press('Sign in');
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  await router.navigate({ to: '/nodes' });
  await choose('Local', 'Expose TCP');
  expect((await dialog(TITLE)).textContent).toContain('This nginx has no stream module. Install it.');
  await press('Cancel');
  await choose('Local', 'Expose HTTP');
  const local = await dialog('Expose HTTP Service on Node');
  expect(local.textContent).not.toContain('Visitors will not reach this service yet');
  expect(local.textContent).toContain('Off on this gateway: No provider is set. Set SALLYPORT_OIDC_ISSUER.');
  await press('Cancel');
  await choose('edge', 'Expose HTTP');
  const remote = await dialog('Expose HTTP Service on Node');
  expect(remote.textContent).toContain('WireGuard is not installed. Install WireGuard.');
  await press('Cancel');
  await router.navigate({ to: '/domains' });
  await press('Add Domain');
  const domain = await dialog('Domain & SSL Settings');
  expect(domain.textContent).toContain(
    "Let's Encrypt is off on this gateway: It is not set up. Choose self-signed ones.",
  );
  expect(domain.textContent).toContain('Off on this gateway: No provider is set. Set SALLYPORT_OIDC_ISSUER.');
});
