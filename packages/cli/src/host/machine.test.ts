import { expect, it } from 'vitest';
import { subnetOf } from './machine.ts';

it.each([
  ['192.0.2.7/24', '192.0.2.0/24'],
  ['198.51.100.200/26', '198.51.100.192/26'],
  ['203.0.113.9/32', '203.0.113.9/32'],
  ['198.18.77.1/15', '198.18.0.0/15'],
])('%s is in %s', (address, network) => expect(subnetOf(address)).toBe(network));
