import { expect, it } from 'vitest';
import { nameServersIn, routesIn } from './networks.ts';
import { subnetOf } from './networks.ts';

it('reads the routes of all tables and devices but the tunnel, with their routers', () => {
  const text = JSON.stringify([
    { dst: 'default', gateway: '198.18.0.254', dev: 'eth0', flags: [] },
    { dst: '10.50.0.0/16', gateway: '198.18.0.254', dev: 'eth0' },
    { dst: '10.61.0.0/16', dev: 'tailscale0', table: '52' },
    { dst: '10.62.0.0/16', nexthops: [{ gateway: '198.18.0.7', dev: 'eth1' }] },
    { type: 'local', dst: '10.60.0.5', dev: 'tun0', table: 'local' },
    { dst: '10.88.0.0/16', dev: 'sallyport' },
    { type: 'blackhole', dst: '10.70.0.0/16' },
  ]);
  expect(routesIn(text, 'sallyport').map(({ network, use }) => `${network} ${use}`)).toEqual([
    '198.18.0.254 the router at eth0',
    '10.50.0.0/16 a network that it reaches by eth0',
    '198.18.0.254 the router at eth0',
    '10.61.0.0/16 a network that it reaches by tailscale0',
    '10.62.0.0/16 a network that it reaches by eth1',
    '198.18.0.7 the router at eth1',
    '10.60.0.5 a network that it reaches by tun0',
  ]);
});

it('reads the DNS servers of a resolv.conf that are not on this host', () => {
  const text =
    '# by systemd\nnameserver 127.0.0.53\nnameserver 172.20.0.2\n nameserver\tfd00::53\nnameserver ::1\nsearch lan\n';
  expect(nameServersIn(text)).toEqual(['172.20.0.2', 'fd00::53']);
});

it.each([
  ['192.0.2.7/24', '192.0.2.0/24'],
  ['198.51.100.200/26', '198.51.100.192/26'],
  ['203.0.113.9/32', '203.0.113.9/32'],
  ['198.18.77.1/15', '198.18.0.0/15'],
])('%s is in %s', (address, network) => expect(subnetOf(address)).toBe(network));
