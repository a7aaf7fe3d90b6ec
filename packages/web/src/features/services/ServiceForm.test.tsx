import { httpServiceAttributes, tcpServiceAttributes } from '@sallyport/sdk/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { choose, dialog, openConsole, press, signIn, type } from '../../testing/openConsole.tsx';

const HTTP = 'Expose HTTP Service on Node';
const TCP = 'Expose TCP Service on Node';
const AVAILABLE = 'Your Service is Now Publicly Available';

const input = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label);
const messageOf = (label: RegExp | string) => {
  const field = screen.getByLabelText(label);
  expect(field.getAttribute('aria-invalid')).toBe('true');
  return document.getElementById(field.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent;
};
const save = async () => {
  await press('Save');
  fireEvent.keyDown(await dialog(AVAILABLE), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
};

/** The local node's page, with a service of each kind that has both lists; they are there before the page is. */
async function openServices() {
  const opened = await openConsole({ path: '/' });
  const { httpService, tcpService } = opened.connection.client;
  const lists = { allowedIps: ['192.0.2.1'], blockedIps: ['192.0.2.2'] };
  await httpService.update({ params: { nodeId: 1, id: opened.ids.appId }, body: lists });
  const tcp = await tcpService.create({
    params: { nodeId: 1 },
    body: { name: 'Broker', backendHost: '127.0.0.1', backendPort: 1883, port: 20_007, ...lists },
  });
  await opened.router.navigate({ to: '/nodes/$id', params: { id: '1' } });
  return { ...opened, tcpId: tcp.id };
}

const KINDS = [
  {
    kind: 'http',
    service: 'App',
    title: HTTP,
    begins: { 'Public HTTP Path': '/', 'Backend Protocol': 'http', 'Backend Port': '80' },
    shown: ['https://new.example.test/', 'http://127.0.0.1:3001'],
    kept: { domain: 'app.example.test', backendHost: '127.0.0.1' },
    attributes: httpServiceAttributes,
    more: ['ttl'],
  },
  {
    kind: 'tcp',
    service: 'Broker',
    title: TCP,
    begins: { 'Public Port': '', 'Backend Protocol': 'tcp', 'Backend Port': '1883' },
    shown: ['tcp://new.example.test:20000', 'tcp://127.0.0.1:3001', '20000'],
    kept: { port: 20_007, allowedIps: ['192.0.2.1'] },
    attributes: tcpServiceAttributes,
    more: ['port', 'ttl'],
  },
] as const;

describe.each(KINDS)(
  'the form of a service ($kind)',
  ({ kind, service, title, begins, shown, kept, attributes, more }) => {
    it('exposes it, then shows where it is reached and that its domain is new', async () => {
      const { requests } = await openConsole({ path: '/nodes' });
      await choose('Local', `Expose ${kind.toUpperCase()}`);
      await dialog(title);
      expect([input(/^Node Name/).value, input(/^Node Name/).readOnly]).toEqual(['Local', true]);
      for (const [label, value] of Object.entries(begins)) expect(input(new RegExp(`^${label}`)).value).toBe(value);
      await type(/^Service Name/, 'New');
      await type(/^Public Domain/, 'New.example.test');
      await type(/^Backend Host/, '127.0.0.1');
      await type(/^Backend Port/, '3001');
      await press('Add Blocked IP');
      await type('Blocked IP 1', '203.0.113.9');
      await press('Save');
      const info = within(await dialog(AVAILABLE));
      for (const text of [...shown, '203.0.113.9', /^The domain new.example.test was added/]) info.getByText(text);
      expect(requests).toContain(`POST /api/services/1/${kind}`);
    });

    it('changes it, keeping what was not touched', async () => {
      const { requests, ids, tcpId, connection } = await openServices();
      await choose(service, 'Edit Service');
      await dialog(title);
      await type(/^Backend Port/, '8081');
      await press('Save');
      await dialog(AVAILABLE);
      const id = kind === 'http' ? ids.appId : tcpId;
      expect(requests).toContain(`PATCH /api/services/1/${kind}/${id}`);
      const saved = await connection.client[`${kind}Service`].get({ params: { nodeId: 1, id } });
      expect(saved).toMatchObject({ name: service, backendPort: 8081, ...kept });
    });

    it('has a control for everything that the contract lets an administrator say', async () => {
      await openServices();
      await choose(service, 'Edit Service');
      const form = await dialog(title);
      if (kind === 'http') fireEvent.click(screen.getByLabelText(/^Require Authentication/));
      const names = [...form.querySelectorAll('[name]')].map((control) => control.getAttribute('name')?.split('.')[0]);
      expect(new Set(names)).toEqual(new Set([...Object.keys(attributes), ...more]));
    });

    it('takes the backend host of a plain node from the node', async () => {
      const { connection, ids } = await openConsole({ path: '/nodes' });
      const { address } = await connection.client.node.get({ params: { id: ids.edgeId } });
      await choose('edge', `Expose ${kind.toUpperCase()}`);
      await dialog(title);
      expect([input(/^Backend Host/).disabled, input(/^Backend Host/).placeholder]).toEqual([true, address]);
    });
  },
);

it('asks for the backend host of a gateway', async () => {
  const { requests } = await openConsole({ path: '/nodes' });
  await choose('site', 'Expose HTTP');
  await dialog(HTTP);
  await type(/^Service Name/, 'Printer');
  await press('Save');
  await waitFor(() => expect(input(/^Backend Host/).getAttribute('aria-invalid')).toBe('true'));
  expect(requests.filter((request) => request.startsWith('POST /api/services'))).toEqual([]);
});

it('shows what is wrong next to its field, also when only the gateway knows', async () => {
  const { requests } = await openConsole({ path: '/nodes/1' });
  await press('Add Service to TCP Services');
  await dialog(TCP);
  await screen.findByText('From 20000 to 20999.');
  await type(/^Backend Port/, '');
  await type(/^Backend Host/, '');
  await type(/^Public Domain/, 'not a domain');
  await type(/^Public Port/, '70000');
  await press('Add Blocked IP');
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Blocked IP 1')));
  await type('Blocked IP 1', 'nowhere');
  await press('Save');
  await screen.findByText('This field is not allowed to be empty');
  for (const label of [/^Backend Port/, /^Backend Host/, /^Public Domain/, /^Public Port/, 'Blocked IP 1']) {
    expect(messageOf(label)).not.toBe('');
  }
  expect(requests.filter((request) => request.startsWith('POST /api/services'))).toEqual([]);

  await press('Remove Blocked IP 1');
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

it("suggests the gateway's domains as the server finds them", async () => {
  const { requests } = await openConsole({ path: '/nodes' });
  await choose('edge', 'Expose HTTP');
  await dialog(HTTP);
  const field = input(/^Public Domain/);
  field.focus();
  fireEvent.change(field, { target: { value: 'app' } });
  fireEvent.keyDown(field, { key: 'ArrowDown' });
  const option = await screen.findByRole('option', { name: /app\.example\.test/ });
  expect(requests.join('\n')).toMatch(/^GET \/api\/domains\?.*search=app/m);
  fireEvent.click(option);
  await waitFor(() => expect(field.value).toBe('app.example.test'));
});

it('says nothing of the sign-in of a domain that the gateway was not asked for yet', async () => {
  const { connection, gateway, ids, router } = await openConsole({ path: '/' });
  gateway.world.setSignIn({ available: true });
  const { client } = connection;
  await client.domain.update({ params: { id: ids.domainId }, body: { authentication: true } });
  await client.httpService.update({ params: { nodeId: 1, id: ids.appId }, body: { requireAuth: true } });
  await router.navigate({ to: '/nodes/$id', params: { id: '1' } });
  const asked = vi.spyOn(client.domain, 'list');
  await choose('App', 'Edit Service');
  await dialog(HTTP);
  await vi.waitFor(() => expect(asked).toHaveResolved());
  fireEvent.change(input(/^Public Domain/), { target: { value: 'other.example.test' } });
  expect(screen.queryByText('Authentication is not enabled for this domain')).toBeNull();
  await screen.findByText('Authentication is not enabled for this domain');
});

it('warns that the domain has no authentication', async () => {
  await openConsole({ path: '/nodes' });
  await choose('edge', 'Expose HTTP');
  await dialog(HTTP);
  await type(/^Public Domain/, 'app.example.test');
  fireEvent.click(screen.getByLabelText('Require Authentication'));
  await screen.findByText('Authentication is not enabled for this domain');
  expect(screen.getByLabelText('Paths to bypass authentication (optional)')).toBeDefined();
  fireEvent.click(screen.getByLabelText('Require Authentication'));
  await waitFor(() => expect(screen.queryByText('Authentication is not enabled for this domain')).toBeNull());
});

it("locks what makes the gateway's own console reachable", async () => {
  const { connection } = await openConsole({ path: '/nodes/1' });
  const { data } = await connection.client.httpService.list({ params: { nodeId: 1 }, query: {} });
  const own = data.find(({ builtin }) => builtin);
  await choose(own?.name ?? '', 'Edit Service');
  await dialog(HTTP);
  for (const label of [/^Public HTTP Path/, /^Backend Protocol/, /^Backend Host/, /^Backend Port/]) {
    expect(input(label).disabled).toBe(true);
  }
  // It never closes by itself.
  expect(screen.queryByLabelText('Time to Live')).toBeNull();
  await type(/^Public Domain/, 'console.example.test');
  await save();
});

it('sets how long the service stays open, leaves it alone, and takes it back', async () => {
  const { connection, gateway, ids } = await openConsole({ path: '/nodes/1' });
  const ends = async () =>
    (await connection.client.httpService.get({ params: { nodeId: 1, id: ids.appId } })).expiresAt;
  const hours = async () => Math.round((Date.parse((await ends()) ?? '') - gateway.clock.now().getTime()) / 3_600_000);
  const edit = async () => {
    await choose('App', 'Edit Service');
    await dialog(HTTP);
    return screen.getByLabelText<HTMLSelectElement>('Time to Live');
  };
  const options = (field: HTMLSelectElement) => [...field.options].map(({ text }) => text);
  expect(options(await edit())).toEqual(['No limit', '1 hour', '8 hours', '1 day', '7 days', 'Another time']);
  await type('Time to Live', '8h');
  await save();
  expect(await hours()).toBe(8);

  const field = await edit();
  const set = await ends();
  expect(field.selectedOptions[0]?.text).toMatch(/^As it is: closes /);
  await type(/^Backend Port/, '8081');
  await save();
  expect(await ends()).toBe(set);

  await edit();
  await type('Time to Live', 'other');
  await press('Save');
  await screen.findByText(/^Enter a number and s, m, h or d, such as 30m/);
  await type(/^How Long/, '90m');
  await save();
  expect(await hours()).toBe(2);

  await edit();
  await type('Time to Live', '');
  await save();
  expect(await ends()).toBeNull();
});

it('takes a path without a domain and a domain without a path, but not neither', async () => {
  const { connection } = await openConsole({ path: '/nodes/1' });
  await press('Add Service to HTTP Services');
  await dialog(HTTP);
  await type(/^Service Name/, 'Bare');
  await type(/^Backend Host/, '127.0.0.1');
  // 80 would be the gateway's own.
  await type(/^Backend Port/, '8080');
  await type(/^Public HTTP Path/, '');
  await press('Save');
  await screen.findByText('Enter a public domain, a path, or both.');
  await type(/^Public HTTP Path/, '/bare');
  await save();
  const { data } = await connection.client.httpService.list({ params: { nodeId: 1 }, query: {} });
  expect(data.find(({ name }) => name === 'Bare')).toMatchObject({ domain: null, pathLocation: '/bare' });
});

it('says why the backend does not answer yet, and that it does once it does', async () => {
  const { gateway } = await openConsole({ path: '/nodes/1' });
  gateway.backends.set('127.0.0.1:1883', 'Nothing listens on 127.0.0.1:1883.');
  await press('Add Service to TCP Services');
  await dialog(TCP);
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

it('terminates TLS for TCP only', async () => {
  await openConsole({ path: '/nodes/1' });
  await press('Add Service to TCP Services');
  await dialog(TCP);
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

it('says before it is filled in what this gateway lacks, once, and leads to where that changes', async () => {
  const { gateway, router } = await openConsole({ path: '/login', session: 'none' });
  gateway.world.setUnavailable([
    { feature: 'tcpServices', reason: 'This nginx has no stream module.', fix: 'Install it.' },
    { feature: 'tunnel', reason: 'WireGuard is not installed.', fix: 'Install WireGuard.' },
    { feature: 'visitorSignIn', reason: 'No provider is set.', fix: 'Set SALLYPORT_OIDC_ISSUER.' },
    { feature: 'letsEncrypt', reason: 'It is not set up.', fix: 'Choose self-signed ones.' },
  ]);
  await signIn();
  await screen.findByRole('heading', { name: 'Welcome to Sallyport' });
  await router.navigate({ to: '/nodes' });
  const told = async (title: string, sentence: string, group = 'features') => {
    const form = await dialog(title);
    const setUp = within(within(form).getByText(sentence, { exact: false })).getByRole('link', { name: 'Set up' });
    // Next to the form, so that nothing which was typed is lost.
    expect([setUp.getAttribute('href'), setUp.getAttribute('target')]).toEqual([`/settings/${group}`, '_blank']);
    expect(form.textContent?.split(sentence)).toHaveLength(2);
    return form;
  };
  await choose('Local', 'Expose TCP');
  await told(TCP, 'TCP and UDP services are off on this gateway.');
  await press('Cancel');
  await choose('Local', 'Expose HTTP');
  const local = await told(HTTP, 'Sign-in for visitors is not set up on this gateway.', 'sign-in');
  expect(local.textContent).not.toContain('Visitors will not reach this service yet');
  expect(input(/^Require Authentication/).disabled).toBe(true);
  await press('Cancel');
  await choose('edge', 'Expose HTTP');
  await told(HTTP, 'The tunnel of this gateway is off.');
  await press('Cancel');
  await router.navigate({ to: '/domains' });
  await press('Add Domain');
  await told('Domain & SSL Settings', "Let's Encrypt is off on this gateway.", 'certificates');
  await told('Domain & SSL Settings', 'Sign-in for visitors is not set up on this gateway.', 'sign-in');
  expect(input(/^Enable OAuth2/).disabled).toBe(true);
  expect(screen.getByRole<HTMLOptionElement>('option', { name: "Let's Encrypt" }).disabled).toBe(true);
});

it('keeps the sign-in that is stored where none can be had by now, and lets it be taken back', async () => {
  const { connection, gateway, ids, router } = await openConsole({ path: '/' });
  gateway.world.setSignIn({ available: true });
  const { client } = connection;
  await client.domain.update({ params: { id: ids.domainId }, body: { authentication: true } });
  await client.httpService.update({ params: { nodeId: 1, id: ids.appId }, body: { requireAuth: true } });
  gateway.world.setUnavailable([{ feature: 'visitorSignIn', reason: 'No provider is set.', fix: 'Set one.' }]);
  await router.navigate({ to: '/nodes/$id', params: { id: '1' } });
  await choose('App', 'Edit Service');
  await dialog(HTTP);
  await waitFor(() => expect(input(/^Require Authentication/).disabled).toBe(false));
  fireEvent.click(input(/^Require Authentication/));
  await save();
  expect((await client.httpService.get({ params: { nodeId: 1, id: ids.appId } })).requireAuth).toBe(false);
});
