import { expect, it } from 'vitest';
import { endpointOf } from './tunnelText.ts';

const URL_OF_GATEWAY = 'https://gateway.example.test:9443';
const chosen = async (host: string, { url = URL_OF_GATEWAY, present = null as string | null, known = true } = {}) =>
  (
    await endpointOf({
      endpoint: { url: `${host}:51820`, host, port: '51820' },
      url,
      present,
      resolves: () => Promise.resolve(known),
    })
  ).host;

it.each(['debian', 'localhost', '127.0.1.1', '::1', '0.0.0.0'])(
  'leads to the host of the address instead of %s',
  async (host) => expect(await chosen(host)).toBe('gateway.example.test'),
);

it('leads to the host of the address where the name has no address', async () => {
  expect(await chosen('vpn.example.test', { known: false })).toBe('gateway.example.test');
  expect(await chosen('debian', { url: 'https://[2001:db8::7]:9443' })).toBe('2001:db8::7');
});

it.each(['vpn.example.test', '203.0.113.7', '2001:db8::7'])('leads to %s as the gateway says', async (host) => {
  expect(await chosen(host)).toBe(host);
});

it('is not led elsewhere by a name server that is away for a moment', async () => {
  const present = '[Peer]\nEndpoint = vpn.example.test:51820\n';
  expect(await chosen('vpn.example.test', { known: false, present })).toBe('vpn.example.test');
});

it.each(['http://127.0.0.1:3000', 'http://localhost:3000', 'http://[::1]:3000'])(
  'is not guessed from %s, which is this very machine',
  async (url) => expect(await chosen('debian', { url })).toBe('debian'),
);
