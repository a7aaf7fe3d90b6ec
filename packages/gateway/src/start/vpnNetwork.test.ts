import { expect, it } from 'vitest';
import { parseRoutes } from '../tunnel/wireguard/localRoutes.ts';
import { StartError } from '../machine/startError.ts';
import { vpnNetwork } from './vpnNetwork.ts';

const routes = parseRoutes(
  ['Iface\tDestination\tGateway\tFlags', 'eth0\t000012C6\t00000000\t0001\t0\t0\t0\t00FFFFFF'].join('\n'),
);

it('takes a network that nobody has, with the gateway as its first host', () => {
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
