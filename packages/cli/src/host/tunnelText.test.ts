import { describe, expect, it } from 'vitest';
import { endpointOf, type TunnelParts, tunnelText } from './tunnelText.ts';

const KEY = 'c2FsbHlwb3J0LWdhdGV3YXktcHVibGljLWtleS0zMmI=';

const parts = (change: Partial<TunnelParts['wg']> = {}, node: Partial<TunnelParts['node']> = {}): TunnelParts => ({
  interface: 'sallyport',
  hasIptables: false,
  allowDns: true,
  node: { isGateway: false, gatewayNetworks: null, ...node },
  wg: {
    privateKey: KEY,
    address: '10.88.0.2/32',
    postUp: ['touch /tmp/owned'],
    postDown: [],
    peer: {
      publicKey: KEY,
      preSharedKey: KEY,
      allowedIPs: '10.88.0.0/16',
      persistentKeepalive: 10,
      endpoint: { url: 'vpn.example.test:51820', host: 'vpn.example.test', port: '51820' },
    },
    ...change,
  },
});

describe("the tunnel's file", () => {
  it('holds what the gateway says, and none of its commands', () => {
    expect(tunnelText(parts())).toBe(`# Written by sallyport; the next connection writes it anew.
[Interface]
PrivateKey = ${KEY}
Address = 10.88.0.2/32

[Peer]
PublicKey = ${KEY}
PresharedKey = ${KEY}
AllowedIPs = 10.88.0.0/16
PersistentKeepalive = 10
Endpoint = vpn.example.test:51820
`);
  });

  it('routes everything through the gateway when the node is to', () => {
    const { peer } = parts().wg;
    const text = tunnelText(parts({ peer: { ...peer, allowedIPs: ['0.0.0.0/0', '::/0'] } }));
    expect(text).toContain('AllowedIPs = 0.0.0.0/0, ::/0\n');
  });

  it('sets DNS servers without letting a host that lacks resolvconf lose its tunnel', () => {
    const text = tunnelText(parts({ dns: '192.0.2.53, 2001:db8::53' }));
    expect(text).not.toMatch(/^DNS/m);
    expect(text).toMatch(
      /^PostUp = if command -v resolvconf .*nameserver 192\.0\.2\.53\\nnameserver 2001:db8::53\\n.*\|\| true$/m,
    );
  });

  it('forwards to the subnets of a gateway, and nowhere else', () => {
    const network = { interface: 'eth1', subnet: '192.0.2.0/24' };
    const text = tunnelText(parts({}, { isGateway: true, gatewayNetworks: [network] }));
    // What it turns on is IPv4's; a bridge hands frames on within itself.
    expect(text).toMatch(
      /^PostUp = .*meta nfproto ipv4 iifname "eth1"'"\$\(\[ ! -d .*eth1\/bridge \] \|\| echo ' oifname != "eth1"'\)"' drop' && echo 1 > .*conf\/eth1\/forwarding; fi$/m,
    );
    expect(text).toContain('iifname "sallyport" oifname "eth1" ip daddr 192.0.2.0/24 meta mark set 0x5a11 accept;');
    expect(text).toContain('iifname "sallyport" drop;');
    expect(text).toMatch(/^PostDown = nft delete table inet sallyport_sallyport/m);
    const withIptables = { ...parts({}, { isGateway: true, gatewayNetworks: [network] }), hasIptables: true };
    expect(tunnelText(withIptables)).toContain('iptables -w -I FORWARD -i sallyport -o eth1 -d 192.0.2.0/24 -j ACCEPT');
  });

  const { peer } = parts().wg;
  it.each<[string, TunnelParts]>([
    ['privateKey', parts({ privateKey: `${KEY}\nPostUp = touch /tmp/owned` })],
    ['address', parts({ address: '10.88.0.2/32\nPostUp = x' })],
    ['dns', parts({ dns: "192.0.2.53'; touch /tmp/owned; '" })],
    ['mtu', parts({ mtu: 1 })],
    ['address', parts({ address: '10.88.0.2/24' })],
    ['allowedIPs', parts({ peer: { ...peer, allowedIPs: ['0.0.0.0/0\nPostUp = x'] } })],
    ['endpoint', parts({ peer: { ...peer, endpoint: { url: '', host: 'a b', port: 1 } } })],
    ['endpoint', parts({ peer: { ...peer, endpoint: { url: '', host: 'a.test', port: '1\nPostUp=x' } } })],
    ...['eth0; x', ' eth0', 'all', 'default', 'lo'].map((name): [string, TunnelParts] => [
      'interface',
      parts({}, { isGateway: true, gatewayNetworks: [{ interface: name, subnet: '192.0.2.0/24' }] }),
    ]),
    ['subnet', parts({}, { isGateway: true, gatewayNetworks: [{ interface: 'eth0', subnet: '192.0.2.0/24; x' }] })],
  ])('refuses a hostile %s', (field, hostile) => {
    expect(() => tunnelText(hostile)).toThrow(`cannot be used: its ${field} is not valid.`);
  });
});

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
