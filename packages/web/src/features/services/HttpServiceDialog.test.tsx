import { httpServiceAttributes } from '@sallyport/sdk/contract';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, press, type } from '../../testing/gestures.ts';
import { openConsole } from '../../testing/openConsole.tsx';

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

it('shows each problem beside its field', async () => {
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
  const option = await screen.findByRole('option', { name: /app\.example\.test/ }, { timeout: 3000 });
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
  await screen.findByText('Authentication is not enabled for this domain', {}, { timeout: 3000 });
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
  expect(new Set(names)).toEqual(new Set(Object.keys(httpServiceAttributes)));
});
