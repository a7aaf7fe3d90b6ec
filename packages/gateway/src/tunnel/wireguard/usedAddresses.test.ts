import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { nameServersIn, routersIn, usedAddresses } from './usedAddresses.ts';

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
