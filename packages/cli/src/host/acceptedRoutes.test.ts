import { describe, expect, it } from 'vitest';
import { InternetNotAllowed, checkRoutes } from './acceptedRoutes.ts';

const check = (allowedIPs: string | string[], { allowInternet = false, address = '10.88.0.2/32' } = {}) =>
  checkRoutes({
    wg: { address, peer: { allowedIPs } },
    allowInternet,
    ownNetworks: ['192.168.1.0/24', '2001:db8:1::/64', 'fd00:1::/64'],
  });

describe('what a gateway may route', () => {
  it.each([['10.88.0.0/16'], ['10.88.0.0/16, 10.99.0.0/24'], [['100.64.0.0/24', 'fd00:2::/64']]])(
    'is its own network: %j',
    (allowedIPs) => expect(() => check(allowedIPs)).not.toThrow(),
  );

  it.each([['0.0.0.0/0'], ['10.88.0.0/16, ::/0'], [['0.0.0.0/0', '::/0']]])(
    'is everything only where the host has agreed: %j',
    (allowedIPs) => {
      expect(() => check(allowedIPs)).toThrow(InternetNotAllowed);
      expect(() => check(allowedIPs, { allowInternet: true })).not.toThrow();
    },
  );

  it.each(['0.0.0.0/1', '128.0.0.0/1', '8.0.0.0/8', '203.0.113.0/24', '8.8.8.8', '2000::/3', '10.0.0.0/7'])(
    'is no part of the internet, whatever the host has agreed to: %s',
    (route) => {
      expect(() => check(route)).toThrow('is not a private network');
      expect(() => check(['0.0.0.0/0', '::/0', route], { allowInternet: true })).toThrow('is not a private network');
    },
  );

  it.each(['192.168.1.0/24', '192.168.1.128/25', '192.168.1.7', '192.168.0.0/16', 'fd00:1::/96'])(
    'is no network that the host is in: %s',
    (route) => {
      expect(() => check(route)).toThrow('a network that this host is in');
      expect(() => check(['0.0.0.0/0', route], { allowInternet: true })).toThrow('a network that this host is in');
    },
  );

  it('cannot be had by way of the address either', () => {
    expect(() => check('10.88.0.0/16', { address: '192.168.1.200/24' })).toThrow('a network that this host is in');
    expect(() => check('10.88.0.0/16', { address: '10.88.0.2/0' })).toThrow('is not a private network');
  });
});
