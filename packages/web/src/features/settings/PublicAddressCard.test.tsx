import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { openConsole, press } from '../../testing/openConsole.tsx';

const openCard = async () => {
  const console = await openConsole({ path: '/nodes' });
  console.gateway.world.setPublicAddress({
    report: async ({ host }) => ({ warnings: [`${host} is doubtful.`], facts: ['It was not tried from outside.'] }),
    candidates: async () => [{ host: '203.0.113.9', what: 'the address of eth0' }],
  });
  const open = async () => {
    fireEvent.click(await screen.findByRole('link', { name: 'Settings' }));
    return within(await screen.findByRole('region', { name: 'Public Address' }));
  };
  return { ...console, open };
};

const field = () => screen.findByRole<HTMLInputElement>('combobox', { name: /^Another address/ });
const enter = async (value: string) => fireEvent.change(await field(), { target: { value } });

it('shows the public address, what speaks against it and what is known, and suggests others', async () => {
  const { connection, open } = await openCard();
  const { VPN_HOST: host } = await connection.client.system.config({});
  const card = await open();
  expect(await card.findByText(`${host} is doubtful.`)).toBeDefined();
  expect(card.getByText(host)).toBeDefined();
  expect(card.getByText('It was not tried from outside.')).toBeDefined();
  expect(card.getByText('The first start, or this page')).toBeDefined();
  expect(card.getByText('Never')).toBeDefined();
  // The list is fetched when the field is entered.
  fireEvent.focus(await field());
  fireEvent.keyDown(await field(), { key: 'ArrowDown' });
  expect(
    await screen.findByRole('option', { name: /203\.0\.113\.9.*the address of eth0/ }, { timeout: 20_000 }),
  ).toBeDefined();
});

it('keeps another one for the next start, and says how that is made', async () => {
  const { gateway, open } = await openCard();
  const card = await open();
  await enter('http://gw.example.com');
  await press('Change Address');
  expect(await card.findByText(/^Enter a host name or an IP address/)).toBeDefined();
  await enter('gw.example.com');
  await press('Change Address');
  expect(await card.findByText('From the next start on it is gw.example.com')).toBeDefined();
  expect(card.getByText('gw.example.com is doubtful.')).toBeDefined();
  const command = card.getByRole('region', { name: 'Command that starts it again' });
  expect(command.textContent).toContain('sudo systemctl reload sallyport-gateway');
  expect(await gateway.store.settings.get('publicAddress')).toBe('gw.example.com');
  await waitFor(async () => expect((await field()).value).toBe(''));
  expect(gateway.errors).toEqual([]);
});

it('tells instead that the environment says it', async () => {
  const { answer, open } = await openCard();
  const address = {
    host: 'gw.example.com',
    source: 'environment',
    next: null,
    problem: 'It is set elsewhere.',
    warnings: [],
    facts: [],
    lastHandshakeAt: null,
    candidates: [],
  };
  answer('GET /api/public-address', () => Response.json(address));
  const card = await open();
  expect(await card.findByText('It is set elsewhere.')).toBeDefined();
  expect(card.getByText('SALLYPORT_VPN_HOST')).toBeDefined();
  expect(card.queryByRole('combobox')).toBeNull();
});
