import { expect, it } from 'vitest';
import { ipv4Network, overlaps } from './ipNetwork.ts';

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

it.each([
  ['198.19.2.0/24', '198.19.2.255', true],
  ['203.0.113.9', '203.0.113.9/32', true],
  ['10.0.0.0/8', '10.9.0.0/16', true],
  ['10.9.7.7/16', '10.0.0.1/8', true],
  ['198.19.2.0/24', '198.19.3.0', false],
  ['::/0', '198.19.3.0', false],
  ['2001:db8::/32', '2001:db8::1', true],
  ['198.19.2.0/24', 'x', false],
  ['198.19.2.0/240', '198.19.2.1', false],
])('whether %s and %s have an address in common: %s', (one, other, expected) => {
  expect([overlaps(one, other), overlaps(other, one)]).toEqual([expected, expected]);
});
