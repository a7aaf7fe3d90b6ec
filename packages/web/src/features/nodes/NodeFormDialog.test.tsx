import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, vi } from 'vitest';
import { choose, dialog, type OpenConsole, openConsole, press, refusal, type } from '../../testing/openConsole.tsx';

it('creates a node and shows its token this once; the command does not carry it', async () => {
  await openConsole({ path: '/nodes' });
  await press('Add Client');
  await dialog('Client / Node Configuration');
  await type(/^Name/, 'office');
  await press('Save');
  const ready = within(await dialog('Your Node is Ready'));
  const token = ready.getByLabelText<HTMLInputElement>('Token').value;
  expect(token).not.toBe('');
  const command = ready.getByRole('region', { name: 'Join command' }).textContent;
  // This page is open on loopback, which no host could use.
  expect(command).toBe('sudo sallyport connect --url=https://vpn.example.test:9443');
  const ways = ready.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent);
  expect(ways).toEqual(['With the command line', 'With one line', 'With WireGuard']);
  // One is unfolded from the start; the browser folds it when another one of the same name is unfolded.
  const open = () =>
    [...document.querySelectorAll('details[name="way-to-join"]')].map((way) => way.hasAttribute('open'));
  expect(open()).toEqual([true, false, false]);
  expect(ready.getByRole('button', { name: 'Copy the token' }).textContent).toBe('Copy');
  ready.getByText(/^For a host that has the command\. It asks for the token\./);
  ready.getByText('Only this way needs it. The token is only visible once. Make sure to store it securely.');
  fireEvent.click(ready.getAllByRole('button', { name: 'Close' })[0] ?? document.body);
  await press('Close without it');
  await screen.findByRole('link', { name: 'office' });
  expect(document.body.innerHTML).not.toContain(token);
});

it('asks a gateway for its subnet, and forgets it when it is none', async () => {
  const { requests, answer } = await openConsole({ path: '/nodes' });
  await press('Add Client');
  await type(/^Name/, 'office');
  fireEvent.click(await screen.findByLabelText('Act as a network gateway'));
  await press('Save');
  await screen.findByText('This field is required');
  await type(/^Subnet/, 'nowhere');
  await press('Save');
  await screen.findByText(/^Enter a network with its length/);
  expect(requests).not.toContain('POST /api/nodes');
  fireEvent.click(screen.getByLabelText('Act as a network gateway'));
  let body: unknown;
  answer('POST /api/nodes', async (request) => {
    body = await request.json();
    return refusal(400, { message: 'enough' });
  });
  await press('Save');
  await screen.findByText('enough');
  expect(body).toMatchObject({ name: 'office', isGateway: false, gatewayNetworks: [] });
});

it('allows a node’s tokens every domain and further networks, in the advanced form', async () => {
  const { gateway, ids } = await openConsole({ path: '/nodes' });
  await choose('site', 'Edit Node');
  const form = within(await dialog('Client / Node Configuration'));
  await press('Advanced Form');
  fireEvent.click(await form.findByLabelText('Its access tokens may use every domain'));
  fireEvent.click(form.getByRole('button', { name: 'Add Network' }));
  fireEvent.change(await form.findByLabelText('Allowed network 1'), { target: { value: '198.51.100.0/24' } });
  await press('Save');
  await screen.findByText('Node updated successfully!');
  const row = await gateway.store.nodes.get(ids.siteId);
  expect(row).toMatchObject({ allowAnyDomain: true, allowedNetworks: ['198.51.100.0/24'] });
});

it('names a DNS server behind a gateway, of its subnets alone, which goes with the networks', async () => {
  const { gateway, ids } = await openConsole({ path: '/nodes' });
  const resolver = async () => (await gateway.store.nodes.get(ids.siteId))?.resolver;
  const edit = async () => {
    await choose('site', 'Edit Node');
    return within(await dialog('Client / Node Configuration'));
  };
  const form = await edit();
  await press('Advanced Form');
  await form.findByLabelText('DNS server behind it');
  await type('DNS server behind it', '198.51.100.53');
  await press('Save');
  expect(await form.findByText(/^The DNS server must be within 10\.88\.0\.\d, 192\.0\.2\.0\/24$/)).toBeDefined();
  await type('DNS server behind it', '192.0.2.53');
  await press('Save');
  await waitFor(async () => expect(await resolver()).toBe('192.0.2.53'));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  fireEvent.click(await (await edit()).findByLabelText('Act as a network gateway'));
  expect(screen.queryByLabelText('DNS server behind it')).toBeNull();
  await press('Save');
  await waitFor(async () => expect(await resolver()).toBeNull());
});

it('shows that Save works, and has no way out meanwhile; a failure leaves the form open', async () => {
  const { answer } = await openConsole({ path: '/nodes' });
  await press('Add Client');
  const form = await dialog('Client / Node Configuration');
  await type(/^Name/, 'office');
  const reply = Promise.withResolvers<Response>();
  answer('POST /api/nodes', () => reply.promise);
  await press('Save');
  const save = within(form).getByRole('button', { name: 'Save' });
  await waitFor(() => expect(save.getAttribute('aria-busy')).toBe('true'));
  for (const name of ['Cancel', 'Close']) {
    expect(within(form).getByRole<HTMLButtonElement>('button', { name }).disabled).toBe(true);
  }
  fireEvent.keyDown(form, { key: 'Escape' });
  reply.resolve(refusal(400, { message: 'The address range is full' }));
  await screen.findByText('The address range is full');
  await waitFor(() => expect(save.getAttribute('aria-busy')).toBeNull());
  fireEvent.keyDown(form, { key: 'Escape' });
  await press('Discard');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

describe('when the reply to Save is lost', () => {
  /** The gateway does what it is asked, and the reply does not arrive. */
  async function lose({ gateway, answer }: OpenConsole, times: number) {
    for (let time = 0; time < times; time += 1) {
      answer('POST /api/nodes', async (request) => {
        await gateway.fetch(request);
        throw new TypeError('Failed to fetch');
      });
    }
  }
  const called = async ({ gateway }: OpenConsole, name: string) =>
    (await gateway.store.nodes.all()).filter((node) => node.name === name);
  const tokenShown = async () =>
    within(await dialog('Your Node is Ready')).getByLabelText<HTMLInputElement>('Token').value;

  it.each([
    ['is the same Save when it is pressed again', 'office'],
    ['is another Save when something else is typed', 'attic'],
  ])('%s', async (_, name) => {
    const opened = await openConsole({ path: '/nodes' });
    await press('Add Client');
    await type(/^Name/, 'office');
    await lose(opened, 4);
    await press('Save');
    await screen.findByText(/The gateway cannot be reached/);
    expect(await called(opened, 'office')).toHaveLength(1);
    await type(/^Name/, name);
    await press('Save');
    expect(await tokenShown()).toMatch(/^spn_/);
    expect(await called(opened, name)).toHaveLength(1);
  });
});

describe('Your Node is Ready', () => {
  const ready = async (name: string) => {
    await press('Add Client');
    await type(/^Name/, name);
    await press('Save');
    return within(await dialog('Your Node is Ready'));
  };
  const FILE = '[Interface]\nPrivateKey = abc\n';
  const file = () => new Response(FILE, { headers: { 'content-disposition': 'attachment; filename="office.conf"' } });

  it('downloads the configuration under its own name', async () => {
    const { answer } = await openConsole({ path: '/nodes' });
    const saved: string[] = [];
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
      saved.push(this.download);
    });
    const blobs: Blob[] = [];
    vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
      blobs.push(blob as Blob);
      return 'blob:office';
    });
    await ready('office');
    answer('GET /api/nodes/4/download', file);
    await press('Download Configuration');
    await waitFor(() => expect(saved).toEqual(['office.conf']));
    expect(await blobs[0]?.text()).toBe(FILE);
    vi.restoreAllMocks();
  });

  it('says when the host has joined, leads on, and asks for no copy of the token then', async () => {
    const { gateway, connection } = await openConsole({ path: '/nodes' });
    const shown = await ready('office');
    const { data } = await connection.client.node.list({ query: { search: 'office' } });
    gateway.world.setNodeRuntime(data[0]?.id ?? 0, { status: 'online', latestHandshakeTimestamp: Date.now() });
    await shown.findByText('office is connected', {}, { timeout: 20_000 });
    expect(shown.getByRole('link', { name: 'its page' }).getAttribute('href')).toBe(`/nodes/${data[0]?.id}`);
    fireEvent.click(shown.getAllByRole('button', { name: 'Close' })[0] ?? document.body);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  it('shows the configuration to a camera when asked, and not before', async () => {
    const { requests } = await openConsole({ path: '/nodes' });
    const shown = await ready('office');
    expect(requests.filter((request) => request.includes('/download'))).toEqual([]);
    await press('Show QR Code');
    const code = await shown.findByRole('img', { name: 'Configuration of office' });
    expect(code.classList).toContain('max-w-64');
    await press('Enlarge');
    await waitFor(() => expect(code.classList).not.toContain('max-w-64'));
    await press('Hide QR Code');
    await waitFor(() => expect(shown.queryByRole('img', { name: 'Configuration of office' })).toBeNull());
    // A phone understands no commands.
    expect(requests).toContain('GET /api/nodes/4/download?for=app');
  });

  it('makes a line that installs the command, and a code for it, when asked and not before', async () => {
    const { gateway, requests } = await openConsole({ path: '/nodes' });
    const shown = await ready('office');
    expect(requests).not.toContain('POST /api/join-keys');
    await press('Show One Line for a New Host');
    const code = (await shown.findByLabelText<HTMLInputElement>('Code')).value;
    expect(code).toMatch(/^(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}$/);
    const line = shown.getByRole('region', { name: 'Join line' }).textContent;
    expect(line).toMatch(/^curl .* https:\/\/\S+\/join \| sudo sh$/);
    expect(line).not.toContain(code);
    expect(document.body.textContent).toContain('Run this line on the host, which needs curl.');
    // Each secret stands with what asks for it.
    const wayWith = (label: string) => shown.getByLabelText(label).closest('details')?.querySelector('h3')?.textContent;
    expect([wayWith('Code'), wayWith('Token')]).toEqual(['With one line', 'With the command line']);
    expect(await gateway.store.joinKeys.all()).toMatchObject([{ name: 'office', nodeId: 4, reusable: false }]);
  });

  const ways = () => [...document.querySelectorAll('details h3')].map(({ textContent }) => textContent);
  it('offers neither a line nor a configuration to a host that would not find the gateway', async () => {
    const { gateway } = await openConsole({ path: '/nodes' });
    gateway.world.setUnavailable([{ feature: 'publicName', reason: 'Hosts are told "debian".', fix: 'Set it.' }]);
    const shown = await ready('office');
    await shown.findByText('The host may not find this gateway');
    expect(ways()).toEqual(['With the command line']);
  });

  it('says once which setting is missing, where no command can be shown, and offers what works without', async () => {
    const { answer, gateway } = await openConsole({ path: '/nodes' });
    for (let asked = 0; asked < 3; asked += 1) {
      answer('GET /api/config', () =>
        Response.json({ VPN_HOST: 'vpn.example.test', CONSOLE_URL: null, unavailable: [] }),
      );
    }
    // The console asks for the configuration again.
    gateway.world.setUnavailable([]);
    const shown = await ready('office');
    await shown.findByText('There is no command yet');
    expect(shown.getByRole('link', { name: 'Settings' }).getAttribute('href')).toBe('/settings/gateway');
    expect(ways()).toEqual(['With WireGuard']);
    expect(shown.getByLabelText('Token')).toBeDefined();
  });

  it('says what is off, and why, without trying', async () => {
    const { gateway, requests } = await openConsole({ path: '/nodes' });
    gateway.world.setUnavailable([{ feature: 'tunnel', reason: 'WireGuard is not installed.', fix: 'Install it.' }]);
    const shown = await ready('office');
    await shown.findByText('The host cannot connect: the tunnel is off');
    // The command is there to be kept: the tunnel may be on when the host runs it.
    expect(ways()).toEqual(['With the command line']);
    expect(shown.queryByRole('button', { name: 'Show QR Code' })).toBeNull();
    expect(requests).not.toContain('GET /api/nodes/4/download');
  });
});

it('starts as a plain node without internet through the VPN, and takes an address only of a node that is there', async () => {
  await openConsole({ path: '/nodes' });
  await press('Add Client');
  await dialog('Client / Node Configuration');
  const isOn = (label: string) => screen.getByLabelText<HTMLInputElement>(label).checked;
  expect([isOn('Act as a network gateway'), isOn('Send all internet traffic through the VPN')]).toEqual([false, false]);
  expect(screen.queryByLabelText('Address')).toBeNull();
  await press('Cancel');
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

  await choose('edge', 'Edit Node');
  await dialog('Client / Node Configuration');
  await type('Address', '10.88.0.2/24');
  await screen.findByText(/^Enter an IPv4 address without a length/);
  await type('Address', '');
  await waitFor(() => expect(screen.queryByText(/^Enter an IPv4 address without a length/)).toBeNull());
});

it('has DNS, keep-alive and further interfaces in its advanced form, and begins with it the next time', async () => {
  await openConsole({ path: '/nodes' });
  await press('Add Client');
  await type(/^Name/, 'office');
  fireEvent.click(await screen.findByLabelText('Act as a network gateway'));
  expect(screen.getByRole('group', { name: /^Interface & Subnet/ })).toBeDefined();
  expect(screen.getByText("This may affect the node's internet performance.")).toBeDefined();
  expect(screen.getByLabelText<HTMLInputElement>('Interface').value).toBe('eth0');
  await type(/^Subnet/, '198.51.100.0/24');
  expect([screen.queryByLabelText('DNS'), screen.queryByRole('button', { name: 'Add Interface' })]).toEqual([
    null,
    null,
  ]);
  await press('Advanced Form');
  expect((await screen.findByLabelText<HTMLInputElement>('DNS')).placeholder).toBe('1.1.1.1');
  expect(screen.getByLabelText<HTMLInputElement>('Persistence Keepalive').value).toBe('10');
  await type('DNS', '9.9.9.9');
  await press('Add Interface');
  fireEvent.change(screen.getAllByLabelText('Interface')[1] ?? document.body, { target: { value: 'eth1' } });
  fireEvent.change(screen.getAllByLabelText(/^Subnet/)[1] ?? document.body, { target: { value: '203.0.113.0/24' } });
  await press('Save');
  const ready = within(await dialog('Your Node is Ready'));
  fireEvent.click(ready.getAllByRole('button', { name: 'Close' })[0] ?? document.body);
  await press('Close without it');

  await choose('office', 'Edit Node');
  await screen.findByRole('button', { name: 'Simple Form' });
  expect(screen.getByLabelText<HTMLInputElement>('DNS').value).toBe('9.9.9.9');
  const fields = (name: string | RegExp) => screen.getAllByLabelText<HTMLInputElement>(name).map(({ value }) => value);
  expect([fields('Interface'), fields(/^Subnet/)]).toEqual([
    ['eth0', 'eth1'],
    ['198.51.100.0/24', '203.0.113.0/24'],
  ]);
});
