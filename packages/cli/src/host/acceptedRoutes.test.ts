import { describe, expect, it } from 'vitest';
import { type RouteParts, ConsentNeeded, checkRoutes, gatewayAddressIn } from './acceptedRoutes.ts';

const USED = [
  { network: '10.60.0.0/16', use: 'a network that it reaches by tun0' },
  { network: '10.50.0.0/16', use: 'a network that it reaches by eth0' },
  { network: '172.20.0.2', use: 'a DNS server of this host' },
];

const check = (allowedIPs: string | string[], parts: { address?: string } & Partial<RouteParts> = {}) => {
  const { address = '10.88.0.2/32', ...rest } = parts;
  return checkRoutes({
    wg: { address, peer: { allowedIPs } },
    allowInternet: false,
    allowNetworks: [],
    ownNetworks: ['192.168.1.0/24', '2001:db8:1::/64', 'fd00:1::/64'],
    usedNetworks: async () => USED,
    ...rest,
  });
};
/** What is asked, and what a yes would add to the configuration. */
const asked = async (result: Promise<unknown>) => {
  const error = await result.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(ConsentNeeded);
  const { question, consent } = error as ConsentNeeded;
  return { question, consent };
};

describe('what a gateway may route', () => {
  it.each([['10.88.0.0/16'], [['10.88.0.0/16', '10.88.0.0/24']]])(
    'is the network of the tunnel, which is kept: %j',
    async (allowedIPs) => expect(await check(allowedIPs)).toEqual([allowedIPs].flat()),
  );

  it.each([
    ['10.99.0.0/16', '10.99.0.2/32'],
    ['10.88.0.0/24', '10.88.0.2/32'],
    ['10.88.0.0/16, 10.60.0.0/17, 10.60.128.0/17', '10.88.0.2/32'],
    ['172.20.0.2/32', '172.20.0.2/32'],
  ])('is nothing else afterwards without being asked: %s', async (allowedIPs, address) => {
    const { consent } = await asked(check(allowedIPs, { address, allowNetworks: ['10.88.0.0/16'] }));
    expect(consent).toEqual({ allowNetworks: allowedIPs.split(', ') });
    expect(await check(allowedIPs, { allowNetworks: consent.allowNetworks ?? [], address })).toEqual(
      allowedIPs.split(', '),
    );
  });

  it.each([
    ['10.60.0.9/32', '10.60.0.0/17', '10.60.0.0/16, a network that it reaches by tun0'],
    ['10.50.0.9/32', '10.50.0.0/16', '10.50.0.0/16, a network that it reaches by eth0'],
    ['172.16.3.4/32', '172.16.0.0/12', '172.20.0.2, a DNS server of this host'],
    ['10.88.0.2/32', '10.0.0.0/8', '10.60.0.0/16, a network that it reaches by tun0'],
  ])('is no network that the host uses, without being asked: %s in %s', async (address, allowedIPs, use) => {
    const { question } = await asked(check(allowedIPs, { address }));
    expect(question).toContain(`${allowedIPs}, which overlaps ${use}`);
    expect(await check(allowedIPs, { address, allowNetworks: [allowedIPs] })).toEqual([allowedIPs]);
  });

  it('is at first no network to which the host itself does not belong there', async () => {
    const { question } = await asked(check('10.88.0.0/16, 10.99.0.0/24'));
    expect(question).toContain('10.99.0.0/24, which is not the network of the tunnel');
  });

  it.each([['0.0.0.0/0'], ['10.88.0.0/16, ::/0'], [['0.0.0.0/0', '::/0']]])(
    'is everything only where the host has agreed: %j',
    async (allowedIPs) => {
      expect((await asked(check(allowedIPs))).consent).toEqual({ allowInternet: true });
      await check(allowedIPs, { allowInternet: true });
    },
  );

  it('is not everything of IPv6 by an address of IPv4', async () => {
    const parts = { allowNetworks: ['10.88.0.2/32'] };
    expect((await asked(check('::/0', parts))).consent).toEqual({ allowInternet: true });
  });

  it('is with everything no network besides, since its route would come first', async () => {
    const parts = { allowInternet: true, allowNetworks: ['10.88.0.0/16'] };
    expect(await check('0.0.0.0/0, ::/0', parts)).toEqual(['10.88.0.0/16']);
    await asked(check('0.0.0.0/0, ::/0, 10.60.0.0/17', parts));
  });

  it.each(['172.20.0.2/32', '10.60.0.9/32'])(
    'is with everything no address of others, without being asked: %s',
    async (address) => {
      const parts = { address, allowInternet: true };
      for (const allowNetworks of [[], ['10.88.0.0/16']]) {
        const { consent } = await asked(check('0.0.0.0/0, ::/0', { ...parts, allowNetworks }));
        expect(consent).toEqual({ allowNetworks: [address] });
      }
      expect(await check('0.0.0.0/0, ::/0', { ...parts, allowNetworks: [address] })).toEqual([address]);
    },
  );

  it('is after everything the network of the tunnel, as at first', async () => {
    const kept = await check('0.0.0.0/0, ::/0', { allowInternet: true });
    expect(kept).toEqual(['10.88.0.2/32']);
    expect(await check('0.0.0.0/0, ::/0', { allowInternet: true, allowNetworks: kept })).toEqual(kept);
    expect(await check('10.88.0.0/16', { allowNetworks: kept })).toEqual(['10.88.0.0/16']);
  });

  it.each(['0.0.0.0/1', '128.0.0.0/1', '8.0.0.0/8', '203.0.113.0/24', '8.8.8.8', '2000::/3', '10.0.0.0/7'])(
    'is no part of the internet, whatever the host has agreed to: %s',
    async (route) => {
      const all = { allowInternet: true, allowNetworks: [route] };
      await expect(check(route)).rejects.toThrow('is not a private network');
      await expect(check(['0.0.0.0/0', '::/0', route], all)).rejects.toThrow('is not a private network');
    },
  );

  it.each(['192.168.1.0/24', '192.168.1.128/25', '192.168.1.7', '192.168.0.0/16', 'fd00:1::/96'])(
    'is no network that the host is in, whatever it has agreed to: %s',
    async (route) => {
      const all = { allowInternet: true, allowNetworks: [route] };
      await expect(check(route)).rejects.toThrow('a network that this host is in');
      await expect(check(['0.0.0.0/0', route], all)).rejects.toThrow('a network that this host is in');
    },
  );

  it('cannot be had by way of the address either', async () => {
    await expect(check('10.88.0.0/16', { address: '192.168.1.200/32' })).rejects.toThrow('that this host is in');
    await asked(check('10.88.0.0/16', { address: '172.20.0.2/32', allowNetworks: ['10.88.0.0/16'] }));
  });
});

describe('for whom this host opens ports, and where', () => {
  const place = (own: string, gatewayAddress?: string, allowedIPs: string | string[] = '10.88.0.0/16') =>
    gatewayAddressIn({ address: own }, { address: '10.88.0.2/32', peer: { allowedIPs }, gatewayAddress });

  it('is the gateway, at the address in the tunnel', () => {
    expect(place('10.88.0.2', '10.88.0.1')).toBe('10.88.0.1');
    expect(place('10.88.0.2', '10.88.0.1', ['0.0.0.0/0', '::/0'])).toBe('10.88.0.1');
    expect(place('10.88.0.2')).toBeNull();
  });

  it.each([
    ['at all addresses', '0.0.0.0', '10.88.0.1', /address/],
    ['at the loopback address', '127.0.0.1', '10.88.0.1', /address/],
    ['for someone around this host', '10.88.0.2', '192.168.1.7', /gatewayAddress/],
    ['for a word', '10.88.0.2', '-h', /gatewayAddress/],
    ['for a network', '10.88.0.2', '10.88.0.0/24', /gatewayAddress/],
  ])('is not anybody, anywhere: %s', (_what, own, gateway, field) => {
    expect(() => place(own, gateway)).toThrow(field);
  });
});
