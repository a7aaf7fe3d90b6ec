import { domainDefaults } from '@sallyport/sdk/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { queriesOf } from '../../data/queries.ts';
import { choose, dialog, openConsole, openMenu, press, refusal, type } from '../../testing/openConsole.tsx';

const TITLE = 'Domain & SSL Settings';
const select = () => screen.getByLabelText<HTMLSelectElement>('SSL');

it('lists domains with their certificates, and unfolds to the services behind them', async () => {
  const { path, ids } = await openConsole({ path: '/domains' });
  const row = (await screen.findByText('app.example.test')).closest('tr');
  expect(row?.textContent).toContain('Self Signed');
  expect(row?.textContent).toMatch(/\d\d\/\d\d\/\d{4}/);
  await press('Services of app.example.test');
  await screen.findByRole('link', { name: 'https://app.example.test/' });
  expect(screen.queryByText('Wiki')).toBeNull();
  expect(path()).toBe(`/domains?open=${ids.domainId}`);
  await press('Services of app.example.test');
  await waitFor(() => expect(path()).toBe('/domains'));
});

it('offers to skip validation only when the domain is refused, which forces a self-signed certificate', async () => {
  const { gateway } = await openConsole({ path: '/domains' });
  gateway.system.nameServers.answer(() => ({}));
  await press('Add Domain');
  await dialog(TITLE);
  expect(screen.queryByLabelText('Skip Domain Validation')).toBeNull();
  await type(/^Domain\*?$/, 'new.example.test');
  await press('Save');
  const skip = await screen.findByLabelText('Skip Domain Validation');
  const field = screen.getByLabelText(/^Domain\*?$/);
  expect(field.getAttribute('aria-invalid')).toBe('true');

  fireEvent.change(select(), { target: { value: 'certbot' } });
  fireEvent.click(skip);
  await waitFor(() => expect(field.getAttribute('aria-invalid')).toBeNull());
  expect([select().value, select().disabled]).toEqual(['self-signed', true]);
  await press('Save');
  await screen.findByText('Domain created successfully!');
  await screen.findByText('new.example.test');
});

it('keeps the choice of a domain that was saved without validation in view', async () => {
  await openConsole({ path: '/domains' });
  await choose('app.example.test', 'Edit Domain');
  const form = within(await dialog(TITLE));
  fireEvent.click(form.getByLabelText('Skip Domain Validation'));
  await waitFor(() => expect(select().disabled).toBe(false));
  expect(form.getByLabelText<HTMLInputElement>('Skip Domain Validation').checked).toBe(false);
});

it('says where a refused name leads, where it should, and which record changes that', async () => {
  const { gateway } = await openConsole({ path: '/domains' });
  gateway.system.nameServers.answer(() => ({ a: ['198.51.100.9'] }));
  await press('Add Domain');
  const form = within(await dialog(TITLE));
  await type(/^Domain\*?$/, 'New.example.test');
  await press('Save');
  await form.findByText(/leads to 198\.51\.100\.9, not to this gateway \(203\.0\.113\.1\)/);
  const record = within(await form.findByRole('region', { name: 'Records for the DNS provider' }));
  expect(['CNAME', 'new.example.test', 'vpn.example.test'].map((text) => record.getByText(text))).toHaveLength(3);
  gateway.system.nameServers.answer(() => ({ a: ['203.0.113.1'] }));
  gateway.clock.advance(2000);
  await press('Check again');
  await screen.findByText('Domain created successfully!');
});

it('says that the name servers did not answer, and shows no record that would change that', async () => {
  const { gateway } = await openConsole({ path: '/domains' });
  gateway.system.nameServers.answer(() => ({ failure: 'ETIMEOUT' }));
  await press('Add Domain');
  const form = within(await dialog(TITLE));
  await type(/^Domain\*?$/, 'new.example.test');
  await press('Save');
  await form.findByText(/did not answer in time\. Try again, or skip the validation\./);
  await form.findByLabelText('Skip Domain Validation');
  expect(form.queryByRole('region', { name: 'Records for the DNS provider' })).toBeNull();
});

it('shows what the DNS says about a new domain, and again when asked', async () => {
  const { gateway } = await openConsole({ path: '/domains' });
  gateway.system.nameServers.answer(() => ({ cnames: ['old.example.test'], a: ['203.0.113.1', '198.51.100.9'] }));
  await press('Add Domain');
  await dialog(TITLE);
  await type(/^Domain\*?$/, 'new.example.test');
  await press('Save');
  const dns = within(await dialog('DNS'));
  await dns.findByText('new.example.test', { selector: 'strong' });
  await dns.findByText(/but also to 198\.51\.100\.9: some visitors end up there/);
  for (const text of ['old.example.test', '203.0.113.1, 198.51.100.9', '192.0.2.53']) dns.getAllByText(text);
  expect(dns.getByRole('button', { name: 'Copy the value of the A record' })).toBeDefined();

  gateway.system.nameServers.answer(() => ({ a: ['203.0.113.1'] }));
  gateway.clock.advance(2000);
  await press('Check again');
  await dns.findByText('The name leads to this gateway.');
  expect(dns.queryByRole('region', { name: 'Records for the DNS provider' })).toBeNull();
  fireEvent.click(dns.getAllByRole('button', { name: 'Close' })[0] ?? document.body);
  const row = within((await screen.findByText('new.example.test')).closest('tr') ?? document.body);
  await row.findByText('Leads here');
});

it('says that it is not known where a domain leads while no name server answers', async () => {
  const { gateway } = await openConsole({ path: '/domains' });
  gateway.clock.advance(2000);
  gateway.system.nameServers.answer(() => ({ failure: 'ETIMEOUT' }));
  await choose('app.example.test', 'DNS');
  expect(await within(await dialog('DNS')).findByText('Not known')).toBeDefined();
});

it('shows in the list where each name led, and how long ago that was', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-21T12:05:00.000Z') });
  try {
    const { gateway, connection, ids } = await openConsole({ path: '/' });
    gateway.clock.advance(2000);
    gateway.system.nameServers.answer(() => ({}));
    await connection.client.domain.dns({ params: { id: ids.domainId } });
    fireEvent.click(await screen.findByRole('link', { name: 'Domain Names' }));
    const row = (await screen.findByText('app.example.test')).closest('tr');
    expect(row?.textContent).toMatch(/Not found.*Checked 4 minutes ago/);
    await press(/^DNS of app\.example\.test: ?Not found$/);
    await within(await dialog('DNS')).findByText(/It should lead to 203\.0\.113\.1\./);
  } finally {
    vi.useRealTimers();
  }
});

it('says why a domain has no certificate yet, and shows by itself when it has', async () => {
  const { gateway } = await openConsole({ path: '/domains' });
  gateway.world.setCertificateIssuer({ available: true });
  gateway.system.issuer.refuse('new.example.test', { kind: 'dns', detail: 'NXDOMAIN' });
  await press('Add Domain');
  await dialog(TITLE);
  await type(/^Domain\*?$/, 'new.example.test');
  fireEvent.change(select(), { target: { value: 'certbot' } });
  await press('Save');
  await screen.findByText('Domain created successfully!');
  const problem = await screen.findByText(/finds no address for new\.example\.test .*lead to this gateway/);
  expect(problem.closest('tr')?.textContent).toContain("Let's Encrypt");
  gateway.system.issuer.refuse('new.example.test', null);
  gateway.clock.advance(60_000);
  await waitFor(() => expect(screen.queryByText(/finds no address/)).toBeNull());
});

it('says calmly that a certificate is on its way, and how long it lasts once it is there', async () => {
  const { gateway, connection } = await openConsole({ path: '/domains' });
  const mine = (await screen.findByText('app.example.test')).closest('tr');
  expect(mine?.textContent).toMatch(/Self Signed, (?:\d+ days? left|expired)/);
  // The date is a hover away.
  expect(mine?.querySelector('time')?.dateTime).toMatch(/^\d{4}-\d\d-\d\dT/);
  gateway.world.setCertificateIssuer({ available: true });
  gateway.system.issuer.hold(true);
  const created = connection.client.domain.create({ body: { domain: 'new.example.test', ssl: 'certbot' } });
  await waitFor(() => expect(gateway.system.issuer.asked('new.example.test')).toBe(1));
  gateway.clock.advance(10_000);
  expect(await created).toMatchObject({ problem: null, certificateEndsAt: null });
  await type('Search domains', 'new');
  const sentence = await screen.findByText(/^Its certificate is being obtained from authority\.test/);
  expect(sentence.className).not.toContain('danger');
  const row = sentence.closest('tr');
  expect(row?.textContent).toMatch(/Let's Encrypt.*On its way/);
  expect(row?.textContent).not.toMatch(/left|expired/);
  gateway.system.issuer.hold(false);
  await waitFor(() => expect(screen.queryByText(/being obtained/)).toBeNull());
  expect(screen.getByText('new.example.test').closest('tr')?.querySelector('time')?.dateTime).toMatch(/^2027-02-19T/);
});

it('starts the allowed e-mails with one empty entry, and clears them again', async () => {
  await openConsole({ path: '/domains' });
  await choose('app.example.test', 'Edit Domain');
  const form = within(await dialog(TITLE));
  fireEvent.click(form.getByLabelText('Enable OAuth2 authentication'));
  expect((await form.findByLabelText<HTMLInputElement>('Allowed e-mail 1')).value).toBe('');
  await press('Save');
  await screen.findByText('This field is not allowed to be empty');
  fireEvent.click(form.getByLabelText('Enable OAuth2 authentication'));
  await waitFor(() => expect(form.queryByLabelText('Allowed e-mail 1')).toBeNull());
  await press('Save');
  await screen.findByText('Domain updated successfully!');
});

it('says which nodes may use a domain, and takes that back', async () => {
  const { connection, gateway, ids } = await openConsole({ path: '/domains' });
  await choose('app.example.test', 'Edit Domain');
  let form = within(await dialog(TITLE));
  expect(form.getByLabelText<HTMLInputElement>('Reserved for administrators').checked).toBe(true);
  await form.findByRole('option', { name: 'edge' });
  expect(form.queryByRole('option', { name: 'Local' })).toBeNull();
  fireEvent.change(form.getByLabelText('Allow a node'), { target: { value: String(ids.edgeId) } });
  await form.findByRole('button', { name: 'Remove edge' });
  fireEvent.click(form.getByLabelText('Reserved for administrators'));
  await press('Save');
  await screen.findByText('Domain updated successfully!');
  const row = () => gateway.store.domains.get(ids.domainId);
  expect(await row()).toMatchObject({ allowedNodes: [ids.edgeId], reserved: false });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(queriesOf(connection).isFetching()).toBe(0));
  await choose('app.example.test', 'Edit Domain');
  form = within(await dialog(TITLE));
  fireEvent.click(await form.findByRole('button', { name: 'Remove edge' }));
  await press('Save');
  await waitFor(async () => expect(await row()).toMatchObject({ allowedNodes: null }));
});

it('deletes a domain after a question', async () => {
  await openConsole({ path: '/domains' });
  await choose('app.example.test', 'Delete Domain');
  const question = await screen.findByRole('alertdialog', { name: 'Delete domain' });
  expect(question.textContent).toContain('Are you sure you want to delete this domain?');
  await within(question).findByText('HTTP: App');
  await press('Yes, delete it!');
  await screen.findByText('Domain deleted successfully!');
  await screen.findByText('No domains yet');
  expect(screen.getByText(/^A domain is a name by which visitors reach services/)).toBeDefined();
});

it('names what goes with a domain before it is deleted, as far as a glance takes it in', async () => {
  const { connection, router } = await openConsole({ path: '/' });
  const at = { domain: 'app.example.test', backendHost: '127.0.0.1', backendPort: 8080 };
  const params = { nodeId: 1 };
  for (const name of 'abcdef') {
    await connection.client.httpService.create({ params, body: { ...at, name, pathLocation: `/${name}` } });
  }
  await connection.client.tcpService.create({ params, body: { ...at, name: 'Broker' } });
  await router.navigate({ to: '/domains' });
  await choose('app.example.test', 'Delete Domain');
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete domain' }));
  await question.findByText('HTTP: App, a, b, c, d and 2 more');
  expect(await question.findByText('TCP: Broker')).toBeTruthy();
});

it('says so when nothing goes with a domain, and that the console stays', async () => {
  const { gateway } = await openConsole({ path: '/domains' });
  const [console] = await gateway.store.httpServices.all({ builtin: true });
  const [app] = await gateway.store.httpServices.all({ domain: 'app.example.test' });
  await gateway.store.write(async (tx) => {
    await tx.httpServices.remove(app?.id ?? 0);
    await tx.httpServices.update(console?.id ?? 0, { domain: 'app.example.test' });
  });
  await choose('app.example.test', 'Delete Domain');
  const question = within(await screen.findByRole('alertdialog', { name: 'Delete domain' }));
  await question.findByText(/no service goes with it/);
  expect(question.queryByRole('list')).toBeNull();
  await question.findByText('The console stays on its own port.');
});

it('shows the columns and offers the actions of a domain', async () => {
  const { path } = await openConsole({ path: '/domains' });
  const link = await screen.findByRole('link', { name: 'app.example.test' });
  expect(link.getAttribute('href')).toBe('https://app.example.test/');
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Domain',
    'SSL Certs',
    'DNS',
    'Created At',
    'Actions',
  ]);
  const items = await openMenu('app.example.test');
  expect(items.map(({ textContent }) => textContent)).toEqual(['Logs Monitor', 'Edit Domain', 'DNS', 'Delete Domain']);
  items[0]?.click();
  await waitFor(() => expect(path()).toBe('/domains/app.example.test/logs'));
});

it('leads to the port at which the gateway serves the domain', async () => {
  const { answer, router, connection } = await openConsole({ path: '/' });
  const page = await connection.client.domain.list({ query: {} });
  const publicAccess = 'https://app.example.test:8443/';
  for (const domain of page.data) domain.publicAccess = publicAccess;
  answer('GET /api/domains', () => Response.json(page));
  await router.navigate({ to: '/domains' });
  const link = await screen.findByRole('link', { name: 'app.example.test' });
  expect(link.getAttribute('href')).toBe(publicAccess);
});

it('reads the list again after a conflict', async () => {
  const { gateway, ids, answer, requests } = await openConsole({ path: '/domains' });
  await screen.findByText('app.example.test');
  answer(`DELETE /api/domains/${ids.domainId}`, async () => {
    await gateway.store.write((tx) =>
      tx.domains.create({ ...domainDefaults, cameWithService: false, domain: 'second.example.test' }),
    );
    return refusal(412, { message: 'It was changed by someone else in the meantime.' });
  });
  requests.length = 0;
  await choose('app.example.test', 'Delete Domain');
  await press(/^Yes/);
  await screen.findByText('second.example.test');
  expect(requests.filter((request) => request.startsWith('GET /api/domains?'))).not.toEqual([]);
});

it('shows an administrator nothing that another one has seen before', async () => {
  const { connection } = await openConsole({ path: '/domains' });
  await screen.findByText('app.example.test');
  const queries = queriesOf(connection);
  expect(queries.getQueryCache().getAll()).not.toEqual([]);
  await connection.session.end('/domains');
  await screen.findByLabelText(/^Username/);
  expect(queries.getQueryCache().getAll()).toEqual([]);
});
