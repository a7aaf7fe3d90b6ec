import { describe, expect, it } from 'vitest';
import { testTunnelServer as server } from '../../testing/fakeTunnel.ts';
import { type ClientNode, wireguardClient, wireguardClientText, wireguardFileName } from './wireguardClient.ts';

const KEYS = { privateKey: `${'a'.repeat(43)}=`, presharedKey: `${'b'.repeat(43)}=` };
const NODE: ClientNode = {
  id: 7,
  address: '10.88.0.7',
  dns: null,
  keepalive: 10,
  allowInternet: false,
  isGateway: false,
  gatewayNetworks: null,
};
const GATEWAY = { isGateway: true, gatewayNetworks: [{ interface: 'eth0', subnet: '198.18.7.0/24' }] };

const parts = (node: Partial<ClientNode> = {}, end: Partial<typeof server> = {}) =>
  wireguardClient({ ...NODE, ...node }, KEYS, { ...server, ...end });
const text = (...given: Parameters<typeof parts>) => wireguardClientText(parts(...given), 'wg-quick');

it('is a file that wg-quick reads, without a command where none is needed', () => {
  expect(text()).toBe(`[Interface]
PrivateKey = ${KEYS.privateKey}
Address = 10.88.0.7/32

[Peer]
PublicKey = ${server.publicKey}
PresharedKey = ${KEYS.presharedKey}
AllowedIPs = 10.88.0.0/16
Endpoint = vpn.example.test:51820
PersistentKeepalive = 10
`);
});

it('sends everything through the tunnel when it is to', () => {
  expect(text({ allowInternet: true })).toContain('\nAllowedIPs = 0.0.0.0/0, ::/0\n');
  expect(parts({ allowInternet: true }).peer.allowedIPs).toEqual(['0.0.0.0/0', '::/0']);
});

it('writes an IPv6 endpoint in brackets, and the size of packets that the gateway wants', () => {
  const lines = text({}, { host: '2001:db8::1', mtu: 1380 });
  expect(lines).toContain('\nEndpoint = [2001:db8::1]:51820\n');
  expect(lines).toContain('\nMTU = 1380\n');
  expect(parts({}, { host: '2001:db8::1' }).peer.endpoint).toEqual({
    url: '[2001:db8::1]:51820',
    host: '2001:db8::1',
    port: '51820',
  });
});

describe('DNS servers', () => {
  it('never keep the tunnel from coming up', () => {
    const lines = text({ dns: '192.0.2.53, 2001:db8::53 192.0.2.54' });
    expect(lines).not.toMatch(/^DNS/m);
    expect(lines).toMatch(/^PostUp = .*echo nameserver 192\.0\.2\.53; echo nameserver 2001:db8::53; .*\|\| echo/m);
    expect(lines).toMatch(/^PostDown = .*resolvconf -d %i/m);
  });

  it('are plainly named for an app, which takes no commands', () => {
    const lines = wireguardClientText(parts({ dns: '192.0.2.53,192.0.2.54', ...GATEWAY }), 'app');
    expect(lines).toContain('\nDNS = 192.0.2.53, 192.0.2.54\n');
    expect(lines).not.toMatch(/Post(?:Up|Down)/);
  });
});

describe('a gateway', () => {
  it('hands on to its subnets alone, by either firewall, and takes back all of it', () => {
    const { postUp, postDown } = parts(GATEWAY);
    const up = postUp.join('\n');
    expect(up).toContain('echo 1 > $F');
    expect(up).toContain('-i eth0 ! -o %i -m conntrack ! --ctstate ESTABLISHED,RELATED,DNAT -j DROP');
    expect(up).toContain('-i %i -o eth0 -s 10.88.0.0/16 -d 198.18.7.0/24 -j ACCEPT');
    expect(up).toContain('iifname ${Q}%i${Q} oifname ${Q}eth0${Q} ip saddr 10.88.0.0/16 ip daddr 198.18.7.0/24 accept');
    expect(postDown.join()).toContain('iptables -w -X $C');
    expect(postDown.join()).toContain('nft delete table ip $T');
  });

  it('has nothing that JSON would write another way', () => {
    expect(text({ dns: '192.0.2.53', allowInternet: true, ...GATEWAY })).toMatch(/^[\n !#-[\]-~]*$/);
  });

  it('begins no comment: wg-quick cuts each line there', () => {
    expect(text({ dns: '192.0.2.53', ...GATEWAY })).not.toContain('#');
  });
});

// The contract lets none of these in. They stand for a row that was written by hand, or by a version with a mistake.
describe('a damaged row', () => {
  const EVIL = [
    'all',
    'default',
    'lo',
    'eth0; reboot',
    'eth0\nPostUp = reboot',
    '$(reboot)',
    '`reboot`',
    "x'",
    'x"',
    '',
    '../x',
    'x'.repeat(16),
  ];

  it.each(EVIL)('does not reach a command as an interface: %j', (name) => {
    const networks = [{ interface: name, subnet: '198.18.7.0/24' }];
    expect(() => parts({ isGateway: true, gatewayNetworks: networks })).toThrow(/is not a valid name of an interface/);
  });

  it.each([...EVIL, '198.18.7.0', '198.18.7.0/33', '198.18.7.256/24', '198.18.7.0/24;x', '2001:db8::/32'])(
    'does not reach a command as a subnet: %j',
    (subnet) => {
      const networks = [{ interface: 'eth0', subnet }];
      expect(() => parts({ isGateway: true, gatewayNetworks: networks })).toThrow(/is not a valid IPv4 network/);
    },
  );

  it.each(EVIL.filter((value) => value !== ''))('does not reach a command as a DNS server: %j', (dns) => {
    expect(text({ dns: `${dns}, 192.0.2.53` })).toBe(text({ dns: '192.0.2.53' }));
  });

  it.each(['10.88.0.7\nPostUp = reboot', 'x', '10.88.0.999'])(
    'does not reach the text as an address: %j',
    (address) => {
      expect(() => parts({ address })).toThrow(/is not a valid IPv4 address/);
    },
  );

  it('does not tell a key that is wrong', () => {
    expect(() => wireguardClient(NODE, { ...KEYS, privateKey: 'hunter2' }, server)).toThrow(
      /^A stored key is damaged\. (?!.*hunter2)/,
    );
  });
});

it('has a name that wg-quick takes, whatever the id', () => {
  for (const id of [1, 42, 999_999_999_999]) {
    expect(wireguardFileName(id)).toMatch(/^[a-zA-Z0-9_=+.-]{1,15}\.conf$/);
  }
});
