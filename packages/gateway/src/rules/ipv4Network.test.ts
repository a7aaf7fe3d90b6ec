import { expect, it } from 'vitest';
import { ipv4Network, isWithin } from './ipv4Network.ts';

it.each([
  ['198.19.2.7/24', '198.19.2.0/24'],
  ['198.19.2.7', '198.19.2.7/32'],
  ['10.0.0.0/8', '10.0.0.0/8'],
  ['0.0.0.0/0', null],
  ['128.0.0.0/1', null],
  ['127.0.0.0/8', null],
  ['169.254.169.254', null],
  ['224.0.0.0/8', null],
  ['2001:db8::/32', null],
  ['10.0.0.0/8/8', null],
  ['10.0.0.0/33', null],
  [null, null],
])('routes %s as %s', (text, network) => {
  expect(ipv4Network(text)).toBe(network);
});

it('knows who is within', () => {
  const networks = ['198.19.2.0/24', '203.0.113.9/32'];
  expect(['198.19.2.255', '203.0.113.9'].map((each) => isWithin(each, networks))).toEqual([true, true]);
  expect(['198.19.3.0', '203.0.113.8', '::1', 'x'].some((each) => isWithin(each, networks))).toBe(false);
});
