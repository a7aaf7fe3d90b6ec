import { expect, it } from 'vitest';
import { localRoutes, overlapping, parseRoutes } from './localRoutes.ts';

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
