import { expect, it } from 'vitest';
import { isWireguardKey, renderWireguardServer } from './wireguardServer.ts';

const key = (letter: string): string => `${letter.repeat(42)}A=`;
const peer = {
  publicKey: key('b'),
  presharedKey: key('c'),
  allowedIps: ['10.88.0.2/32', '198.19.2.0/24'],
  endpoint: null,
};
const render = (change: object = {}): string =>
  renderWireguardServer({ privateKey: key('a'), port: 51_820, peers: [{ ...peer, ...change }] });

it('writes what wg takes', () => {
  expect(render()).toBe(
    [
      '[Interface]',
      `PrivateKey = ${key('a')}`,
      'ListenPort = 51820',
      '',
      '[Peer]',
      `PublicKey = ${key('b')}`,
      `PresharedKey = ${key('c')}`,
      'AllowedIPs = 10.88.0.2/32, 198.19.2.0/24',
      '',
    ].join('\n'),
  );
});

it('calls a node whose place is known', () => {
  expect(render({ endpoint: '198.51.100.7:40000' })).toMatch(
    /Endpoint = 198\.51\.100\.7:40000\nPersistentKeepalive = 25\n$/,
  );
  expect(render({ endpoint: '[2001:db8::7]:40000' })).toContain('Endpoint = [2001:db8::7]:40000');
});

it.each([
  'example.test:80',
  '[fe80::1%br-lan]:51820',
  '[fe80::1%eth0]:51820',
  '999.1.1.1:80',
  '192.0.2.1:0',
  '1\n[Peer]',
])('waits for a node whose place WireGuard might not take: %s', (endpoint) => {
  expect(render({ endpoint })).toBe(render());
});

it.each([
  { publicKey: `${key('b')}\nEndpoint = 192.0.2.1:1` },
  { presharedKey: 'short' },
  { allowedIps: ['0.0.0.0/0\n[Peer]'] },
])('writes nothing that has another form: %o', (change) => {
  expect(() => render(change)).toThrow(/is damaged/);
});

it('knows a key by its form', () => {
  expect([key('a'), key('a').slice(1), null, `${'a'.repeat(42)}B=`].map(isWireguardKey)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
