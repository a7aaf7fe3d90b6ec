import { expect, it } from 'vitest';
import { firewallTable, renderFirewall, renderFirewallRemoval, renderForwardingGuard } from './nftables.ts';

const plan = {
  interface: 'sallyport0',
  network: '10.88.0.0/16',
  gateway: '10.88.0.1',
  nodes: [{ id: 2, address: '10.88.0.5', subnets: ['198.19.2.0/24'], allowInternet: true }],
  publicPorts: [80, { from: 20_000, to: 20_999 }],
  visitedPort: null,
  port: 51_820,
};

it('replaces its own table, keeps the one that counts, and names no other', () => {
  const text = renderFirewall(plan);
  expect(text.match(/^(?:delete )?table .*/gm)).toEqual([
    'table inet sallyport_sallyport0',
    'delete table inet sallyport_sallyport0',
    'table inet sallyport_sallyport0 {',
    // This one stays: what it has counted is not to be forgotten.
    'table inet sallyport_sallyport0_counts {',
  ]);
  expect(renderFirewallRemoval('sallyport0')).toBe(
    ['sallyport_sallyport0', 'sallyport_sallyport0_counts']
      .map((table) => `table inet ${table}\ndelete table inet ${table}\n`)
      .join(''),
  );
});

it('gives each interface a table of its own, in the letters that nft knows', () => {
  const names = ['a-b', 'a.b', 'a_b', 'a_db', 'a__b', 'ab'];
  expect(new Set(names.map(firewallTable)).size).toBe(names.length);
  for (const name of names) expect(firewallTable(name)).toMatch(/^[a-z_]+$/);
});

it.each([
  ['interface', { interface: 'x"; drop' }],
  ['network', { network: '10.88.0.0/16 }' }],
  ['gateway', { gateway: '10.88.0.1; flush ruleset' }],
  ['address of a node', { nodes: [{ id: 2, address: '10.88.0.5\n', subnets: [], allowInternet: true }] }],
  [
    'subnet of a node',
    { nodes: [{ id: 2, address: '10.88.0.5', subnets: ['0.0.0.0/0, ::/0'], allowInternet: false }] },
  ],
])('writes nothing but addresses: %s', (_, hostile) => {
  expect(() => renderFirewall({ ...plan, ...hostile })).toThrow(/cannot stand in a packet filter/);
});

it('grows with the number of networks, not with its square', () => {
  const subnets = Array.from({ length: 200 }, (_, index) => `198.18.${index}.0/24`);
  const lengthOf = (count: number): number =>
    renderFirewall({
      ...plan,
      nodes: [{ id: 2, address: '10.88.0.5', subnets: subnets.slice(0, count), allowInternet: false }],
    }).length;
  expect(lengthOf(200) - lengthOf(100)).toBeLessThan(2 * (lengthOf(101) - lengthOf(1)));
});

it("looks where packets for public ports and for the tunnel's own come from", () => {
  expect(renderFirewall(plan)).toContain('udp dport { 80, 20000-20999, 51820 } jump from_visitors');
  expect(renderFirewall({ ...plan, publicPorts: [] })).toContain('udp dport { 51820 } jump from_visitors');
});

it.each([
  { own: {}, ports: '61000-65535' },
  { own: { port: 61_820 }, ports: '28000-32767' },
  { own: { publicPorts: [62_000, { from: 30_000, to: 30_999 }] }, ports: '10000-14999' },
])('lets nodes out by ports that are none of the gateway, with $own: $ports', ({ own, ports }) => {
  expect(renderFirewall({ ...plan, ...own })).toContain(`masquerade to :${ports} fully-random`);
});

it('keeps no one from routing IPv6, which the machine was not asked about', () => {
  expect(renderFirewall(plan).match(/^.*@forwards_for_nodes drop$/gm)).toEqual([
    '    meta nfproto ipv4 iifname @forwards_for_nodes drop',
  ]);
});

it('guards the interfaces at which the machine forwards for nodes', () => {
  expect(renderForwardingGuard('sallyport0', ['eth0', 'br-lan.7'])).toBe(
    'add element inet sallyport_sallyport0 forwards_for_nodes { "eth0", "br-lan.7" }\n',
  );
  expect(renderForwardingGuard('sallyport0', [])).toBe('');
  expect(() => renderForwardingGuard('sallyport0', ['x" }; flush'])).toThrow(/cannot stand in a packet filter/);
});

it('lets nodes visit the gateway at its address in the tunnel on one port, where Wiredoor’s programs ask for it', () => {
  const rule = /^.*ip daddr 10\.88\.0\.1 tcp dport.*$/gm;
  expect(renderFirewall(plan)).not.toMatch(rule);
  expect(renderFirewall({ ...plan, visitedPort: 443 }).match(rule)).toEqual([
    '    ip saddr @nodes ip daddr 10.88.0.1 tcp dport 443 ct state new update @visits { ip saddr limit rate 20/second burst 50 packets } accept',
  ]);
});
