import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { choose, dialog, openConsole, press, type } from '../../testing/openConsole.tsx';

// Addresses that are pasted, typed or shown as a whole in the forms of services and domains.

const HTTP = 'Expose HTTP Service on Node';
const TCP = 'Expose TCP Service on Node';
const input = (label: RegExp) => screen.getByLabelText<HTMLInputElement>(label);
const values = (...labels: RegExp[]) => labels.map((label) => input(label).value);
const paste = (label: RegExp, text: string) =>
  fireEvent.paste(input(label), { clipboardData: { getData: () => text } });
const summary = () => screen.getByRole('status', { name: 'Summary' }).textContent;

async function openForm(action: 'Expose HTTP' | 'Expose TCP', node = 'Local') {
  const opened = await openConsole({ path: '/nodes' });
  await choose(node, action);
  await dialog(action === 'Expose HTTP' ? HTTP : TCP);
  await waitFor(() => expect(document.activeElement).toBe(input(/^Service Name/)));
  return opened;
}

it('splits the addresses that are pasted, sums up what comes of them, and publishes that', async () => {
  const { connection } = await openForm('Expose HTTP');
  await type(/^Service Name/, 'Shop');
  expect(input(/^Backend Host/).value).toBe('127.0.0.1');
  expect(paste(/^Public Domain/, 'https://ada:secret@shop.example.test:8443/x?token=secret')).toBe(false);
  expect(values(/^Public Domain/, /^Public HTTP Path/)).toEqual(['shop.example.test', '/x']);
  const told = screen.getByText(/^Split from/);
  expect(told.textContent).toBe(
    'Split from https://shop.example.test:8443/x. Left out: the port (the gateway has its own), the user name and the password, what follows the ?. Undo',
  );
  paste(/^Backend Host/, 'https://10.0.0.5/admin');
  expect(values(/^Backend Protocol/, /^Backend Host/, /^Backend Port/)).toEqual(['https', '10.0.0.5', '443']);
  expect(screen.getByText(/the path \(the backend gets the one that visitors ask for\)/)).toBeDefined();
  paste(/^Backend Host/, 'http://127.0.0.1:8000');
  expect(values(/^Backend Protocol/, /^Backend Host/, /^Backend Port/)).toEqual(['http', '127.0.0.1', '8000']);
  await waitFor(() =>
    expect(summary()).toBe('https://shop.example.test/x → http://127.0.0.1:8000 on Local, open to everyone'),
  );
  await press('Save');
  await dialog('Your Service is Now Publicly Available');
  const { data } = await connection.client.httpService.list({ params: { nodeId: 1 }, query: {} });
  expect(data.find(({ name }) => name === 'Shop')).toMatchObject({
    domain: 'shop.example.test',
    pathLocation: '/x',
    backendProto: 'http',
    backendHost: '127.0.0.1',
    backendPort: 8000,
  });
});

it('takes a split back, by the button and by the key, until a part was changed by hand', async () => {
  await openForm('Expose HTTP');
  const backend = () => values(/^Backend Protocol/, /^Backend Host/, /^Backend Port/);
  const before = ['http', '127.0.0.1', '80'];
  paste(/^Backend Host/, 'https://nas.lan:5001');
  expect(backend()).toEqual(['https', 'nas.lan', '5001']);
  await press('Undo');
  expect(backend()).toEqual(before);
  await waitFor(() => expect(document.activeElement).toBe(input(/^Backend Host/)));

  paste(/^Backend Host/, 'https://nas.lan:5001');
  await screen.findByText(/^Split from/);
  fireEvent.keyDown(input(/^Backend Host/), { key: 'z', ctrlKey: true });
  expect(backend()).toEqual(before);

  paste(/^Backend Host/, 'https://nas.lan:5001');
  await screen.findByText(/^Split from/);
  await type(/^Backend Port/, '5002');
  await waitFor(() => expect(screen.queryByText(/^Split from/)).toBeNull());
  fireEvent.keyDown(input(/^Backend Port/), { key: 'z', ctrlKey: true });
  expect(backend()).toEqual(['https', 'nas.lan', '5002']);
});

it('splits what is typed once the field is left, and leaves alone what was put back', async () => {
  await openForm('Expose HTTP');
  const field = input(/^Public Domain/);
  fireEvent.change(field, { target: { value: 'https://shop.example.test/x' } });
  expect(field.value).toBe('https://shop.example.test/x');
  fireEvent.blur(field);
  expect(values(/^Public Domain/, /^Public HTTP Path/)).toEqual(['shop.example.test', '/x']);
  await press('Undo');
  fireEvent.blur(field);
  expect(values(/^Public Domain/, /^Public HTTP Path/)).toEqual(['https://shop.example.test/x', '/']);
});

it('leaves alone what is no address, or none of a web server', async () => {
  await openForm('Expose HTTP');
  expect(paste(/^Public Domain/, 'shop.example.test')).toBe(true);
  expect(paste(/^Backend Host/, 'ftp://10.0.0.5')).toBe(true);
  expect(paste(/^Backend Host/, 'http://10.0.0.5:99999')).toBe(true);
  expect(values(/^Public Domain/, /^Backend Host/, /^Backend Port/)).toEqual(['', '127.0.0.1', '80']);
});

it('leaves the backend of a plain node to the node', async () => {
  await openForm('Expose HTTP', 'edge');
  expect(paste(/^Backend Port/, 'http://10.0.0.5:8000')).toBe(true);
  expect(values(/^Backend Host/, /^Backend Port/)).toEqual(['', '80']);
});

it('splits the addresses of a port', async () => {
  await openForm('Expose TCP');
  paste(/^Public Domain/, 'tcp://dns.example.test:20005/x');
  expect(values(/^Public Domain/, /^Public Port/)).toEqual(['dns.example.test', '20005']);
  paste(/^Backend Host/, 'udp://[2001:db8::1]:53');
  expect(values(/^Backend Protocol/, /^Backend Host/, /^Backend Port/)).toEqual(['udp', '2001:db8::1', '53']);
  paste(/^Backend Host/, 'mqtt.lan:1884');
  expect(values(/^Backend Protocol/, /^Backend Host/, /^Backend Port/)).toEqual(['udp', 'mqtt.lan', '1884']);
  await waitFor(() =>
    expect(summary()).toMatch(/^udp:\/\/dns\.example\.test:20005 → udp:\/\/mqtt\.lan:1884 on Local, /),
  );
});

it('takes an international domain, and shows how DNS has it', async () => {
  const { connection } = await openForm('Expose HTTP');
  await type(/^Service Name/, 'Bücher');
  await type(/^Backend Port/, '8080');
  await type(/^Public Domain/, 'Bücher.example');
  await screen.findByText('Bücher.example is xn--bcher-kva.example in DNS.');
  await press('Save');
  await dialog('Your Service is Now Publicly Available');
  const { data } = await connection.client.domain.list({ query: {} });
  expect(data.map(({ domain }) => domain)).toContain('xn--bcher-kva.example');
});

it('adds a domain from an address, also an international one', async () => {
  await openConsole({ path: '/domains' });
  await press('Add Domain');
  const form = await dialog('Domain & SSL Settings');
  paste(/^Domain\*?$/, 'https://bücher.example:8443/x');
  expect(input(/^Domain\*?$/).value).toBe('xn--bcher-kva.example');
  expect(within(form).getByText(/^Split from/).textContent).toContain('Left out: the port (the gateway has its own)');
  await type(/^Domain\*?$/, 'müller.example');
  expect(within(form).getByText('müller.example is xn--mller-kva.example in DNS.')).toBeDefined();
});

it('begins with an example of the networks behind a gateway', async () => {
  await openForm('Expose HTTP', 'site');
  expect([input(/^Backend Host/).value, input(/^Backend Host/).placeholder]).toEqual([
    '',
    expect.stringMatching(/\.10$/),
  ]);
});

it('groups the fields, and unfolds those that hold an error', async () => {
  await openForm('Expose HTTP');
  const form = within(await dialog(HTTP));
  for (const name of ['Visitors', 'Backend', 'Access']) expect(form.getByRole('group', { name })).toBeDefined();
  const folded = () => form.getByText('Limits and details').closest('details');
  expect(folded()?.open).toBe(false);
  expect(folded()?.querySelector('summary')?.textContent).toBe('Limits and detailsno limit · no tags');
  await type('Time to Live', 'other');
  await press('Save');
  await waitFor(() => expect(folded()?.open).toBe(true));
});
