import { describe, expect, it } from 'vitest';
import { exposingCommand, forwardedIn, listenersIn, loopbackRules, loopbackTable, reachOf } from './loopback.ts';

// As `ss -Hlntu` of iproute2 6.1 prints it.
const SS = `udp   UNCONN 0      0         127.0.0.1:5353       0.0.0.0:*
udp   UNCONN 0      0      0.0.0.0%eth0:68         0.0.0.0:*
tcp   LISTEN 0      511       127.0.0.1:8080       0.0.0.0:*
tcp   LISTEN 0      511         0.0.0.0:8081       0.0.0.0:*
tcp   LISTEN 0      511               *:8082             *:*
tcp   LISTEN 0      511            [::]:8083          [::]:*
tcp   LISTEN 0      511           [::1]:8084          [::]:*
tcp   LISTEN 0      511       10.88.0.2:8085       0.0.0.0:*
tcp   LISTEN 0      511       127.0.0.1:8085       0.0.0.0:*
tcp   LISTEN 0      511    192.168.1.20:8086       0.0.0.0:*
tcp   LISTEN 0      4096  127.0.0.53%lo:53         0.0.0.0:*
tcp   LISTEN 0      511  [::ffff:127.0.0.1]:8087         *:*
`;

it.each([
  ['tcp', 8080, 'loopback'],
  ['tcp', 8081, 'reachable'],
  ['tcp', 8082, 'reachable'],
  ['tcp', 8083, 'elsewhere'],
  ['tcp', 8084, 'elsewhere'],
  // Both: the one in the tunnel is reached as ever.
  ['tcp', 8085, 'reachable'],
  ['tcp', 8086, 'elsewhere'],
  ['tcp', 8087, 'loopback'],
  ['tcp', 53, 'elsewhere'],
  ['udp', 68, 'elsewhere'],
  ['udp', 5353, 'loopback'],
  ['udp', 8080, 'none'],
] as const)('%s port %i of a host is %s to its gateway', (proto, port, reach) => {
  expect(reachOf(listenersIn(SS), { proto, port }, '10.88.0.2')).toBe(reach);
});

describe('the rules', () => {
  const parts = { gateway: '10.88.0.1', own: '10.88.0.2' };

  it('forward these ports from the gateway alone, and drop all else for loopback', () => {
    const ports = [
      { proto: 'tcp', port: 8080 },
      { proto: 'tcp', port: 80 },
      { proto: 'udp', port: 53 },
    ] as const;
    const rules = loopbackRules('sallyport', { ...parts, ports }).match(/iifname "sallyport" [^;]+/g);
    const from = 'iifname "sallyport" ip saddr 10.88.0.1 ip daddr';
    expect(rules).toEqual([
      `${from} 10.88.0.2 tcp dport { 8080, 80 } dnat to 127.0.0.1`,
      `${from} 10.88.0.2 udp dport { 53 } dnat to 127.0.0.1`,
      // No packet passes for one of the machine itself, whatever the gateway calls its address.
      'iifname "sallyport" ip saddr 127.0.0.0/8 drop',
      `${from} 127.0.0.1 tcp dport { 8080, 80 } accept`,
      `${from} 127.0.0.1 udp dport { 53 } accept`,
      'iifname "sallyport" ip daddr 127.0.0.0/8 drop',
    ]);
  });

  it.each(['10.88.0.1; flush ruleset', '10.88.0.0/16', '::1', '', null])(
    'are made of no such address: %s',
    (address) => {
      const ports = [{ proto: 'tcp', port: 1 }] as const;
      expect(() => loopbackRules('sallyport', { ...parts, gateway: address, ports })).toThrow(
        /gatewayAddress is not valid/,
      );
      expect(() => loopbackRules('sallyport', { ...parts, own: address ?? '', ports })).toThrow(
        /its address is not valid/,
      );
    },
  );

  it('of two interfaces are never in one table', () => {
    expect(new Set(['a-b', 'a_b', 'a_db', 'a__b'].map(loopbackTable)).size).toBe(4);
  });
});

it('names a command that no name of a service changes', () => {
  const port = { type: 'tcp', proto: 'udp', port: 53 } as const;
  expect(exposingCommand({ ...port, name: 'dns-1' })).toBe('sallyport tcp dns-1 --port 53 --proto udp');
  expect(exposingCommand({ ...port, name: 'x; rm -rf /' })).toBe('sallyport tcp NAME --port 53 --proto udp');
});

it('reads what is forwarded as nftables prints it', () => {
  const printed = `table ip sallyport_loopback_sallyport {
	chain forward {
		type nat hook prerouting priority -100; policy accept;
		iifname "sallyport" ip saddr 10.88.0.1 ip daddr 10.88.0.2 tcp dport { 80, 8080 } dnat to 127.0.0.1
		iifname "sallyport" ip saddr 10.88.0.1 ip daddr 10.88.0.2 udp dport 53 dnat to 127.0.0.1
	}
}`;
  expect(forwardedIn(printed)).toEqual([
    { proto: 'tcp', port: 80 },
    { proto: 'tcp', port: 8080 },
    { proto: 'udp', port: 53 },
  ]);
  expect(forwardedIn('')).toEqual([]);
});
