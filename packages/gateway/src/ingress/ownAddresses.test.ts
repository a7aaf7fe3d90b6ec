import { expect, it } from 'vitest';
import { ownAddresses } from './ownAddresses.ts';

const isOwn = ownAddresses({
  eth0: [
    { address: '192.0.2.7', family: 'IPv4', netmask: '', mac: '', internal: false, cidr: null },
    { address: '2001:db8::7', family: 'IPv6', netmask: '', mac: '', internal: false, cidr: null, scopeid: 0 },
  ],
});

it.each(['127.0.0.1', '127.9.9.9', '0.0.0.0', '::1', '::', '192.0.2.7', '2001:db8:0::7', '::ffff:127.0.0.1'])(
  'knows %s as its own',
  (address) => expect(isOwn(address)).toBe(true),
);

it.each(['192.0.2.8', '128.0.0.1', '2001:db8::8'])('takes %s for somebody else’s', (address) =>
  expect(isOwn(address)).toBe(false),
);
