import { expect, it } from 'vitest';
import { localRoutes, parseRoutes } from './localRoutes.ts';

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

it('reads the kernel’s table but for the default route and the tunnel', () => {
  expect(parseRoutes(TABLE, 'sallyport0')).toEqual([
    { network: '192.168.1.0/24', device: 'eth0' },
    { network: '172.17.0.0/16', device: 'docker0' },
    { network: '203.0.113.9/32', device: 'eth0' },
  ]);
});

it('knows the loopback of this machine', async () => {
  expect(await localRoutes('sallyport0')).toContainEqual({ network: '127.0.0.0/8', device: 'lo' });
});
