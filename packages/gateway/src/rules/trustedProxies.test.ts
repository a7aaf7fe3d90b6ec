import { describe, expect, it } from 'vitest';
import { readTrustedProxies } from './trustedProxies.ts';

describe('the addresses of trusted proxies', () => {
  it('are read in both families, each once and in one spelling', () => {
    const text = '192.0.2.10, 192.0.2.10/32 198.51.100.77/24,2001:DB8:0::1/64\n::ffff:192.0.2.9 ::ffff:10.0.0.0/104';
    expect(readTrustedProxies(text)).toEqual({
      networks: ['192.0.2.10/32', '198.51.100.0/24', '2001:db8::/64', '192.0.2.9/32', '10.0.0.0/8'],
    });
    expect(readTrustedProxies(' ,')).toEqual({ networks: [] });
  });

  it.each(['0.0.0.0/0', '::/0', '::ffff:0.0.0.0/96'])('are not %s, with the reason', (all) => {
    expect(readTrustedProxies(`192.0.2.10,${all}`)).toEqual({
      problem: expect.stringMatching(/: every visitor could then come under any address.* Name the addresses/),
    });
  });

  it.each(['0.0.0.0/1', '128.0.0.0/1', '11.0.0.0/7', '::/1', '8000::/1', '2000::/3'])('are not %s', (large) => {
    expect(readTrustedProxies(large)).toHaveProperty('problem', expect.stringContaining(`${large}: a large part`));
  });

  it.each([
    'proxy.example.test',
    'all',
    'unix:',
    '192.0.2.10:80',
    '192.0.2.300',
    '192.0.2.10/33',
    '192.0.2',
    '010.0.0.1',
    '0x7f.0.0.1',
    '[::1]',
    'fe80::1%eth0',
    '2001:db8::/129',
    '192.0.2.10;',
  ])('are not %j', (text) => {
    expect(readTrustedProxies(text)).toHaveProperty('problem', expect.stringContaining('must be addresses'));
  });
});
