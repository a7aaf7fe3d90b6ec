import { expect, it } from 'vitest';
import { proxyLoopsIn } from './proxyLoops.ts';

const HERE = '127.0.0.1';
const link = (id: number, port: number, backendPort: number, rest: object = {}) => ({
  id,
  port,
  proto: 'tcp' as const,
  backendPort,
  addresses: [HERE],
  ...rest,
});
const found = (...links: Parameters<typeof proxyLoopsIn>[0]): number[] => [
  ...proxyLoopsIn(links, (address) => address === HERE),
];

it('finds a service that leads to itself, and several that lead to each other', () => {
  expect(found(link(1, 20_001, 20_001))).toEqual([1]);
  expect(found(link(1, 20_001, 20_002), link(2, 20_002, 20_003), link(3, 20_003, 20_001))).toEqual([1, 2, 3]);
});

it('leaves alone who leads to another service and so out again, or into a circle without being one of it', () => {
  expect(found(link(1, 20_001, 20_002), link(2, 20_002, 5432))).toEqual([]);
  expect(found(link(1, 20_001, 20_002), link(2, 20_002, 20_002))).toEqual([2]);
  expect(found(link(2, 20_002, 20_002), link(1, 20_001, 20_002))).toEqual([2]);
});

it('looks at the address and at the protocol', () => {
  expect(found(link(1, 20_001, 20_001, { addresses: ['192.0.2.1'] }))).toEqual([]);
  expect(found(link(1, 20_001, 20_001, { addresses: ['192.0.2.1', HERE] }))).toEqual([1]);
  const udp = { proto: 'udp' as const };
  expect(found(link(1, 20_001, 20_002, udp), link(2, 20_002, 20_001))).toEqual([]);
  expect(found(link(1, 20_001, 20_002, udp), link(2, 20_002, 20_001, udp))).toEqual([1, 2]);
});
