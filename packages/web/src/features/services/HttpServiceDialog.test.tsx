import { httpServiceAttributes } from '@sallyport/sdk/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, openConsole, press, type } from '../../testing/openConsole.tsx';

const TITLE = 'Expose HTTP Service on Node';
const input = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label);

it('exposes a service, then shows where it is reached and that its domain is new', async () => {
  const { requests } = await openConsole({ path: '/nodes' });
  await choose('Local', 'Expose HTTP');
  await dialog(TITLE);
  expect(input(/^Node Name/).value).toBe('Local');
  expect([input(/^Public HTTP Path/).value, input(/^Backend Protocol/).value, input(/^Backend Port/).value]).toEqual([
    '/',
    'http',
    '80',
  ]);
  await type(/^Service Name/, 'Grafana');
  await type(/^Public Domain/, 'Grafana.example.test');
  await type(/^Backend Host/, '127.0.0.1');
  await type(/^Backend Port/, '3001');
  await press('Add Allowed IP');
  await type('Allowed IP 1', '203.0.113.0/24');
  await press('Save');
  const info = within(await dialog('Your Service is Now Publicly Available'));
  expect(info.getByRole('link', { name: 'https://grafana.example.test/' })).toBeDefined();
  expect(info.getByText('http://127.0.0.1:3001')).toBeDefined();
  expect(info.getByText('203.0.113.0/24')).toBeDefined();
  expect(info.getByText(/^The domain grafana.example.test was added/)).toBeDefined();
  expect(requests).toContain('POST /api/services/1/http');
});

it('changes a service with PATCH, keeping what was not touched', async () => {
  const { requests, ids, connection } = await openConsole({ path: '/nodes/1' });
  await choose('App', 'Edit Service');
  await dialog(TITLE);
  expect(input(/^Public Domain/).value).toBe('app.example.test');
  await type(/^Backend Port/, '8081');
  await press('Save');
  await dialog('Your Service is Now Publicly Available');
  expect(requests).toContain(`PATCH /api/services/1/http/${ids.appId}`);
  const saved = await connection.client.httpService.get({ params: { nodeId: 1, id: ids.appId } });
  expect(saved).toMatchObject({ name: 'App', domain: 'app.example.test', backendHost: '127.0.0.1', backendPort: 8081 });
});

it('asks for the backend host of a gateway, and takes none for a plain node', async () => {
  const { requests } = await openConsole({ path: '/nodes' });
  await choose('site', 'Expose HTTP');
  await dialog(TITLE);
  await type(/^Service Name/, 'Printer');
  await press('Save');
  const host = input(/^Backend Host/);
  await waitFor(() => expect(host.getAttribute('aria-invalid')).toBe('true'));
  expect(requests.filter((request) => request.startsWith('POST /api/services'))).toEqual([]);
  fireEvent.keyDown(host, { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());

  await choose('edge', 'Expose HTTP');
  await dialog(TITLE);
  expect(input(/^Backend Host/).disabled).toBe(true);
});

it('shows each problem next to its field', async () => {
  await openConsole({ path: '/nodes' });
  await choose('edge', 'Expose HTTP');
  await dialog(TITLE);
  await type(/^Public HTTP Path/, 'no slash');
  await type(/^Backend Port/, '70000');
  await type(/^Public Domain/, 'not a domain');
  await press('Add Blocked IP');
  await type('Blocked IP 1', 'nowhere');
  await press('Save');
  await screen.findByText('This field is not allowed to be empty');
  const messageOf = (label: RegExp | string) => {
    const field = screen.getByLabelText(label);
    expect(field.getAttribute('aria-invalid')).toBe('true');
    return document.getElementById(field.getAttribute('aria-describedby')?.split(' ')[0] ?? '')?.textContent;
  };
  expect(messageOf(/^Public HTTP Path/)).toMatch(/^Path Location must be an absolute URL path/);
  expect(messageOf(/^Backend Port/)).toBe('"backendPort" must be a valid port');
  expect(messageOf(/^Public Domain/)).toBe('This field must contain a valid domain name');
  expect(messageOf('Blocked IP 1')).toBe('"blockedIps[0]" must be a valid ip address with a optional CIDR');
});

it("suggests the gateway's domains as the server finds them", async () => {
  const { requests } = await openConsole({ path: '/nodes' });
  await choose('edge', 'Expose HTTP');
  await dialog(TITLE);
  const field = input(/^Public Domain/);
  field.focus();
  fireEvent.change(field, { target: { value: 'app' } });
  fireEvent.keyDown(field, { key: 'ArrowDown' });
  const option = await screen.findByRole('option', { name: /app\.example\.test/ });
  expect(requests.some((request) => request.startsWith('GET /api/domains?') && request.includes('search=app'))).toBe(
    true,
  );
  fireEvent.click(option);
  await waitFor(() => expect(field.value).toBe('app.example.test'));
});

it('warns that the domain has no authentication, and says so of a domain that it does not know', async () => {
  await openConsole({ path: '/nodes' });
  await choose('edge', 'Expose HTTP');
  await dialog(TITLE);
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
  await dialog(TITLE);
  for (const label of [/^Public HTTP Path/, /^Backend Protocol/, /^Backend Host/, /^Backend Port/]) {
    expect(input(label).disabled).toBe(true);
  }
  // It never closes by itself.
  expect(screen.queryByLabelText('Time to Live')).toBeNull();
  await type(/^Public Domain/, 'console.example.test');
  await press('Save');
  await dialog('Your Service is Now Publicly Available');
});

it('has a control for everything that the contract lets an administrator say', async () => {
  const { ids, connection } = await openConsole({ path: '/nodes/1' });
  const lists = { allowedIps: ['203.0.113.1'], blockedIps: ['203.0.113.2'] };
  await connection.client.httpService.update({ params: { nodeId: 1, id: ids.appId }, body: lists });
  await choose('App', 'Edit Service');
  const form = await dialog(TITLE);
  fireEvent.click(screen.getByLabelText(/^Require Authentication/));
  const names = [...form.querySelectorAll('[name]')].map((control) => control.getAttribute('name')?.split('.')[0]);
  expect(new Set(names)).toEqual(new Set([...Object.keys(httpServiceAttributes), 'ttl']));
});

const ttlOf = async ({ connection, ids }: Awaited<ReturnType<typeof openConsole>>) => {
  const { expiresAt } = await connection.client.httpService.get({ params: { nodeId: 1, id: ids.appId } });
  return expiresAt;
};
const save = async () => {
  await press('Save');
  fireEvent.keyDown(await dialog('Your Service is Now Publicly Available'), { key: 'Escape' });
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
};
const hours = (iso: string | null, from: Date) => Math.round((Date.parse(iso ?? '') - from.getTime()) / 3_600_000);

it('sets how long the service stays open, leaves it alone, and takes it back', async () => {
  const open = await openConsole({ path: '/nodes/1' });
  const edit = async () => {
    await choose('App', 'Edit Service');
    await dialog(TITLE);
    return screen.getByLabelText<HTMLSelectElement>('Time to Live');
  };
  const options = (field: HTMLSelectElement) => [...field.options].map(({ text }) => text);
  expect(options(await edit())).toEqual(['No limit', '1 hour', '8 hours', '1 day', '7 days', 'Another time']);
  await type('Time to Live', '8h');
  await save();
  const set = await ttlOf(open);
  expect(hours(set, open.gateway.clock.now())).toBe(8);

  const field = await edit();
  expect(field.selectedOptions[0]?.text).toMatch(/^As it is: closes /);
  await type(/^Backend Port/, '8081');
  await save();
  expect(await ttlOf(open)).toBe(set);

  await edit();
  await type('Time to Live', 'other');
  await press('Save');
  await screen.findByText('TTL must be a string like "30s", "10m", "2h", "1d"');
  await type(/^How Long/, '90m');
  await save();
  expect(hours(await ttlOf(open), open.gateway.clock.now())).toBe(2);

  await edit();
  await type('Time to Live', '');
  await save();
  expect(await ttlOf(open)).toBeNull();
});

it('does not overwrite what somebody else has changed meanwhile, and says what to do', async () => {
  const { connection, ids } = await openConsole({ path: '/nodes/1' });
  await choose('App', 'Edit Service');
  await dialog(TITLE);
  const params = { nodeId: 1, id: ids.appId };
  await connection.client.httpService.update({ params, body: { backendPort: 9000 } });
  await type(/^Service Name/, 'Mine');
  await press('Save');
  await screen.findByText('Someone else changed this while the form was open');
  expect(await connection.client.httpService.get({ params })).toMatchObject({ name: 'App', backendPort: 9000 });
  await press('Cancel');
  await choose('App', 'Edit Service');
  await dialog(TITLE);
  expect(input(/^Backend Port/).value).toBe('9000');
  await type(/^Service Name/, 'Mine');
  await save();
});

it('takes a path without a domain and a domain without a path, but not neither', async () => {
  const { connection } = await openConsole({ path: '/nodes/1' });
  await press('Add Service to HTTP Services');
  await dialog(TITLE);
  await type(/^Service Name/, 'Bare');
  await type(/^Backend Host/, '127.0.0.1');
  // 80 would be the gateway's own.
  await type(/^Backend Port/, '8080');
  await type(/^Public HTTP Path/, '');
  await press('Save');
  await screen.findByText('"value" must contain at least one of [domain, pathLocation]');
  await type(/^Public HTTP Path/, '/bare');
  await save();
  const { data } = await connection.client.httpService.list({ params: { nodeId: 1 }, query: {} });
  expect(data.find(({ name }) => name === 'Bare')).toMatchObject({ domain: null, pathLocation: '/bare' });
});

it('shows that it saves, and has no way out meanwhile', async () => {
  const { answer, gateway } = await openConsole({ path: '/nodes/1' });
  const { promise, resolve } = Promise.withResolvers<void>();
  await choose('App', 'Edit Service');
  const form = await dialog(TITLE);
  answer(
    `PATCH /api/services/1/http/${String((await gateway.store.httpServices.all({ name: 'App' }))[0]?.id)}`,
    async (request) => {
      await promise;
      return await gateway.fetch(request);
    },
  );
  await press('Save');
  const button = (name: string) => within(form).getByRole<HTMLButtonElement>('button', { name });
  await waitFor(() => expect(button('Save').getAttribute('aria-busy')).toBe('true'));
  expect([button('Cancel').disabled, button('Close').disabled]).toEqual([true, true]);
  fireEvent.keyDown(form, { key: 'Escape' });
  expect(screen.getByRole('dialog', { name: TITLE })).toBe(form);
  resolve();
  await dialog('Your Service is Now Publicly Available');
});
