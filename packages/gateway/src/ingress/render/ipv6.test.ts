import { isIPv6, SocketAddress } from 'node:net';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ipv6Groups, mappedIpv4, nginxIpv6 } from './ipv6.ts';

/** As the system writes it. */
const canonical = (address: string): string => new SocketAddress({ address, family: 'ipv6' }).address;

it('understands every address as the system does', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const groups = ipv6Groups(address) ?? [];
      expect(groups).toHaveLength(8);
      expect(canonical(groups.map((group) => group.toString(16)).join(':'))).toBe(canonical(address));
      expect(canonical(nginxIpv6(address))).toBe(canonical(address));
    }),
  );
});

it('understands nothing else', () => {
  const nasty = fc.array(fc.constantFrom('0', 'ffff', '1', ':', '::', '.', '1.2.3.4', 'g', '12345'), { maxLength: 16 });
  fc.assert(
    fc.property(nasty, (parts) => {
      const address = parts.join('');
      // A dotted part out of range is left to nginx.
      fc.pre(!address.includes('.') || isIPv6(address));
      expect(ipv6Groups(address) !== null).toBe(isIPv6(address));
    }),
  );
});

it.each([
  ['2001:db8::1', '2001:db8::1'],
  ['1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0'],
  ['::2:3:4:5:6:7:8', '0:2:3:4:5:6:7:8'],
  ['1:2:3::5:6:7:8', '1:2:3:0:5:6:7:8'],
  ['::', '::'],
  ['no address', 'no address'],
])('writes %s for nginx as %s', (address, written) => {
  expect(nginxIpv6(address)).toBe(written);
});

it.each([
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['0000::0:ffff:0:1', '0.0.0.1'],
  ['::1', null],
  ['::192.0.2.1', null],
  ['1::ffff:192.0.2.1', null],
  ['192.0.2.1', null],
])('takes %s for %s', (address, meant) => {
  expect(mappedIpv4(address)).toBe(meant);
});
