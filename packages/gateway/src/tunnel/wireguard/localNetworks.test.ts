import { expect, it } from 'vitest';
import {
  localRoutes,
  nameServersIn,
  overlapping,
  parseRoutes,
  routersIn,
  usedAddresses,
  vpnNetwork,
} from './localNetworks.ts';
import { networkInterfaces } from 'node:os';
import { StartError } from '../../machine/startError.ts';

const TABLE = [
  'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
  'eth0\t00000000\t0101A8C0\t0003\t0\t0\t100\t00000000\t0\t0\t0',
  'eth0\t0001A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0',
  'docker0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0',
  'eth0\t097100CB\t0101A8C0\t0007\t0\t0\t0\tFFFFFFFF\t0\t0\t0',
  'sallyport0\t0007A8C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
  'nonsense',
  '',
].join('\n');

it('reads the kernel’s table but for the default route', () => {
  expect(parseRoutes(TABLE)).toEqual([
    { network: '192.168.1.0/24', device: 'eth0' },
    { network: '172.17.0.0/16', device: 'docker0' },
    { network: '203.0.113.9/32', device: 'eth0' },
    { network: '192.168.7.0/24', device: 'sallyport0' },
  ]);
});

it('knows the loopback of this machine', () => {
  expect(localRoutes('sallyport0')).toContainEqual({ network: '127.0.0.0/8', device: 'lo' });
});

it('finds the route of this machine that a network overlaps', () => {
  const routes = parseRoutes(
    [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT',
      'eth0\t00000000\t010012C6\t0003\t0\t0\t0\t00000000\t0\t0\t0',
      '*\t0000580A\t00000000\t0201\t0\t0\t1051820\t0000FFFF\t0\t0\t0',
      'eth0\t000012C6\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
    ].join('\n'),
  );
  expect(routes).toMatchObject([{ device: 'eth0', network: '198.18.0.0/24' }]);
  expect(overlapping('198.18.0.128/25', routes)?.device).toBe('eth0');
  expect(overlapping('198.0.0.0/8', routes)?.device).toBe('eth0');
  expect(overlapping('198.18.1.0/24', routes)).toBeNull();
});

it('finds the DNS servers of a machine, without those on the machine itself', () => {
  const text = [
    '# nameserver 192.0.2.1',
    'nameserver 192.0.2.53',
    ' nameserver\t198.51.100.53 ',
    'nameserver 127.0.0.53',
    'nameserver 2001:db8::53',
    'nameserver fe80::1%eth0',
    'nameserver',
    'search example.test',
  ].join('\n');
  expect(nameServersIn(text)).toEqual(['192.0.2.53', '198.51.100.53']);
});

it('finds the routers of a machine', () => {
  const lines = [
    'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
    'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
    'eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
    'spt0\t0000010A\t020200C0\t0003\t0\t0\t0\t0000FFFF\t0\t0\t0',
  ];
  expect(routersIn(lines.join('\n'))).toEqual([
    { address: '192.0.2.1', device: 'eth0' },
    { address: '192.0.2.2', device: 'spt0' },
  ]);
});

it('names the addresses of this machine by their interfaces, but not those of the tunnel', () => {
  const own = Object.entries(networkInterfaces()).flatMap(([name, all]) =>
    (all ?? []).filter(({ family }) => family === 'IPv4').map(({ address }) => ({ name, address })),
  );
  for (const { name, address } of own) {
    expect(usedAddresses('none')).toContainEqual({ address, use: `the address of ${name}` });
    expect(usedAddresses(name)).not.toContainEqual({ address, use: `the address of ${name}` });
  }
});

const routes = parseRoutes(
  ['Iface\tDestination\tGateway\tFlags', 'eth0\t000012C6\t00000000\t0001\t0\t0\t0\t00FFFFFF'].join('\n'),
);

it('takes a network that no one has, with the gateway as its first host', () => {
  expect(vpnNetwork('10.88.7.9/16', routes)).toEqual({ network: '10.88.0.0/16', gateway: '10.88.0.1' });
});

it.each(['198.18.0.0/24', '198.18.0.128/25', '198.0.0.0/8'])(
  'refuses %s, and names the route that has it',
  (subnet) => {
    const start = (): unknown => vpnNetwork(subnet, routes);
    expect(start).toThrow(StartError);
    expect(start).toThrow(/overlaps 198\.18\.0\.0\/24, which this machine reaches through eth0\. Choose another/);
  },
);

it('refuses what cannot be routed', () => {
  expect(() => vpnNetwork('127.0.0.0/16', routes)).toThrow(/127\.0\.0\.0\/16 cannot be a network of nodes/);
});
