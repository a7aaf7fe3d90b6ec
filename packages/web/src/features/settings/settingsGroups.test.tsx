import type { GatewaySettings } from '@sallyport/sdk/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { openConsole, press } from '../../testing/openConsole.tsx';

const groupLinks = async () => {
  const list = within(await screen.findByRole('navigation', { name: 'Groups of settings' }));
  return list.getAllByRole('link');
};
const card = async (name: string) => within(await screen.findByRole('region', { name }));

it('shows each group at an address of its own, and the first one where none is named', async () => {
  const { path } = await openConsole({ path: '/settings' });
  expect(await screen.findByRole('region', { name: 'Public Address' })).toBeDefined();
  const links = await groupLinks();
  expect(links.map((link) => link.getAttribute('href'))).toEqual(
    ['gateway', 'features', 'certificates', 'sign-in', 'limits', 'sessions', 'appearance', 'about'].map(
      (group) => `/settings/${group}`,
    ),
  );
  for (const link of links.slice(1)) {
    fireEvent.click(link);
    const label = link.querySelector('span')?.firstChild?.textContent ?? '';
    await screen.findByRole('heading', { level: 1, name: label });
    expect(path()).toBe(link.getAttribute('href'));
    await waitFor(() => expect(document.title).toContain(label));
    expect(screen.queryByRole('region', { name: 'Public Address' })).toBeNull();
  }
});

it('leads a group that there is not to the list of those that there are', async () => {
  const { path } = await openConsole({ path: '/settings/nonsense' });
  await screen.findByRole('region', { name: 'Public Address' });
  expect(path()).toBe('/settings');
});

it('says of every feature whether it runs, why not, and where it is set up', async () => {
  const { gateway, router, path } = await openConsole({ path: '/nodes' });
  gateway.world.setUnavailable([
    { feature: 'letsEncrypt', reason: 'certbot is not installed.', fix: 'Install it.' },
    { feature: 'visitorSignIn', reason: 'No identity provider is set up.', fix: 'Do it.', chosen: true },
  ]);
  await router.navigate({ to: '/settings/$group', params: { group: 'features' } });
  const features = await card('Features');
  const rowOf = async (name: string) => {
    const row = (await features.findByText(name)).closest('li');
    return row === null ? '' : (row.textContent ?? '');
  };
  expect(await rowOf('ingress')).toBe('ingressOn');
  expect(await rowOf('Certificates of acme.example.test')).toMatch(
    /Unavailablecertbot is not installed\. Install it\. Set up$/,
  );
  expect(await rowOf('sign-in for visitors')).toContain('Not set upNo identity provider is set up. Do it.');
  fireEvent.click(features.getAllByRole('link', { name: 'Set up' })[1] ?? document.body);
  await screen.findByRole('heading', { level: 1, name: 'Sign-in' });
  expect(path()).toBe('/settings/sign-in');
});

it('says what needs the tunnel while that is off, and leads to where it is turned on', async () => {
  const { gateway, router } = await openConsole({ path: '/nodes' });
  gateway.world.setUnavailable([{ feature: 'tunnel', reason: 'It is turned off.', fix: 'Turn it on.', chosen: true }]);
  await router.navigate({ to: '/settings/$group', params: { group: 'features' } });
  const features = await card('Features');
  const internet = (await features.findByText('internet through the VPN')).closest('li');
  expect(internet?.textContent).toContain('UnavailableIt needs the tunnel, which does not run. Turn on the tunnel.');
  const tunnel = features.getByText('tunnel').closest('li');
  expect(tunnel?.textContent).toBe('tunnelOff by choiceIt is turned off. Turn it on. Set up');
  expect(tunnel?.querySelector('a')?.getAttribute('href')).toBe('/settings/gateway');
});

it.each([
  ['https://acme-v02.api.letsencrypt.org/directory', "Certificates of Let's Encrypt"],
  ['https://ca.example.com:9000/acme/directory', 'Certificates of ca.example.com:9000'],
])('names the authority of the certificates: %s', async (directory, label) => {
  const { gateway, router, answer } = await openConsole({ path: '/nodes' });
  answer('GET /api/settings', async (request) => {
    const found = (await (await gateway.fetch(request)).json()) as GatewaySettings;
    const settings = found.settings.map((one) =>
      one.name === 'SALLYPORT_ACME_URL' ? { ...one, value: directory } : one,
    );
    return Response.json({ ...found, settings });
  });
  await router.navigate({ to: '/settings/$group', params: { group: 'features' } });
  expect(await (await card('Features')).findByText(label)).toBeDefined();
});

it.each([
  ['vpn.example.test', 'On'],
  ['203.0.113.5', 'OnWithout a name, by the address 203.0.113.5.'],
  ['2001:db8::5', 'OnWithout a name, by the address 2001:db8::5.'],
  ['localhost', 'UnavailableOther machines are told localhost, which each takes for itself. Set up'],
])('says of the public name whether others find the gateway by it: %s', async (host, said) => {
  const { gateway, router, answer } = await openConsole({ path: '/nodes' });
  answer('GET /api/settings', async (request) => {
    const found = (await (await gateway.fetch(request)).json()) as GatewaySettings;
    const settings = found.settings.map((one) => (one.name === 'SALLYPORT_VPN_HOST' ? { ...one, value: host } : one));
    return Response.json({ ...found, settings });
  });
  await router.navigate({ to: '/settings/$group', params: { group: 'features' } });
  const row = (await (await card('Features')).findByText('public name')).closest('li');
  await waitFor(() => expect(row?.textContent?.replaceAll(/ +/g, ' ').trim()).toMatch(`public name${said}`));
});

it('marks and locks what the environment says, and hides the secret', async () => {
  await openConsole({ path: '/settings/sign-in' });
  const provider = await card('Identity Provider');
  const rowOf = async (label: string) => (await provider.findByText(label)).closest('div');
  await waitFor(async () =>
    expect((await rowOf('Client secret'))?.querySelector('dd')?.textContent).toBe(
      'Set, not shownSet by the environment',
    ),
  );
  expect((await rowOf('Issuer'))?.querySelector('dd')?.textContent).toBe('Not set');
  expect(document.body.innerHTML).not.toContain('the-secret-of-the-provider');
  expect(provider.getByRole('region', { name: 'Lines of the file: Identity Provider' }).textContent).toContain(
    'SALLYPORT_OIDC_ISSUER=',
  );
});

it('asks a provider or an authority when it is told to, and not before', async () => {
  const { gateway, requests } = await openConsole({ path: '/settings/certificates' });
  await screen.findByText('Directory of the authority');
  expect(requests).not.toContain('POST /api/settings/test');
  const asked: string[] = [];
  gateway.world.setTest(async (service) => {
    asked.push(service);
    return { works: false, text: 'Nothing listens at 127.0.0.1:14000.' };
  });
  await press('Test the authority');
  expect((await screen.findByText('It does not work')).parentElement?.textContent).toContain(
    'Nothing listens at 127.0.0.1:14000.',
  );
  gateway.world.setTest(async () => ({ works: true, text: "Let's Encrypt answers." }));
  await press('Test the authority');
  expect(await screen.findByText("Let's Encrypt answers.")).toBeDefined();
  expect(screen.queryByText('It does not work')).toBeNull();
  expect(asked).toEqual(['certificateAuthority']);
});

it('does not call a provider that is not set up one that does not work', async () => {
  const { gateway, router } = await openConsole({ path: '/nodes', environment: {} });
  gateway.world.setUnavailable([{ feature: 'visitorSignIn', reason: 'None.', fix: 'Do it.', chosen: true }]);
  await router.navigate({ to: '/settings/$group', params: { group: 'sign-in' } });
  gateway.world.setTest(async () => ({ works: false, text: 'Enter one under Settings in the console, or set it.' }));
  await press('Test the provider');
  const said = (await screen.findByText('Not set up')).parentElement?.textContent;
  expect(said).toContain('Enter one here, or set it.');
  expect(screen.queryByText('It does not work')).toBeNull();
});

it('changes how the console looks at once, and keeps it in the browser', async () => {
  await openConsole({ path: '/settings/appearance' });
  fireEvent.change(await screen.findByLabelText('Theme'), { target: { value: 'dark' } });
  expect(localStorage.getItem('color-scheme')).toBe('dark');
  fireEvent.click(screen.getByLabelText('Wide sidebar'));
  expect(localStorage.getItem('sidebar')).toBe('expanded');
  fireEvent.change(screen.getByLabelText('Theme'), { target: { value: 'auto' } });
  fireEvent.click(screen.getByLabelText('Wide sidebar'));
  expect(localStorage.getItem('sidebar')).toBe('collapsed');
});

it('says which version this is', async () => {
  const { connection } = await openConsole({ path: '/settings/about' });
  const { info } = (await connection.client.system.openapi({})) as { info: { version: string } };
  expect(await (await card('About')).findByText(info.version)).toBeDefined();
  const copied = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue();
  await press('Copy diagnostics');
  expect(copied.mock.calls[0]?.[0]).toMatch(/^Sallyport .+\n.+\n(?:[^\n]+: (?:on|off|unavailable)(?:\n|$))+$/);
});
